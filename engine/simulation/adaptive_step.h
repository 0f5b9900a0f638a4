// How long steps are: all alike, or as long as what the last ones met allows.
//
// An adaptive step is at most largest_time_step, and is so short that, with q = sqrt(overlap / 0.001),
// overlap that of the settings and c the smallest length of a body (of a contact: the smaller of the two),
//   - no body moves by more than half of its own c:        h <= 0.5 c / (|v| + (R - c) |w|)
//   - what met in the last step, at the speed u_n, does
//     not approach by more than a part of c in the next:   h <= 0.15 q c / |u_n| (A6)
//   - free fall does not lead far:                         h <= 0.06 q sqrt(c / |g|)
// Within these it grows by a tenth a step, falls by a fifth where a step had to be halved, or left velocities
// unsolved that lead further than overlap * c in it, and by sqrt(aim / deepest overlap) where that grew
// beyond the aim, overlap + slop.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// A step that is to be taken, s.
struct StepPlan {
  double h;       // its length, substeps together
  double next_h;  // of the step after it; that may become shorter, but not longer
  double end_s;   // simulated time after it
};

/// The next step from where the state stands. An adaptive one does not go beyond `land_at_s`: of what is left
/// until there it is a whole part, so that no short step is left over, and the last one ends at that very
/// number. A piecewise step ends at the next whole multiple of time_step_s, or there.
StepPlan plan_step(const Model& model, const State& state, double land_at_s);

/// The first step of a run, s, if it does not have to land before.
double first_step(const Model& model, const Bodies& bodies);

/// Makes the impulses that the state remembers, which are those of a step of memory.last_s, those of one of
/// h.
void carry_impulses_to(double h, State& state);

/// After a step: notes its length, and chooses those of the next ones if they are adaptive (A6), from the
/// step's problem and report.
void choose_next_steps(const Model& model, const StepPlan& done, const Workspace& workspace,
                       const StepReport& report, State& state);

}  // namespace scree
