// Energy and momentum balances of a step.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Impulses of the solution of one (sub)step of h into contacts and joints, with the part of them that the
/// next one begins with: of an impulse that stopped an impact only the rest, for the part m_eff |u_n-|
/// belongs to the past and would throw the bodies apart. And what they did:
///
/// Work, added to the ledger: over a step of size h bodies move by h (v- + v+) / 2 with v- the velocity
/// before gravity and contacts act and v+ the one after, so an impulse p on a body does the work p.J(v- + v+)
/// / 2, and with this mean velocity the ledger closes to rounding. (D1) Between two bodies it is what
/// friction and impact take; against a boundary that moves, what it takes is that of the relative motion, and
/// the rest is the boundary's work.
///
/// The tangential part of a contact's work is friction's as far as it takes energy; what it seems to give is
/// booked as the normal part, whose impulse it comes from.
///
/// Momentum that the bodies gained from contacts beyond what the boundaries and sleepers gave them, over the
/// sum of |impulse| (and of its moment about the origin for the angular part) and a millionth of the sum of
/// |m v|, for it is a difference of momenta; 0 where no impulses are. Keeps the largest in the report.
///
/// Counts: contacts, active contacts, bodies in collision, overlap; resting contacts among them. Loads of the
/// boundaries are added up.
void take_impulses(const Model& model, double h, Workspace& workspace, State& state, StepResult& result);

}  // namespace scree
