// Tables of bodies from files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/errors.h"
#include "engine/core/types.h"

namespace scree::io {

/// All arrays are [body]; those that the file does not have are empty.
struct BodyTable {
  std::vector<Vec3> position;          // m
  std::vector<Quat> orientation;       // normalised
  std::vector<Vec3> semi_axes;         // m
  std::vector<Vec3> velocity;          // m/s
  std::vector<Vec3> angular_velocity;  // rad/s
  std::vector<std::string> material;   // names, or numbers of the scene's materials
  std::vector<int> lines;              // of a text file
  bool may_ignore_materials = false;   // do materials give way to one that the scene names?

  std::size_t size() const { return position.size(); }
};

/// Errors of a table, and warnings about ignored data.
struct TableFaults {
  std::vector<Fault> faults, warnings;
};

/// Says that a file is not there; empty if it is.
std::string table_problem(const std::filesystem::path& file);

/// Reads .csv, .h5 and .hdf5 by their ending, and others by their content (particle_files.h); precondition:
/// no table_problem. `shown` is what messages call the file. At most `max_faults_of_a_table` faults of values
/// are listed; one more says how many there are. With a fault of the whole file the table is empty.
///
/// CSV: the first line names the columns, in any order: x, y, z; qw, qx, qy, qz; a, b, c (semi-axes), or
/// radius; vx, vy, vz; wx, wy, wz; material. SI units. Only the first three are required; of each other
/// group all or none. Separators are commas, tabs or semicolons; a byte-order mark is allowed; lines that
/// begin with # are skipped. HDF5: datasets position [n, 3], orientation [n, 4] as w x y z, semi_axes [n, 3]
/// or radius [n], velocity [n, 3], angular_velocity [n, 3], material [n] (numbers); all except the first are
/// optional. Or a trajectory.h5, whose last frame is read.
BodyTable read_body_table(const std::filesystem::path& file, const std::string& shown, TableFaults& faults);

inline constexpr std::size_t max_faults_of_a_table = 5;

}  // namespace scree::io
