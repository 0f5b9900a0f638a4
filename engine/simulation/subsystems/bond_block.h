// Stiff bonds that are solved together with joints.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/simulation/workspace.h"

namespace scree {

/// Rows of bonds that are solved together with those of joints.
struct BlockedBonds {
  std::size_t first;                  // row
  std::vector<std::size_t> in_loops;  // rows, ascending: they share impulses, see (J2)
};

/// Chooses bonds to be solved together with the rows of joints, which begin at `end`, and puts their rows
/// before these. All bonds of a group of bodies are chosen, or none: those which connect so many or so
/// unequal bodies that sweeps would need more time, if all are stiff (softer ones give way to position
/// correction), none is across the seam of a cell, and joints close no loops with them (these would determine
/// neither the forces nor, to rounding, the rows that follow from others). One thread solves the block, so
/// the worst-conditioned groups up to 500 bonds are in it.
std::optional<BlockedBonds> block_bonds(const State& state, std::size_t end, Workspace& workspace);

}  // namespace scree
