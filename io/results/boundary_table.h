// boundaries.csv: one row a step and boundary.
#pragma once

#include "engine/simulation/model.h"
#include "io/results/load_table.h"

namespace scree::io {

/// What the bodies did to each boundary: mean force and torque over the step, work and power.
class BoundaryTable : public LoadTable<BoundaryLoad> {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  BoundaryTable(const std::filesystem::path& path, const Boundaries& boundaries, std::int64_t at = 0);
  /// kinematic.csv: the same of kinematic bodies.
  BoundaryTable(const std::filesystem::path& path, const std::vector<KinematicGroup>& kinematic_groups,
                std::int64_t at = 0);
};

/// The columns of numbers, and force_N and torque_N_m, the sizes of the two vectors.
std::vector<std::string> boundary_quantities();
/// One of these of a load in a step of a length. Precondition: there is one of this name.
double boundary_quantity(const std::string& name, const BoundaryLoad& load, double time_step_s);

}  // namespace scree::io
