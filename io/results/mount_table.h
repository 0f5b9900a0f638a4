// mounts.csv: one row a step and mount.
#pragma once

#include "io/results/load_table.h"

namespace scree::io {

/// Where each mount is, how fast it moves and what moved it. Forces are along its axis, N, or of a hinge
/// moments about it, N m.
class MountTable : public LoadTable<MountLoad> {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  MountTable(const std::filesystem::path& path, const std::vector<Mount>& mounts, std::int64_t at = 0);
};

/// The columns of numbers.
std::vector<std::string> mount_quantities();
/// One of these of a mount in a step of a length. Precondition: there is one of this name.
double mount_quantity(const std::string& name, const MountLoad& load, double time_step_s);

}  // namespace scree::io
