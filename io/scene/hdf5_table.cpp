#include <algorithm>
#include <fmt/format.h>
#include <hdf5.h>
#include <optional>

#include "io/scene/table_values.h"

namespace scree::io {

namespace {

/// Closes an HDF5 object when it goes.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// HDF5 prints a trace for every call that fails; what fails here is told as a fault instead.
class SilentErrors {
 public:
  SilentErrors() {
    H5Eget_auto2(H5E_DEFAULT, &printer_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~SilentErrors() { H5Eset_auto2(H5E_DEFAULT, printer_, data_); }
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  H5E_auto2_t printer_ = nullptr;
  void* data_ = nullptr;
};

/// The values of a dataset [n, width], or what is wrong with it.
std::string read_dataset(hid_t file, const ColumnGroup& group, std::vector<double>& values,
                         std::size_t& rows) {
  const Handle dataset(H5Dopen2(file, group.dataset, H5P_DEFAULT), H5Dclose);
  if (dataset < 0) return "is not a dataset";
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  if (rank != 2 || shape[1] != group.width) return fmt::format("must have the shape [n, {}]", group.width);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return "must hold numbers";
  rows = static_cast<std::size_t>(shape[0]);
  values.resize(rows * group.width);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return "cannot be read";
  return "";
}

}  // namespace

TableValues read_hdf5(const std::filesystem::path& file, const std::string& shown, TableFaults& faults) {
  const SilentErrors silent;
  const auto add = [&](const std::string& key, const std::string& problem) {
    Fault fault;
    fault.where.file = shown;
    fault.key_path = key;
    fault.problem = problem;
    faults.faults.push_back(fault);
  };
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (opened < 0) {
    add("", "is not an HDF5 file, or is damaged");
    return {};
  }
  const std::size_t before = faults.faults.size();
  TableValues table;
  for (std::size_t g = 0; g < column_groups.size(); ++g) {
    const ColumnGroup& group = column_groups[g];
    if (H5Lexists(opened, group.dataset, H5P_DEFAULT) <= 0) {
      if (g == position_group) add(group.dataset, "this dataset is missing");
      continue;
    }
    std::size_t rows = 0;
    const std::string problem = read_dataset(opened, group, table.values[g], rows);
    if (!problem.empty()) {
      add(group.dataset, problem);
    } else if (g == position_group) {
      table.rows = rows;
      if (rows == 0) add(group.dataset, "holds no bodies");
    } else if (rows != table.rows && faults.faults.size() == before) {
      add(group.dataset, fmt::format("has {} rows, position has {}", rows, table.rows));
    }
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
