// One step of the method, and what it reports.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Advances the state by one time step and fills the result; returns its report. State and result depend on
/// model and state alone, bit for bit, on any number of threads; the workspace may be thrown away between
/// steps. Numerical trouble is in the report; what keeps the run from going on is in the result's `failure`
/// (tests: StepFailure). Throws nothing but what memory and the functions of a scene throw.
/// An adaptive step ends at `land_at_s` or before, and one of the next exactly there.
const StepReport& step(const Model& model, State& state, Workspace& workspace, StepResult& result,
                       double land_at_s = infinity);

}  // namespace scree
