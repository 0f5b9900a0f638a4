// One time step, and its report.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Advances the state by one time step and fills the result; returns its report. State and result depend on
/// model and state alone, bit for bit, on any number of threads. The workspace may be discarded between
/// steps. Numerical problems are in the report; a reason that ends the run is in the result's `failure`
/// (tests: StepFailure). Throws only exceptions of memory allocation and of the scene's functions.
/// An adaptive step ends at `land_at_s` or before; one of the following ones ends exactly there.
const StepReport& step(const Model& model, State& state, Workspace& workspace, StepResult& result,
                       double land_at_s = infinity);

}  // namespace scree
