#include "io/report/step_rows.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sstream>

#include "io/files/file_errors.h"

namespace scree::io {

namespace {

std::vector<std::string> cells(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> list;
  for (std::string cell; std::getline(text, cell, ',');) list.push_back(cell);
  return list;
}

/// NaN if the text is no number.
double number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() && !text.empty() ? value
                                                            : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

StepRows::StepRows(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  std::ifstream file(path);
  if (!file) throw ReadError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  std::string line;
  std::getline(file, line);
  names_ = cells(line);
  values_.resize(names_.size());
  while (std::getline(file, line)) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != names_.size()) continue;
    for (std::size_t c = 0; c < row.size(); ++c) values_[c].push_back(number(row[c]));
    ++rows_;
  }
  for (std::size_t c = names_.size(); c-- > 0;) {
    const bool text =
        std::all_of(values_[c].begin(), values_[c].end(), [](double x) { return std::isnan(x); });
    if (!text) continue;
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(c));
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

const std::vector<double>* StepRows::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? nullptr : &values_[static_cast<std::size_t>(found - names_.begin())];
}

}  // namespace scree::io
