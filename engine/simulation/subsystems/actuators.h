// Equations that drive motors: seen ahead before a step, moved after it.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// What motors get from their actuators in a step from `begin_s` on, if rates stay as they are: into the
/// workspace's joints, which are looked at. For a force also how it changes with the rate of its own joint at
/// the end of the step, where its drive looks at that; what else changes meanwhile, others' joints among it,
/// counts from the next step on. Starts actuators that have not begun.
void expect_actuators(const Model& model, double begin_s, double h, State& state, Workspace& workspace);

/// Moves actuators through a (sub)step, with what came of it.
void take_actuators(const Model& model, double begin_s, double h, const StepResult& result, State& state);

}  // namespace scree
