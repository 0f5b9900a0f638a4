// Selection of contacts that bounce, such that no impact creates energy.
#pragma once

#include "engine/simulation/assemble.h"
#include "engine/solver/solver.h"

namespace scree {

/// Solves for impulses and velocities of a (sub)step, for a problem made by assemble().
///
/// *Which contacts bounce.* A coefficient of restitution applies to contacts that carry an impulse while
/// bodies are stopped. Some contacts that would close on the free path do not: another contact of the same
/// step prevents this. So if bounces share a body with other active contacts, the problem is first solved
/// without restitution, and only contacts that carry an impulse there get restitution.
///
/// *Energy* (law `dissipative`). Newton's law may create energy if friction reverses a slip (Kane
/// 1984). If the contacts of an impact that are connected by impulses and bodies would do positive work
/// in total, sum p.(u- + u+)/2 > 0, their impulses are moved back towards those without restitution, p0,
///   p = p0 + share (p1 - p0),   share the largest of [0, 1] for which the sum is not positive. (A13)
/// All of these are in the cone, because it is convex; p0 dissipates energy for any friction.
///
/// Preconditions: workspace.problem, before and bounces are those of the step. Sets workspace.solution.
/// Contacts that do not bounce get their offsets without restitution. The report is that of the last
/// solution, with the sweeps of all.
SolveReport solve_with_restitution(const Model& model, double h, Workspace& workspace);

/// [contact] 1: it approaches, and another contact of the step prevents the impact, as above; empty: none.
/// For energetic impacts, whose problem has no restitution in its offsets.
std::vector<std::uint8_t> prevented_impacts(const Model& model, double h, Workspace& workspace);

/// Energy that restitution would have given back, J: e^2 times the energy dissipated by normal impulses in
/// contacts that are new in the (sub)step and stopped their bodies, faster than the threshold, after the
/// bounce of others had moved these; they do not bounce themselves. Without friction and with e = 1 it is all
/// energy dissipated by impacts.
double unreturned_energy(const Model& model, const State& state, const Interval& interval,
                         const Workspace& workspace);

}  // namespace scree
