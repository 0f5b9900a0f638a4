// Energy and momentum balances of a step.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Balances of the contacts and rows of one (sub)step of h, whose impulses the contacts have.
///
/// Work, added to the ledger: over a step of size h bodies move by h (v- + v+) / 2 with v- the velocity
/// before gravity and contacts act and v+ the one after, so an impulse p on a body does the work p.J(v- + v+)
/// / 2, and with this mean velocity the ledger closes to rounding. (D1) Between two bodies it is what
/// friction and impact take; against a boundary that moves, what it takes is that of the relative motion, and
/// the rest is the boundary's work.
///
/// Momentum that the bodies gained from contacts beyond what the boundaries and sleepers gave them, over the
/// sum of |impulse| (and of its moment about the origin for the angular part); 0 where there are no impulses.
/// Keeps the largest in the report.
///
/// Counts: contacts, active contacts, bodies in collision, overlap; resting contacts among them. Loads of the
/// boundaries are added up.
void balance(const Model& model, const State& state, double h, Workspace& workspace, StepResult& result);

}  // namespace scree
