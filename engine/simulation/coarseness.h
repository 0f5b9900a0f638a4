// How coarse a step was for what moved in it.
#pragma once

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Of a step that has just been made; walls as its last detection placed them. Costs next to nothing where
/// nothing is fast.
Coarseness coarseness(const Model& model, const StepPlan& plan, const State& state, const Workspace& w);

/// How far a boundary's prescribed way leaves, in a step from begin_s on, the even motion that takes it from
/// its place at the start to that at the end, m; of points up to `radius_m` from its centre. Seven times in
/// the step are looked at.
double detour(const Boundary& boundary, const MotionClock& clock, double begin_s, double h, double radius_m);

}  // namespace scree
