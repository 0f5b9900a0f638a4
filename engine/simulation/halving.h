// Halving of steps: which steps are halved, and helpers.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Largest number of successive halvings of an interval, and of those for rotations.
inline constexpr int most_halvings = 6, most_by_turns = 3;

/// Does the solution rotate a body so far that its contacts, which were predicted with the old spins, would
/// overlap at the next detection, in t seconds? A non-round body comes nearer by about
///   (R - c)/2 t^2 |w+ - w-| |w+ + w-| (A5)
/// than predicted, with R its largest and c its smallest radius.
bool turns_too_far(const Model& model, const State& state, double t, const Workspace& workspace);

/// Does the solution make a body so fast that in t seconds it leads into others which were not looked for
/// (A5b)? The detection assumes the speeds before the solution, that of the fastest neighbour included.
/// Grains that are squeezed out, or at the far end of a chain that is struck, become faster.
bool is_shot_away(const Model& model, const State& state, double t, const Workspace& workspace);

/// Scales impulses of contacts (including resting ones) and of joints if an interval is `factor` times as
/// long as the one from which they come.
void scale_impulses(double factor, State& state);

}  // namespace scree
