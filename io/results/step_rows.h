// steps.csv, read back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scree::io {

/// The columns of numbers of steps.csv, whichever there are. Columns of text are left out.
class StepRows {
 public:
  /// Rows that are not whole, as a run that goes on leaves them, are left out. An absent file has no rows.
  /// Throws ReadError if it cannot be read.
  explicit StepRows(std::filesystem::path path);
  /// Of tables with several rows a step, those alone that have this text in a column; none if there is no
  /// such column.
  StepRows(std::filesystem::path path, std::string column, std::string text);
  /// Reads the rows that were written since. Throws ReadError.
  void refresh();

  std::size_t rows() const { return rows_; }
  std::vector<std::string> names() const;
  /// [row]; null if there is no such column.
  const std::vector<double>* column(const std::string& name) const;

 private:
  struct Column {
    std::string name;
    std::vector<double> values;  // [row]; NaN where there is no number
    bool has_numbers = false;
  };
  void take(std::string_view line);

  std::filesystem::path path_;
  std::string key_, text_;  // which rows; all if there is no key
  std::size_t key_column_ = 0;
  std::int64_t read_ = 0;  // bytes of whole lines
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

}  // namespace scree::io
