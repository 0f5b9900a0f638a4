// Gaps of pairs with a clump: the gaps of its members.
#pragma once

#include "engine/detection/narrow_phase.h"

namespace scree {

/// The feature of a contact of two members, or of two ellipsoids in a scene with clumps, after a and b
/// have changed sides.
std::uint32_t swapped_members(std::uint32_t feature);

/// Two clumps overlap where their members do. So all near pairs of members are contacts, distinguished by the
/// numbers of the members. One of the two bodies may be an ellipsoid.
void find_clump_gaps(const PlacedShapes& placed, std::span<const ShapePair> pairs, PairGaps& found);

/// The same for a wall of each kind, in the order of BoundarySurface. The member's number is added to the
/// feature of the wall, which must be below 2^24.
extern const std::array<void (*)(const PlacedShapes&, std::span<const ShapePair>, PairGaps&),
                        std::variant_size_v<BoundarySurface>>
    clump_wall_finders;

}  // namespace scree
