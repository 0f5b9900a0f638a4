#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>

#include "io/scene/faults.h"
#include "io/scene/table_values.h"

namespace scree::io {

namespace {

/// One field of a line, without the blanks round it, and its first character's column, from 1.
struct Field {
  std::string_view text;
  int column = 1;
};

/// Spreadsheets write semicolons or tabs where commas stand in numbers.
char separator_of(std::string_view line) {
  if (line.find(',') != std::string_view::npos) return ',';
  if (line.find(';') != std::string_view::npos) return ';';
  return line.find('\t') != std::string_view::npos ? '\t' : ',';
}

std::vector<Field> split(std::string_view line, char separator) {
  std::vector<Field> fields;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    std::string_view text = line.substr(begin, end - begin);
    const std::size_t blanks = std::min(text.find_first_not_of(" \t\r\""), text.size());
    text.remove_prefix(blanks);
    text = text.substr(0, text.find_last_not_of(" \t\r\"") + 1);
    fields.push_back({text, static_cast<int>(begin + blanks) + 1});
    if (end == line.size()) return fields;
    begin = end + 1;
  }
}

double parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value
                                                                  : std::numeric_limits<double>::quiet_NaN();
}

/// Where commas do not separate they may stand for decimal points.
double parse_number(std::string_view text, char separator) {
  if (separator == ',') return parse_number(text);
  std::string pointed(text);
  std::replace(pointed.begin(), pointed.end(), ',', '.');
  return parse_number(pointed);
}

struct CsvLine {
  std::string text;
  int number = 0;  // from 1
};

std::vector<CsvLine> read_lines(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<CsvLine> lines;
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    if (number == 1 && text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a byte-order mark
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first != std::string::npos && text[first] != '#') lines.push_back({text, number});
  }
  return lines;
}

/// [group][column] -> which field of a line; empty for a group that the file does not have.
using ColumnMap = std::array<std::vector<std::size_t>, column_groups.size()>;

class HeaderReader {
 public:
  HeaderReader(const CsvLine& line, char separator, const std::string& shown, TableFaults& faults)
      : line_(line), fields_(split(line.text, separator)), shown_(shown), faults_(faults) {}

  /// A first line of numbers names nothing.
  bool is_header() {
    const bool named = std::any_of(fields_.begin(), fields_.end(),
                                   [](const Field& f) { return std::isnan(parse_number(f.text)); });
    if (!named)
      add(0, "", "must name the columns, and holds numbers", line_.text,
          "write a line such as x,y,z,radius above it");
    return named;
  }

  ColumnMap read() {
    std::vector<std::string> known{"material", "time_s", "id"};
    for (const ColumnGroup& group : column_groups) {
      for (std::size_t i = 0; i < group.width; ++i) known.emplace_back(group.columns[i]);
    }
    ColumnMap map;
    for (std::size_t g = 0; g < column_groups.size(); ++g) {
      const ColumnGroup& group = column_groups[g];
      std::vector<std::string> absent;
      for (std::size_t i = 0; i < group.width; ++i) {
        const auto field = find(group.columns[i]);
        if (field) map[g].push_back(*field);
        if (!field) absent.emplace_back(group.columns[i]);
      }
      if (absent.empty() || (map[g].empty() && g != position_group)) continue;
      missing(absent);
      map[g].clear();
    }
    for (const Field& field : fields_) unknown(field, known);
    return map;
  }

  std::optional<std::size_t> find(std::string_view name) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (lower(fields_[i].text) != name) continue;
      if (found) add(fields_[i].column, std::string(name), "this column is there twice");
      found = i;
    }
    return found;
  }

 private:
  static std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return result;
  }

  void missing(const std::vector<std::string>& absent) {
    std::vector<std::string_view> there;
    for (const Field& field : fields_) there.push_back(field.text);
    add(0, fmt::format("{}", fmt::join(absent, ", ")),
        fmt::format("{} missing; the first line names {}",
                    absent.size() > 1 ? "these columns are" : "this column is", fmt::join(there, ", ")));
  }

  void unknown(const Field& field, const std::vector<std::string>& known) {
    const std::string name(field.text);
    if (std::find(known.begin(), known.end(), lower(name)) != known.end()) return;
    Fault warning;
    warning.where = {shown_, line_.number, field.column};
    warning.key_path = name;
    warning.problem = "this column is not known and is left out";
    warning.suggestion = did_you_mean(name, known);
    faults_.warnings.push_back(warning);
  }

  void add(int column, const std::string& name, const std::string& problem, const std::string& value = "",
           const std::string& suggestion = "") {
    Fault fault;
    fault.where = {shown_, line_.number, std::max(column, 1)};
    fault.key_path = name;
    fault.problem = problem;
    fault.value = value;
    fault.suggestion = suggestion;
    faults_.faults.push_back(fault);
  }

  const CsvLine& line_;
  std::vector<Field> fields_;
  const std::string& shown_;
  TableFaults& faults_;
};

}  // namespace

TableValues read_csv(const std::filesystem::path& file, const std::string& shown, TableFaults& faults) {
  const auto lines = std::make_shared<const std::vector<CsvLine>>(read_lines(file));
  Fault empty;
  empty.where.file = shown;
  if (lines->empty()) {
    empty.problem = "is empty; its first line must name the columns";
    faults.faults.push_back(empty);
    return {};
  }
  const std::size_t before = faults.faults.size();
  const char separator = separator_of(lines->front().text);
  const std::size_t width = split(lines->front().text, separator).size();
  HeaderReader header(lines->front(), separator, shown, faults);
  if (!header.is_header()) return {};
  const ColumnMap map = header.read();
  const std::optional<std::size_t> material = header.find("material"), time = header.find("time_s");
  if (lines->size() == 1) {
    empty.problem = "holds no bodies";
    faults.faults.push_back(empty);
  }
  if (faults.faults.size() > before) return {};

  TableValues table;
  {
    ValueFaults row_faults(faults.faults);
    for (std::size_t row = 0; row + 1 < lines->size(); ++row) {
      const CsvLine& line = (*lines)[row + 1];
      const std::vector<Field> fields = split(line.text, separator);
      table.lines.push_back(line.number);
      if (fields.size() != width) {
        Fault fault;
        fault.where = {shown, line.number, 1};
        fault.problem = fmt::format("has {} values, the first line names {} columns", fields.size(), width);
        row_faults.add(fault);
        continue;
      }
      for (std::size_t g = 0; g < map.size(); ++g) {
        for (const std::size_t i : map[g]) table.values[g].push_back(parse_number(fields[i].text, separator));
      }
      if (material) table.material.emplace_back(fields[*material].text);
      if (time && fields[*time].text != split((*lines)[1].text, separator)[*time].text) {
        Fault fault;
        fault.where = {shown, line.number, fields[*time].column};
        fault.key_path = "time_s";
        fault.problem = "the table holds more than one moment";
        fault.value = std::string(fields[*time].text);
        fault.suggestion = "export one: scree export --to csv --time";
        row_faults.add(fault);
        break;
      }
    }
  }
  if (faults.faults.size() > before) return {};
  table.rows = table.lines.size();
  table.fault_at = [lines, map, shown, separator](std::size_t group, std::size_t row, std::size_t column) {
    const CsvLine& line = (*lines)[row + 1];
    const Field field = split(line.text, separator)[map[group][column]];
    Fault fault;
    fault.where = {shown, line.number, field.column};
    fault.key_path = column_groups[group].columns[column];
    fault.value = '"' + std::string(field.text) + '"';
    fault.unit = column_groups[group].unit;
    return fault;
  };
  return table;
}

}  // namespace scree::io
