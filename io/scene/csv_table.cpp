#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "io/files/csv_file.h"
#include "io/files/input_file.h"
#include "io/scene/faults.h"
#include "io/scene/particle_files.h"
#include "io/scene/table_values.h"

namespace scree::io {

namespace {

/// The field of a line that has a column's value, and the factor for its numbers.
struct FieldOf {
  std::size_t field = 0;
  double factor = 1.0;
};
/// [group][column]; empty if the file does not have the group.
using ColumnMap = std::array<std::vector<FieldOf>, column_groups.size()>;

/// Column names of other programs.
struct ColumnAlias {
  std::string_view name, column;
  double factor = 1.0;
};
constexpr ColumnAlias column_aliases[] = {
    {"r", "radius"},      {"diameter", "radius", 0.5},
    {"d", "radius", 0.5}, {"q0", "qw"},
    {"q1", "qx"},         {"q2", "qy"},
    {"q3", "qz"},         {"quatw", "qw"},
    {"quati", "qx"},      {"quatj", "qy"},
    {"quatk", "qz"},      {"quat1", "qw"},
    {"quat2", "qx"},      {"quat3", "qy"},
    {"quat4", "qz"},      {"omegax", "wx"},
    {"omegay", "wy"},     {"omegaz", "wz"},
    {"shapex", "a", 0.5}, {"shapey", "b", 0.5},
    {"shapez", "c", 0.5}, {"xu", "x"},
    {"yu", "y"},          {"zu", "z"},
};

class HeaderReader {
 public:
  HeaderReader(const CsvLine& line, char separator, const std::string& shown, TableFaults& faults)
      : line_(line), fields_(split_csv(line.text, separator)), shown_(shown), faults_(faults) {}

  /// Does the first line have names? Reports an error if it has only numbers.
  bool is_header() {
    const bool named = std::any_of(fields_.begin(), fields_.end(),
                                   [](const CsvField& f) { return std::isnan(csv_number(f.text)); });
    if (!named)
      add(0, "", "must have the names of the columns, but has numbers", line_.text,
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
        const auto field = find_column(group.columns[i]);
        if (field) map[g].push_back(*field);
        if (!field) absent.emplace_back(group.columns[i]);
      }
      if (absent.empty() || (map[g].empty() && g != position_group)) continue;
      missing(absent);
      map[g].clear();
    }
    for (const ColumnAlias& alias : column_aliases) known.emplace_back(alias.name);
    for (const CsvField& field : fields_)
      if (warns_of_unknown_) unknown(field, known);
    return map;
  }

  void warn_of_unknown(bool warns) { warns_of_unknown_ = warns; }

  /// The field of a column, found by the column's name or an alias.
  std::optional<FieldOf> find_column(std::string_view name) {
    std::optional<FieldOf> found;
    if (const auto field = find(name)) found = FieldOf{*field};
    for (const ColumnAlias& alias : column_aliases) {
      if (alias.column != name) continue;
      const auto field = find(alias.name);
      if (!field) continue;
      if (found)
        add(fields_[*field].column, std::string(alias.name),
            fmt::format("has the same meaning as the column {}", fields_[found->field].text));
      found = FieldOf{*field, alias.factor};
    }
    return found;
  }

  std::optional<std::size_t> find(std::string_view name) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (lower(fields_[i].text) != name) continue;
      if (found) add(fields_[i].column, std::string(name), "is the name of two columns");
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
    for (const CsvField& field : fields_) there.push_back(field.text);
    add(0, fmt::format("{}", fmt::join(absent, ", ")),
        fmt::format("{} missing; the first line has {}",
                    absent.size() > 1 ? "these columns are" : "this column is", fmt::join(there, ", ")));
  }

  void unknown(const CsvField& field, const std::vector<std::string>& known) {
    const std::string name(field.text);
    if (std::find(known.begin(), known.end(), lower(name)) != known.end()) return;
    Fault warning;
    warning.where = {shown_, line_.number, field.column};
    warning.key_path = name;
    warning.problem = "is not a known column; it is ignored";
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
  std::vector<CsvField> fields_;
  const std::string& shown_;
  TableFaults& faults_;
  bool warns_of_unknown_ = true;
};

/// The lines of a table, and the columns according to its first line.
struct CsvTable {
  std::shared_ptr<const std::vector<CsvLine>> lines;
  std::string shown;
  char separator = ',';
  std::size_t width = 0;  // number of fields of a line
  ColumnMap map{};
  std::optional<std::size_t> material{}, time{};  // their fields
  bool has_types = false;                         // are materials given as types of LAMMPS, counted from 1?

