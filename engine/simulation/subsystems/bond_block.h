// Stiff bonds that are solved together with joints.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/simulation/workspace.h"

namespace scree {

/// Chooses bonds to be solved together with the rows of joints, which begin at `end`, and puts their rows
/// before these; returns the first of them. All bonds of a group of bodies are chosen, or none: those which
/// connect so many or so unequal bodies that sweeps would need more time, if all are stiff (softer ones give
/// way to position correction), none is across the seam of a cell, and no joint is in a group with loops. One
/// thread solves the block, so the worst-conditioned groups up to 500 bonds are in it.
/// Loops of rigid bonds do not determine how they share an impulse. Their rows get a compliance, G of (J2)
/// times W, which does.
std::optional<std::size_t> block_bonds(const State& state, std::size_t end, Workspace& workspace);

/// Rigid bonds of a loop contradict each other if its held bodies move apart: they give way, and forces grow
/// without limit. The residual tells where they give way by more than 3 % of the velocity scale, and by 1e-5
/// of a bond's length in the step.
void tell_contradictions(const Model& model, const State& state, const Workspace& workspace,
                         SolveReport& report);

}  // namespace scree
