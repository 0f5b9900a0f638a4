// The order of bodies in memory.
#pragma once

#include "engine/simulation/model.h"

namespace scree {

/// Puts bodies that are close into slots that are close: larger sizes first (by factors of two), along a
/// Z-curve within a size. What the next step uses is near in memory then, and visits of contacts are compact
/// in space (engine/solver/colouring.h). Ids stay with their bodies; the memory of contacts is renumbered
/// along. Depends on the state alone. Cost linear in bodies and contacts.
void sort_bodies(const Shapes& shapes, State& state);

}  // namespace scree