  std::size_t rows() const { return lines->size() - 1; }
  const CsvLine& row(std::size_t k) const { return (*lines)[k + 1]; }
};

void read_rows(const CsvTable& csv, TableValues& table, ValueFaults& faults) {
  std::optional<std::string_view> moment;  // time of the first complete row
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const CsvLine& line = csv.row(row);
    const std::vector<CsvField> fields = split_csv(line.text, csv.separator);
    table.lines.push_back(line.number);
    Fault fault;
    if (fields.size() != csv.width) {
      fault.where = {csv.shown, line.number, 1};
      fault.problem =
          fmt::format("has {} values, but the first line has {} columns", fields.size(), csv.width);
      faults.add(fault);
      continue;
    }
    for (std::size_t g = 0; g < csv.map.size(); ++g) {
      for (const FieldOf& of : csv.map[g])
        table.values[g].push_back(of.factor * csv_number(fields[of.field].text, csv.separator));
    }
    if (csv.material) {
      const std::string text(fields[*csv.material].text);
      const double type = csv.has_types ? csv_number(text) : 0.0;
      table.material.push_back(type >= 1.0 && type < 1e6 ? fmt::format("{}", static_cast<int>(type) - 1)
                                                         : text);
    }
    if (!csv.time) continue;
    const CsvField& time = fields[*csv.time];
    if (!moment) moment = time.text;
    if (time.text == *moment) continue;
    fault.where = {csv.shown, line.number, time.column};
    fault.key_path = "time_s";
    fault.problem = "has more than one time; a table must have one";
    fault.value = std::string(time.text);
    fault.suggestion = "export a single time: scree export --to csv --time";
    faults.add(fault);
    return;
  }
}

}  // namespace

namespace {

/// The first line has the names of the columns. If no separator is given, it is found from the first line.
TableValues read_rows_of(std::vector<CsvLine> lines, std::optional<char> separator, const std::string& shown,
                         TableFaults& faults);

}  // namespace

TableValues read_csv(const std::filesystem::path& file, const std::string& shown, TableFaults& faults) {
  std::string problem;
  const std::optional<std::string> bytes = read_bytes(file, problem);
  if (bytes) return read_csv_text(*bytes, shown, faults);
  Fault fault;
  fault.where.file = shown;
  fault.problem = problem;
  faults.faults.push_back(fault);
  return {};
}

TableValues read_csv_text(const std::string& bytes, const std::string& shown, TableFaults& faults) {
  return read_rows_of(csv_lines(bytes), std::nullopt, shown, faults);
}

TableValues read_particles(const std::string& text, const std::string& shown, TableFaults& faults) {
  std::optional<ParticleRows> rows = read_particle_text(text, shown, faults);
  if (!rows) return {};
  return read_rows_of(std::move(rows->lines), rows->separator, shown, faults);
}

namespace {

TableValues read_rows_of(std::vector<CsvLine> lines, std::optional<char> separator, const std::string& shown,
                         TableFaults& faults) {
  CsvTable csv{.lines = std::make_shared<const std::vector<CsvLine>>(std::move(lines)), .shown = shown};
  const bool is_of_particles = separator.has_value();
  Fault empty;
  empty.where.file = shown;
  if (csv.lines->empty()) {
    empty.problem = "is empty; the first line must have the names of the columns";
    faults.faults.push_back(empty);
    return {};
  }
  const std::size_t before = faults.faults.size();
  const CsvLine& first = csv.lines->front();
  csv.separator = separator.value_or(csv_separator(first.text));
  csv.width = split_csv(first.text, csv.separator).size();
  constexpr std::size_t most_columns = 1000;
  if (csv.width > most_columns) {
    empty.problem = fmt::format("has {} columns, but at most {} are possible", csv.width, most_columns);
    faults.faults.push_back(empty);
    return {};
  }
  HeaderReader header(first, csv.separator, shown, faults);
  header.warn_of_unknown(!is_of_particles);
  if (!header.is_header()) return {};
  csv.map = header.read();
  csv.material = header.find("material");
  if (!csv.material && is_of_particles) {
    csv.material = header.find("type");
    csv.has_types = csv.material.has_value();
  }
  csv.time = header.find("time_s");
  if (csv.rows() == 0) {
    empty.problem = "has no bodies";
    faults.faults.push_back(empty);
  }
  if (faults.faults.size() > before) return {};

  TableValues table;
  {
    ValueFaults row_faults(faults.faults);
    read_rows(csv, table, row_faults);
  }
  if (faults.faults.size() > before) return {};
  table.rows = table.lines.size();
  table.may_ignore_materials = is_of_particles;
  table.fault_at = [csv](std::size_t group, std::size_t row, std::size_t column) {
    const CsvLine& line = csv.row(row);
    const CsvField field = split_csv(line.text, csv.separator)[csv.map[group][column].field];
    Fault fault;
    fault.where = {csv.shown, line.number, field.column};
    fault.key_path = column_groups[group].columns[column];
    fault.value = '"' + std::string(field.text) + '"';
    fault.unit = column_groups[group].unit;
    return fault;
  };
  return table;
}

}  // namespace

}  // namespace scree::io
