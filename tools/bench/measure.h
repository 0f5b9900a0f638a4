// Timing steps of a scene.
#pragma once

#include <span>

#include "tools/bench/prepare.h"

namespace scree {

struct BenchPlan {
  int repeats = 5;
  int warm_up = 2;  // untimed steps at the start of every repeat: they make room in the workspace
  int steps = 50;   // timed
  int residual_steps =
      10;  // timed, at most, where a residual is to be reached; whole runs are whole all the same
  double patience_s = 60.0;  // no more repeats of a variant that has been timed for so long
};

/// One way to step a prepared scene.
struct BenchVariant {
  int threads = 1;
  SolverKind solver = SolverKind::gauss_seidel;
  double residual_target = 0.0;  // 0: tolerance and most sweeps of the scene
  bool cold = false;             // without warm start
  bool whole_run = false;        // from the prepared state to the end of the scene, in place of plan.steps
};

/// Most sweeps where a residual is to be reached.
inline constexpr int residual_max_sweeps = 1000;

/// Times the variants, each at least once, from the same state, taking turns, so that what disturbs the
/// machine for a while disturbs all alike. Leaves the number of threads set to that of the last variant.
/// `progress` is shown of whole runs, outside of what is timed.
std::vector<BenchCase> measure(const PreparedScene& prepared, std::span<const BenchVariant> variants,
                               const BenchPlan& plan, Progress::Style progress = Progress::Style::none);

}  // namespace scree
