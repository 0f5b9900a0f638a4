// steps.csv, read back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scree::io {

/// The columns of numbers of steps.csv, whichever there are. Columns of text are left out.
class StepRows {
 public:
  /// Rows that are not whole, as a run that goes on leaves them, are left out. An absent file has no rows.
  /// Throws ReadError if it cannot be read.
  explicit StepRows(const std::filesystem::path& path);

  std::size_t rows() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  /// [row]; null if there is no such column.
  const std::vector<double>* column(const std::string& name) const;

 private:
  std::size_t rows_ = 0;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;  // [column][row]
};

}  // namespace scree::io
