// Energy and momentum balances of a step.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Transfers impulses of the solution of one (sub)step of h to contacts and joints, with the share with which
/// the next one begins: of an impulse that stopped an impact only the rest, because the part m_eff |u_n-|
/// belongs to the past and would push the bodies apart. It also computes:
///
/// Work, added to the ledger: over a step of size h bodies move by h (v- + v+) / 2, with v- the velocity
/// before gravity and contacts act and v+ the velocity after. So an impulse p on a body does the work
/// p.J(v- + v+) / 2, and with this mean velocity the ledger closes to rounding. (D1) Between two bodies this
/// is the energy dissipated by friction and impact. At a moving boundary, the dissipated energy is that of
/// the relative motion, and the rest is the boundary's work.
///
/// The tangential work of a contact is booked as friction if it is dissipation; otherwise it is booked
/// as normal work, because the normal impulse is its source.
///
/// Momentum error: momentum that bodies gained from contacts beyond that from boundaries and sleeping bodies,
/// over the sum of |impulse| (for the angular part: of its moment about the origin) plus a millionth of the
/// sum of |m v|, since it is a difference of momenta; 0 without impulses. The report keeps the largest.
///
/// Counts: contacts, active contacts, bodies in collision, overlap; including resting contacts. Loads on the
/// boundaries are added up.
void take_impulses(const Model& model, double h, Workspace& workspace, State& state, StepResult& result);

}  // namespace scree
