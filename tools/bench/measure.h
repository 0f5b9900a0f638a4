// Times steps of a scene.
#pragma once

#include <span>

#include "tools/bench/prepare.h"

namespace scree {

struct BenchPlan {
  int repeats = 5;
  int warm_up = 2;  // untimed steps at the start of each repeat, which allocate the workspace
  int steps = 50;   // timed
  int residual_steps =
      10;  // timed, at most, if a residual is to be reached; whole runs are not shortened by it
  double patience_s = 60.0;  // a variant that has been timed for this time is not repeated further
};

/// One way to step a prepared scene.
struct BenchVariant {
  int threads = 1;
  SolverKind solver = SolverKind::gauss_seidel;
  double residual_target = 0.0;  // 0: tolerance and largest number of sweeps of the scene
  bool cold = false;             // without warm start
  bool whole_run = false;        // from the prepared state to the end of the scene, instead of plan.steps
};

/// Largest number of sweeps if a residual is the target.
inline constexpr int residual_max_sweeps = 1000;

/// Times the variants, each at least once, from the same state, alternating, so that temporary disturbances
/// of the machine affect all alike. Leaves the number of threads set to that of the last variant. `progress`
/// is shown for whole runs, outside of the timed parts.
std::vector<BenchCase> measure(const PreparedScene& prepared, std::span<const BenchVariant> variants,
                               const BenchPlan& plan, Progress::Style progress = Progress::Style::none);

}  // namespace scree
