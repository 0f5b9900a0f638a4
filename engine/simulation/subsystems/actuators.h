// Actuators: equations that drive motors, predicted before a step and advanced after it.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Predicts the actuators' outputs for motors in a step from `begin_s` on, at constant rates, and stores them
/// in the workspace's joints, which are inputs too. For a force also its derivative by the rate of its own
/// joint at the end of the step, if the actuator uses that rate. Other changes in the step, such as those of
/// other joints, count from the next step on. Starts actuators that have not started yet.
void expect_actuators(const Model& model, double begin_s, double h, State& state, Workspace& workspace);

/// Advances actuators through a (sub)step, with its results.
void take_actuators(const Model& model, double begin_s, double h, StepResult& result, State& state);

}  // namespace scree
