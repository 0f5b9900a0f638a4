// Grains that come and go: between steps, before anything moves.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"

namespace scree {

class Decomposition;  // engine/simulation/ranks/decomposition.h

/// Takes out what is in an outlet or out of the domain, then lets in what the inlets are due to have made by
/// now, where there is room. In a periodic cell who has an image in an outlet is in it, and new grains
/// overlap no image; they have the velocity of the cell's flow at their place on top of their own. Depends on
/// model and state alone: grain n of an inlet is the same whatever else happens, its place is the first free
/// one of those tried in the first step that finds one. Cost linear in the bodies, in steps with something to
/// do; by a removal also in the contacts.
/// `decomposition`: where the state is a rank's part.
void insertion(const Model& model, State& state, StepReport& report, Decomposition* decomposition = nullptr);

/// kg that an inlet is due to have made at a time, or grains.
double due(const Inlet& inlet, double time_s);

/// Is one of this number of random places in the inlet's region free of walls for such a grain?
bool has_place(const Model& model, const Inlet& inlet, const InletGrain& grain, int attempts, double time_s);

}  // namespace scree
