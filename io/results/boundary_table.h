// boundaries.csv: one row a step and boundary.
#pragma once

#include <span>

#include "engine/simulation/diagnostics.h"
#include "io/results/row_file.h"

namespace scree::io {

/// What the bodies did to each boundary: mean force and torque over the step, work and power.
class BoundaryTable {
 public:
  BoundaryTable(const std::filesystem::path& path, const Boundaries& boundaries);

  void append(const StepReport& report, std::span<const BoundaryLoad> loads);
  void close() { rows_.close(); }

 private:
  std::vector<std::string> names_;  // as CSV has them
  RowFile rows_;
};

}  // namespace scree::io
