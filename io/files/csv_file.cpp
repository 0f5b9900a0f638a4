#include "io/files/csv_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "io/files/input_file.h"

namespace scree::io {

std::vector<CsvLine> read_csv_lines(const std::filesystem::path& file) {
  std::string problem;
  return csv_lines(read_bytes(file, problem).value_or(""));
}

std::vector<CsvLine> csv_lines(const std::string& bytes) {
  std::istringstream stream(bytes);
  std::vector<CsvLine> lines;
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    if (number == 1 && text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a byte-order mark
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first != std::string::npos && text[first] != '#') lines.push_back({text, number});
  }
  return lines;
}

char csv_separator(std::string_view line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string_view::npos) return separator;
  const std::size_t first = line.find_first_not_of(" \r"), last = line.find_last_not_of(" \r");
  return line.substr(0, last).find(' ', first) != std::string_view::npos ? ' ' : ',';
}

namespace {

/// The text between the quotation marks of a field that begins with one; null pointer if it does not.
std::string_view quoted_part(std::string_view line, std::size_t begin) {
  const std::size_t first = line.find_first_not_of(" \t", begin);
  if (first == std::string_view::npos || line[first] != '"') return {};
  std::size_t close = line.find('"', first + 1);
  while (close != std::string_view::npos && close + 1 < line.size() && line[close + 1] == '"')
    close = line.find('"', close + 2);
  return close == std::string_view::npos ? std::string_view() : line.substr(first + 1, close - first - 1);
}

}  // namespace

std::string csv_text(std::string_view field) {
  std::string text(field);
  for (std::size_t at = 0; (at = text.find("\"\"", at)) != std::string::npos; ++at) text.erase(at, 1);
  return text;
}

std::vector<CsvField> split_csv(std::string_view line, char separator) {
  std::vector<CsvField> fields;
  std::size_t begin = 0;
  for (;;) {
    if (separator == ' ') begin = std::min(line.find_first_not_of(" \r", begin), line.size());
    const std::string_view quoted = quoted_part(line, begin);
    const std::size_t after = quoted.data() == nullptr
                                  ? begin
                                  : static_cast<std::size_t>(quoted.data() + quoted.size() - line.data());
    const std::size_t end = std::min(line.find(separator, after), line.size());
    std::string_view text = line.substr(begin, end - begin);
    const std::size_t blanks = std::min(text.find_first_not_of(" \t\r\""), text.size());
    text.remove_prefix(blanks);
    text = text.substr(0, text.find_last_not_of(" \t\r\"") + 1);
    fields.push_back({quoted.data() == nullptr ? text : quoted, static_cast<int>(begin + blanks) + 1});
    const bool is_last =
        separator == ' ' ? line.find_first_not_of(" \r", end) == std::string_view::npos : end == line.size();
    if (is_last) return fields;
    begin = end + 1;
  }
}

double csv_number(std::string_view text, char separator) {
  std::string pointed(text.starts_with('+') ? text.substr(1) : text);
  if (separator != ',') std::ranges::replace(pointed, ',', '.');
  double value = 0.0;
  const char* last = pointed.data() + pointed.size();
  const auto [end, error] = std::from_chars(pointed.data(), last, value);
  return error == std::errc() && end == last ? value : std::numeric_limits<double>::quiet_NaN();
}

std::vector<CsvPair> read_csv_pairs(const std::filesystem::path& file) {
  const std::vector<CsvLine> lines = read_csv_lines(file);
  const char separator = lines.empty() ? ',' : csv_separator(lines.front().text);
  std::vector<CsvPair> pairs;
  for (const CsvLine& line : lines) {
    const std::vector<CsvField> fields = split_csv(line.text, separator);
    const double first = csv_number(fields[0].text, separator),
                 second = fields.size() == 2 ? csv_number(fields[1].text, separator)
                                             : std::numeric_limits<double>::quiet_NaN();
    const bool names = &line == &lines.front() && !(std::isfinite(first) && std::isfinite(second));
    if (!names) pairs.push_back({first, second, line.number});
  }
  return pairs;
}

}  // namespace scree::io
