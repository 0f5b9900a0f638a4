// joints.csv: one row a step and joint; machine.csv: one row a step.
#pragma once

#include "io/results/load_table.h"

namespace scree::io {

/// Where each joint stands, what it bears and what acts in it: means of the step, on b.
class JointTable : public LoadTable<JointLoad> {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  JointTable(const std::filesystem::path& path, const std::vector<MachineJoint>& joints, std::int64_t at = 0);
};
/// The columns of numbers.
std::vector<std::string> joint_quantities();
/// One of these of a joint in a step of a length. Precondition: there is one of this name.
double joint_quantity(const std::string& name, const JointLoad& load, double time_step_s);

/// Energy of free mounts and of springs in joints, and what changed it.
class MachineTable : public LoadTable<MachineReport> {
 public:
  explicit MachineTable(const std::filesystem::path& path, std::int64_t at = 0);
};

}  // namespace scree::io
