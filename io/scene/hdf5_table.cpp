#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "io/files/hdf5_objects.h"
#include "io/scene/table_values.h"

namespace scree::io {

namespace {

constexpr ColumnGroup material_dataset{"material", {"material"}, 1, ""};

/// Values of a dataset [n, width], or what is wrong with it.
std::string read_dataset(hid_t file, const ColumnGroup& group, std::vector<double>& values,
                         std::size_t& rows) try {
  const hdf5::Handle dataset = hdf5::open_dataset(file, group.dataset);
  const std::vector<hsize_t> shape = hdf5::dimensions(dataset);
  const bool list = shape.size() == 1 && group.width == 1;
  if (!list && (shape.size() != 2 || shape[1] != group.width))
    return group.width == 1 ? "must have the shape [n]"
                            : fmt::format("must have the shape [n, {}]", group.width);
  const hdf5::Handle type(H5Dget_type(dataset.get()), H5Tclose, group.dataset);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return "must hold numbers";
  rows = static_cast<std::size_t>(shape[0]);
  values.resize(rows * group.width);
  if (rows > 0)
    hdf5::read_box(dataset, H5T_NATIVE_DOUBLE, {std::vector<hsize_t>(shape.size(), 0), shape}, values.data());
  return "";
} catch (const hdf5::Error& error) {
  return std::string("cannot be read as a dataset: ") + error.what();
}

}  // namespace

TableValues read_hdf5(const std::filesystem::path& file, const std::string& shown, TableFaults& faults) {
  hdf5::print_no_errors();
  const auto add = [&](const std::string& key, const std::string& problem) {
    Fault fault;
    fault.where.file = shown;
    fault.key_path = key;
    fault.problem = problem;
    faults.faults.push_back(fault);
  };
  hdf5::Handle opened;
  try {
    opened = hdf5::open_file(file.string());
  } catch (const hdf5::Error&) {
    add("", "is not an HDF5 file, or is damaged");
    return {};
  }
  const std::size_t before = faults.faults.size();
  TableValues table;
  for (std::size_t g = 0; g < column_groups.size(); ++g) {
    const ColumnGroup& group = column_groups[g];
    if (!hdf5::has_link(opened.get(), group.dataset)) {
      if (g == position_group) add(group.dataset, "this dataset is missing");
      continue;
    }
    std::size_t rows = 0;
    const std::string problem = read_dataset(opened.get(), group, table.values[g], rows);
    if (!problem.empty()) {
      add(group.dataset, problem);
    } else if (g == position_group) {
      table.rows = rows;
      if (rows == 0) add(group.dataset, "holds no bodies");
    } else if (rows != table.rows && faults.faults.size() == before) {
      add(group.dataset, fmt::format("has {} rows, position has {}", rows, table.rows));
    }
  }
  if (hdf5::has_link(opened.get(), material_dataset.dataset)) {
    std::vector<double> numbers;
    std::size_t rows = 0;
    std::string problem = read_dataset(opened.get(), material_dataset, numbers, rows);
    if (problem.empty() && rows != table.rows)
      problem = fmt::format("has {} rows, position has {}", rows, table.rows);
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
