// Tables in text files, as spreadsheets and other programs write them.
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

/// Lines that are neither empty nor begin with #; none where the file cannot be opened.
std::vector<CsvLine> read_csv_lines(const std::filesystem::path& file);
std::vector<CsvLine> csv_lines(const std::string& bytes);

/// A comma, or what stands for it where there is none in the line: semicolon, tab, blanks.
char csv_separator(std::string_view line);

/// One field of a line, without blanks and quotation marks round it, and its first character's column, from
/// 1.
struct CsvField {
  std::string_view text;
  int column = 1;
};
std::vector<CsvField> split_csv(std::string_view line, char separator);

/// Where commas do not separate they may stand for decimal points. Not a number: nan.
double csv_number(std::string_view text, char separator = ',');

/// A line of two numbers; not finite where one is missing or is none.
struct CsvPair {
  double first, second;
  int line;  // from 1
};
/// All lines, but for a first one that names the columns.
std::vector<CsvPair> read_csv_pairs(const std::filesystem::path& file);

}  // namespace scree::io
