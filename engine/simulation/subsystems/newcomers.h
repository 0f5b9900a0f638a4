// Bodies in their first step: contacts look at the middle of it first, and what lies before has to be free.
#pragma once

#include "engine/simulation/model.h"

namespace scree {

/// Bodies with this id or a higher one make their first step: of those that the half drift of h/2 would bring
/// into a wall or another body, or through it, without a contact seeing it, the place goes back by that
/// drift, so that they are in the middle of the step where they were given. Each is h/2 late from then on,
/// once; not where others come to that place meanwhile, and it would lie deeper in them. What lay in each
/// other from the start stays where it is. Returns how many were held back.
///
/// The way is looked at where the fastest has gone a quarter of its smallest length more each time, a
/// hundred times at most. Costs nothing where no newcomer moves.
std::int64_t hold_back_newcomers(const Model& model, BodyId first, double h, State& state);

}  // namespace scree
