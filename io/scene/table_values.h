// A table of bodies as numbers, before it is checked, for all file formats.
#pragma once

#include <array>
#include <functional>

#include "io/scene/body_table.h"

namespace scree::io {

namespace hdf5 {
class File;
}

/// Columns that occur together or not at all.
struct ColumnGroup {
  const char* dataset;                 // name in HDF5
  std::array<const char*, 4> columns;  // names in CSV
  std::size_t width;                   // number of columns
  const char* unit;
};

enum GroupNumber : std::size_t {
  position_group,
  orientation_group,
  semi_axes_group,
  velocity_group,
  angular_group,
  radius_group
};

inline constexpr std::array column_groups{
    ColumnGroup{"position", {"x", "y", "z"}, 3, "m"},
    ColumnGroup{"orientation", {"qw", "qx", "qy", "qz"}, 4, ""},
    ColumnGroup{"semi_axes", {"a", "b", "c"}, 3, "m"},
    ColumnGroup{"velocity", {"vx", "vy", "vz"}, 3, "m/s"},
    ColumnGroup{"angular_velocity", {"wx", "wy", "wz"}, 3, "rad/s"},
    ColumnGroup{"radius", {"radius"}, 1, "m"},
};

struct TableValues {
  std::size_t rows = 0;
  std::array<std::vector<double>, column_groups.size()>
      values;                         // [group][row * width + column]; empty if absent
  std::vector<std::string> material;  // [row] name or number; empty if absent
  std::vector<int> lines;             // [row], text files only
  bool may_ignore_materials = false;  // do materials give way to one that the scene names?
  /// A fault that knows its place and shows the value there.
  std::function<Fault(std::size_t group, std::size_t row, std::size_t column)> fault_at;
};

/// After a fault of the file as a whole, both return no rows.
TableValues read_csv(const std::filesystem::path& file, const std::string& shown, TableFaults& faults);
TableValues read_hdf5(const std::filesystem::path& file, const std::string& shown, TableFaults& faults);
TableValues read_csv_text(const std::string& bytes, const std::string& shown, TableFaults& faults);
/// Formats of particle_files.h.
TableValues read_particles(const std::string& text, const std::string& shown, TableFaults& faults);
/// Throws hdf5::Error where the file as a whole cannot be read.
TableValues read_hdf5(const hdf5::File& file, const std::string& shown, TableFaults& faults);

/// Checks the values. After a fault of the whole file the table is empty.
BodyTable judged_table(const TableValues& values, const std::string& shown, TableFaults& faults);

/// Collects faults of values; the destructor drops those beyond max_faults_of_a_table and adds their
/// number.
class ValueFaults {
 public:
  explicit ValueFaults(std::vector<Fault>& faults) : faults_(faults) {}
  ~ValueFaults();
  ValueFaults(const ValueFaults&) = delete;
  ValueFaults& operator=(const ValueFaults&) = delete;

  void add(const Fault& fault);

 private:
  std::vector<Fault>& faults_;
  std::size_t count_ = 0;
};

}  // namespace scree::io
