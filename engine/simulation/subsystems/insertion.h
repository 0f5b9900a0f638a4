// Insertion and deletion of grains: between steps, before anything moves.
#pragma once

#include <span>

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"

namespace scree {

class Decomposition;  // engine/simulation/ranks/decomposition.h

/// Removes bodies in an outlet or outside of the domain, then inserts the grains that are due at the inlets,
/// if there is room. In a periodic cell a body with an image in an outlet is in it, and new grains
/// overlap no image; their velocity is their own plus the cell's flow at their place. Depends on
/// model and state alone: grain n of an inlet is the same in any case, and its place is the first free
/// one of those tried in the first step that finds one. Cost linear in the bodies, in steps with insertions
/// or deletions; for a deletion also in the contacts. `decomposition`: if the state is a rank's part.
void insertion(const Model& model, State& state, StepReport& report, Decomposition* decomposition = nullptr);

/// Mass (kg) or number of grains that an inlet must have inserted by a time.
double due(const Inlet& inlet, double time_s);

/// Mean mass of the grains of these kinds, by number, kg.
double mean_mass(std::span<const InletGrain> grains, const Model& model);

/// Is one of this number of random places in the inlet's region free of walls for such a grain?
bool has_place(const Model& model, const Inlet& inlet, const InletGrain& grain, int attempts, double time_s);

}  // namespace scree
