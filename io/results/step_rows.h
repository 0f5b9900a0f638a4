// steps.csv, read back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scree::io {

/// All numerical columns of steps.csv. Text columns are left out.
class StepRows {
 public:
  /// Incomplete rows, at the end of a growing table, are left out. A missing file has no rows.
  /// Throws ReadError if it cannot be read.
  explicit StepRows(std::filesystem::path path);
  /// For tables with several rows per step: only rows with this text in a column; none if there is no
  /// such column.
  StepRows(std::filesystem::path path, std::string column, std::string text);
  /// Reads the rows written since then. Throws ReadError.
  void refresh();

  std::size_t rows() const { return rows_; }
  std::vector<std::string> names() const;
  /// [row]; null if there is no such column.
  const std::vector<double>* column(const std::string& name) const;

 private:
  struct Column {
    std::string name;
    std::vector<double> values;  // [row]; NaN if there is no number
    bool has_numbers = false;
  };
  void take(std::string_view line);

  std::filesystem::path path_;
  std::string key_, text_;  // selects rows; no key: all rows
  std::size_t key_column_ = 0;
  std::int64_t read_ = 0;  // bytes of complete lines
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

}  // namespace scree::io
