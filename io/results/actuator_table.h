// models.csv: one row a step.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "io/results/row_file.h"

namespace scree::io {

/// What declarative models saw and gave at the end of each step. Members throw WriteError.
class ActuatorTable {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  ActuatorTable(const std::filesystem::path& path, const std::vector<Actuator>& actuators,
                std::int64_t at = 0);
  void append(const StepReport& report, const std::vector<ActuatorState>& actuators);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  RowFile rows_;
};

}  // namespace scree::io
