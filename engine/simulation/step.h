// One step of the method, and what it reports.
#pragma once

#include "engine/core/actuator_model.h"
#include "engine/detection/crowded_boxes.h"
#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Advances the state by one time step and fills the result; returns its report. State and result depend on
/// model and state alone, bit for bit, on any number of threads; the workspace may be thrown away between
/// steps. Numerical trouble is in the report. Throws CrowdedBoxes and ActuatorFailure where there can be no
/// step at all (test: Failures.OfAStepAreThrownAsDocumented); the state is then of no use.
/// An adaptive step ends at `land_at_s` or before, and one of the next exactly there.
const StepReport& step(const Model& model, State& state, Workspace& workspace, StepResult& result,
                       double land_at_s = infinity);

}  // namespace scree
