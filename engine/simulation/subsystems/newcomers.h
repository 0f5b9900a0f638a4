// New bodies in their first step: detection is at the middle of the step, so the path before it must be free.
#pragma once

#include "engine/simulation/model.h"

namespace scree {

/// Bodies with this id or a higher one make their first step. The half drift of h/2 may bring them into a
/// wall or another body, or through it, before detection. Then their place is moved back by that drift, so
/// that they are at their given place in the middle of the step, and h/2 late from then on. This is not done
/// if others come to that place meanwhile and the overlap would be deeper. Overlaps from the start remain.
/// Returns the number of bodies moved back.
///
/// The path is checked each time the fastest body has moved a quarter of its smallest length, at most a
/// hundred times. Costs nothing if no new body moves.
std::int64_t hold_back_newcomers(const Model& model, BodyId first, double h, State& state);

}  // namespace scree
