// Bonds: six rows each of the contact problem, from their formation until they break.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

inline constexpr int rows_of_bond = 6;

/// Must bonds of any kind form in a step that begins at this time?
bool bonds_are_due(const Model& model, const State& state, double begin_s);

/// Gap up to which contacts must be found for the bonds that are due, m.
double reach_of_bonds(const Model& model, const State& state, double begin_s);

/// Forms bonds of the kinds that are due, from contacts, which must be those of the bodies' present poses.
/// By ranks: all of them must call it, with the halo attached; each gets the bonds of all.
void form_bonds(const Model& model, double begin_s, Workspace& workspace, State& state, StepResult& result);

/// Fills the filter: pairs that a bond or a joint at one point holds have no contacts. By ranks: with the
/// halo attached.
void list_bonded(const Model& model, const State& state, const Workspace& workspace, CollisionFilter& filter);

/// All data of a bond in the (sub)step, except its row. Its turn is known up to 2 pi - 2.
BondPlace place_bond(const Bodies& bodies, const PlacedCell& cell, const Bond& bond);

/// Appends the rows of all bonds to those of contacts; fills workspace.bonds. With a deformation x, a spring
/// k and a damping c along a row, and W of the row,
///   p = -h (k (x + theta h u) + c u),   theta = q^2 / (1 + q^2),   q = h^2 k W                       (A11)
/// which is exact to second order if steps resolve the spring's vibration, and stable if they do not.
/// For rigid bonds u + x / h = 0. Returns the rms of the velocity changes that bonds require, m/s.
double add_bonds(const Model& model, const State& state, double h, Workspace& workspace);

/// Marks the bonds that the solution of a (sub)step of h overloads; did any break? Then the problem
/// must be solved again without them.
bool break_bonds(const Model& model, double h, State& state, Workspace& workspace);
/// Restores the bonds that broke in the (sub)step, and removes those that formed in it.
void undo_bonds(Workspace& workspace, State& state, StepResult& result);

/// Stores the solution's impulses in the bonds; reports broken bonds and the energy in the springs.
void take_bonds(const Model& model, double h, State& state, Workspace& workspace, StepResult& result);

/// Removes the bonds that broke in the step.
void clear_broken(State& state);

}  // namespace scree
