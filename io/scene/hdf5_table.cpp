#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "io/files/hdf5_file.h"
#include "io/scene/table_values.h"

namespace scree::io {

namespace {

constexpr ColumnGroup material_dataset{"material", {"material"}, 1, ""};

/// Reads the values of a dataset [n, width]. Returns the problem, or an empty text.
std::string read_dataset(const hdf5::File& file, const ColumnGroup& group, std::vector<double>& values,
                         std::size_t& rows) try {
  const std::vector<std::uint64_t> shape = file.dimensions(group.dataset);
  const bool list = shape.size() == 1 && group.width == 1;
  if (!list && (shape.size() != 2 || shape[1] != group.width))
    return group.width == 1 ? "must have the shape [n]"
                            : fmt::format("must have the shape [n, {}]", group.width);
  rows = static_cast<std::size_t>(shape[0]);
  values = file.read_wide<double>(group.dataset, 0, rows, group.width);
  return "";
} catch (const hdf5::Error& error) {
  const std::string problem = error.what(), name = std::string(group.dataset) + ": ";
  return problem.starts_with(name) ? problem.substr(name.size()) : problem;
}

}  // namespace

TableValues read_hdf5(const std::filesystem::path& file, const std::string& shown, TableFaults& faults) try {
  return read_hdf5(hdf5::File(file), shown, faults);
} catch (const hdf5::Error& error) {
  Fault fault;
  fault.where.file = shown;
  fault.problem = error.what();
  faults.faults.push_back(fault);
  return {};
}

TableValues read_hdf5(const hdf5::File& file, const std::string& shown, TableFaults& faults) {
  const auto add = [&](const std::string& key, const std::string& problem) {
    Fault fault;
    fault.where.file = shown;
    fault.key_path = key;
    fault.problem = problem;
    faults.faults.push_back(fault);
  };
  const std::size_t before = faults.faults.size();
  TableValues table;
  for (std::size_t g = 0; g < column_groups.size(); ++g) {
    const ColumnGroup& group = column_groups[g];
    if (!file.has(group.dataset)) {
      if (g == position_group) add(group.dataset, "is missing; every table needs this dataset");
      continue;
    }
    std::size_t rows = 0;
    const std::string problem = read_dataset(file, group, table.values[g], rows);
    if (!problem.empty()) {
      add(group.dataset, problem);
    } else if (g == position_group) {
      table.rows = rows;
      if (rows == 0) add(group.dataset, "has no bodies");
    } else if (rows != table.rows && faults.faults.size() == before) {
      add(group.dataset, fmt::format("has {} rows, but position has {}", rows, table.rows));
    }
  }
  if (file.has(material_dataset.dataset)) {
    std::vector<double> numbers;
    std::size_t rows = 0;
    std::string problem = read_dataset(file, material_dataset, numbers, rows);
    if (problem.empty() && rows != table.rows)
      problem = fmt::format("has {} rows, but position has {}", rows, table.rows);
    if (!problem.empty()) add(material_dataset.dataset, problem);
    for (const double number : numbers) table.material.push_back(fmt::format("{:g}", number));
  }
  if (faults.faults.size() > before) return {};
  const auto values = table.values;
  table.fault_at = [values, shown](std::size_t group, std::size_t row, std::size_t column) {
    Fault fault;
    fault.where.file = shown;
    fault.key_path = fmt::format("{}[{}, {}]", column_groups[group].dataset, row, column);
    fault.value = fmt::format("{}", values[group][row * column_groups[group].width + column]);
    fault.unit = column_groups[group].unit;
    return fault;
  };
  return table;
}

}  // namespace scree::io
