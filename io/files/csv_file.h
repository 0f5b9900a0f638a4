// CSV tables, as written by spreadsheets and other programs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scree::io {

struct CsvLine {
  std::string text;
  int number = 0;  // from 1
};

/// Lines that are neither empty nor begin with #; no lines if the file cannot be opened.
std::vector<CsvLine> read_csv_lines(const std::filesystem::path& file);
std::vector<CsvLine> csv_lines(const std::string& bytes);

/// A comma, or, if the line has none, its separator: semicolon, tab, blanks.
char csv_separator(std::string_view line);

/// One field of a line, without surrounding blanks and quotation marks, in which separators are text, and the
/// column of its first character, from 1.
struct CsvField {
  std::string_view text;
  int column = 1;
};
/// The text of a field in quotation marks, in which two of them stand for one.
std::string csv_text(std::string_view field);
std::vector<CsvField> split_csv(std::string_view line, char separator);

/// If commas are not separators they may be decimal points. Returns NaN if it is not a number.
double csv_number(std::string_view text, char separator = ',');

/// A line of two numbers; a missing or invalid one is not finite.
struct CsvPair {
  double first, second;
  int line;  // from 1
};
/// All lines, except for a first one with the names of the columns.
std::vector<CsvPair> read_csv_pairs(const std::filesystem::path& file);

}  // namespace scree::io
