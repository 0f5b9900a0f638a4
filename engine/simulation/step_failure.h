// What keeps a run from going on.
#pragma once

#include "engine/simulation/diagnostics.h"

namespace scree {

/// Of a step that was done: are its numbers finite, are all bodies where they may be?
StepFailure failure_after(const Model& model, const State& state, const StepResult& result);

/// The first body whose numbers are not finite, or else the fastest one, and where it is, in words.
std::string broken_body(const Model& model, const Bodies& bodies);

}  // namespace scree
