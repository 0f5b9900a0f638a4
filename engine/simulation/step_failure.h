// Reasons that end a run.
#pragma once

#include "engine/simulation/diagnostics.h"

namespace scree {

/// Checks a completed step: are its numbers finite, are all bodies where they may be?
StepFailure failure_after(const Model& model, const State& state, const StepResult& result);

/// Text about the first body whose numbers are not finite, or else the fastest one, with its place.
std::string broken_body(const Model& model, const Bodies& bodies);

}  // namespace scree
