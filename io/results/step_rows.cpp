#include "io/results/step_rows.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>

#include "io/files/csv_file.h"
#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "io/results/row_file.h"

namespace scree::io {

namespace {

constexpr std::size_t piece = 1 << 20;  // bytes read at a time

/// End of the cell that begins at a position of a line: in quotation marks commas are text.
std::size_t end_of_cell(std::string_view line, std::size_t begin) {
  bool quoted = false;
  for (std::size_t k = begin; k < line.size(); ++k) {
    if (line[k] == '"') quoted = !quoted;
    if (line[k] == ',' && !quoted) return k;
  }
  return line.size();
}

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> list;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = end_of_cell(line, at);
    list.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

/// NaN if the text is no number.
double number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value
                                                                  : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

StepRows::StepRows(std::filesystem::path path) : path_(std::move(path)) { refresh(); }

StepRows::StepRows(std::filesystem::path path, std::string column, std::string text)
    : path_(std::move(path)), key_(std::move(column)), text_(csv_field(text)) {
  refresh();
}

void StepRows::refresh() {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) return;
  if (const std::string problem = file_problem(path_); !problem.empty())
    throw ReadError(fmt::format("cannot read {}: {}", path_.string(), problem));
  std::ifstream file(path_, std::ios::binary);
  file.seekg(read_);
  if (!file) throw ReadError(fmt::format("cannot read {}: {}", path_.string(), std::strerror(errno)));
  std::string text;  // not processed yet
  for (std::size_t count = piece; count == piece;) {
    const std::size_t rest = text.size();
    text.resize(rest + piece);
    file.read(text.data() + rest, piece);
    count = static_cast<std::size_t>(file.gcount());
    text.resize(rest + count);
    std::size_t at = 0;
    for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      take(std::string_view(text).substr(at, end - at));
    text.erase(0, at);
    read_ += static_cast<std::int64_t>(at);
  }
}

void StepRows::take(std::string_view line) {
  const std::vector<std::string_view> row = cells(line);
  if (columns_.empty()) {
    for (const CsvField& field : split_csv(line, ',')) columns_.push_back({csv_text(field.text), {}});
    const auto named = [&](const Column& c) { return c.name == key_; };
    key_column_ = static_cast<std::size_t>(std::ranges::find_if(columns_, named) - columns_.begin());
    return;
  }
  if (row.size() != columns_.size()) return;
  if (!key_.empty() && (key_column_ == columns_.size() || row[key_column_] != text_)) return;
  for (std::size_t c = 0; c < row.size(); ++c) {
    columns_[c].values.push_back(number(row[c]));
    columns_[c].has_numbers |= !std::isnan(columns_[c].values.back());
  }
  ++rows_;
}

std::vector<std::string> StepRows::names() const {
  std::vector<std::string> list;
  for (const Column& column : columns_) {
    if (column.has_numbers) list.push_back(column.name);
  }
  return list;
}

const std::vector<double>* StepRows::column(const std::string& name) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& c) { return c.has_numbers && c.name == name; });
  return found == columns_.end() ? nullptr : &found->values;
}

}  // namespace scree::io
