// Bonds: six rows of the contact problem each, from when they form until they break.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Are bonds of any kind to form in a step that begins at this time?
bool bonds_are_due(const Model& model, const State& state, double begin_s);

/// Gap up to which contacts have to be known for the bonds that are due, m.
double reach_of_bonds(const Model& model, const State& state, double begin_s);

/// Glues the pairs of those kinds that are due: from contacts, which have to be those of bodies as they are.
void form_bonds(const Model& model, double begin_s, const PlacedCell& cell, State& state, StepResult& result);

/// Fills workspace.bonded: between bodies that are glued, or that a joint holds at one point, there are no
/// contacts.
void list_bonded(const Model& model, const State& state, Workspace& workspace);

/// Where a bond is, all but its row.
BondPlace place_bond(const Bodies& bodies, const PlacedCell& cell, const Bond& bond);

/// Appends the rows of all bonds to those of contacts; fills workspace.bonds. With a deformation x, a spring
/// k and damping c along a row, and W of the row,
///   p = -h (k (x + theta h u) + c u),   theta = q^2 / (1 + q^2),   q = h^2 k W                       (A11)
/// which is exact to second order where steps resolve the spring's vibration, and stable where they do not;
/// of rigid bonds u + x / h = 0. Returns what bonds have to change, root of the mean square, m/s.
double add_bonds(const Model& model, const State& state, double h, Workspace& workspace);

/// Marks the bonds that the workspace's solution of a (sub)step of h overloads; did any break? The problem
/// has to be solved again without them then.
bool break_bonds(const Model& model, double h, State& state, Workspace& workspace);
/// Takes back what broke in the (sub)step.
void mend_bonds(State& state, Workspace& workspace);

/// Takes the solution's impulses into the bonds; reports what broke, and what is in the springs.
void take_bonds(const Model& model, double h, State& state, Workspace& workspace, StepResult& result);

/// Forgets the bonds that broke in the step.
void clear_broken(State& state);

}  // namespace scree
