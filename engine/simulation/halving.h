// Steps that are done as halves: which, and what it takes.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// How often an interval may be cut in two.
inline constexpr int most_halvings = 3;

/// Does the solution turn a body so much that its contacts, which bend with the spins before, would overlap
/// until they are looked at next, in t seconds? A body that is not round comes nearer by about
///   (R - c)/2 t^2 |w+ - w-| |w+ + w-| (A5)
/// than they foresee, with R its largest and c its smallest radius.
bool turns_too_far(const Model& model, const State& state, double t, const Workspace& workspace);

/// Impulses of contacts, resting ones too, and of joints, where an interval is so many times as long as the
/// one that they come from.
void scale_impulses(double factor, State& state);

}  // namespace scree
