// Halving of steps: which steps are halved, and helpers.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Largest number of successive halvings of an interval.
inline constexpr int most_halvings = 3;

/// Does the solution rotate a body so far that its contacts, which were predicted with the old spins, would
/// overlap at the next detection, in t seconds? A non-round body comes nearer by about
///   (R - c)/2 t^2 |w+ - w-| |w+ + w-| (A5)
/// than predicted, with R its largest and c its smallest radius.
bool turns_too_far(const Model& model, const State& state, double t, const Workspace& workspace);

/// Scales impulses of contacts (including resting ones) and of joints if an interval is `factor` times as
/// long as the one from which they come.
void scale_impulses(double factor, State& state);

}  // namespace scree
