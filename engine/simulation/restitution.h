// Which contacts bounce, and that no impact gives more energy than it took.
#pragma once

#include "engine/simulation/assemble.h"
#include "engine/solver/solver.h"

namespace scree {

/// Impulses and velocities of a (sub)step, of a problem that assemble() has made.
///
/// *Who bounces.* A coefficient of restitution belongs to contacts that carry an impulse while bodies are
/// stopped. Of those that would close on the free path some do not: another contact of the same step prevents
/// them. Where bounces share a body with other contacts that act, the problem is therefore solved without
/// restitution first, and only contacts that carry an impulse there are asked for some.
///
/// *Energy* (law `dissipative`). Newton's law may create energy where friction turns a slip round (Kane
/// 1984). Where the contacts that hang together in an impact, by impulses and bodies, would do work
/// altogether, sum p.(u- + u+)/2 > 0, their impulses go back towards those without restitution, p0,
///   p = p0 + share (p1 - p0),   share the largest of [0, 1] for which the sum is not positive. (A13)
/// All of these lie in the cone, because it is convex; p0 takes energy, whatever friction does.
///
/// Preconditions: workspace.problem, before and bounces are those of the step. Sets workspace.solution;
/// offsets of contacts that do not bounce become those without restitution. The report is that of the last
/// solution, sweeps of all.
SolveReport solve_with_restitution(const Model& model, double h, Workspace& workspace);

/// [contact] 1: it approaches, and another contact of the step prevents the impact, as above; empty: none is.
/// For energetic impacts, whose problem has no restitution in its offsets.
std::vector<std::uint8_t> prevented_impacts(const Model& model, double h, Workspace& workspace);

/// Energy that a restitution would have given back, J: e^2 of what the normal impulses took in contacts that
/// are new in the (sub)step and had to stop their bodies, faster than the threshold, after the bounce of
/// others had set these moving; they are no bounces themselves. Without friction and with e = 1 it is all
/// that impacts take.
double unreturned_energy(const Model& model, const State& state, const Interval& interval,
                         const Workspace& workspace);

}  // namespace scree
