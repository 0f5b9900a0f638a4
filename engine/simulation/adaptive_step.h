// Lengths of steps: constant, or chosen from the last steps.
//
// An adaptive step is at most largest_time_step. It is also limited as follows, with q = sqrt(overlap /
// 0.001), overlap from the settings, and c the smallest length of a body (for a contact: the smaller of the
// two):
//   - no body moves by more than half of its own c:        h <= 0.5 c / (|v| + (R - c) |w|)
//   - bodies that met in the last step, at the speed u_n, do
//     not approach by more than a share of c in the next:  h <= 0.15 q c / |u_n| (A6)
//   - free fall leads only a short distance:               h <= 0.06 q sqrt(c / |g|)
// Within these limits it grows by a tenth per step. It shrinks by a fifth if a step had to be halved, or left
// unsolved velocities that lead further than overlap * c in it. It shrinks by sqrt(aim / deepest overlap) if
// that overlap grew beyond the aim, overlap + slop.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Lengths of steps and intervals that differ by less, relatively, are equal: rounding of times.
inline constexpr double step_rounding = 1e-9;

/// The next step, s.
struct StepPlan {
  double h;       // its length, all substeps together
  double next_h;  // of the step after it; that may become shorter, but not longer
  double end_s;   // simulated time after it
  // Limit of the next interval: the length to which this step looked ahead if it was halved.
  double most_next_h = infinity;
};

/// The next step from the present state. An adaptive step does not go beyond `land_at_s`: the time until then
/// is divided into equal steps, so that no short step remains, and the last one ends at exactly that
/// number. A piecewise step ends at the next multiple of time_step_s, or there.
StepPlan plan_step(const Model& model, const State& state, double land_at_s);

/// After bodies came or were given velocities: an adaptive step is not longer than (A6) allows for the
/// present bodies.
void limit_next_step(const Model& model, State& state);

/// The first step of a run, s, if it need not end earlier.
double first_step(const Model& model, const Bodies& bodies);

/// Converts the impulses in the state, which belong to a step of memory.last_s, to a step of
/// h.
void carry_impulses_to(double h, State& state);

/// After a step: stores its length. If steps are adaptive, chooses the next lengths (A6) from the
/// step's problem and report.
void choose_next_steps(const Model& model, const StepPlan& done, const Workspace& workspace,
                       const StepReport& report, State& state);

}  // namespace scree
