// Gaps of pairs of which one is a clump: those of its members.
#pragma once

#include "engine/detection/narrow_phase.h"

namespace scree {

/// The feature of a contact of two members, or of the two ellipsoids of a scene with clumps, where a and b
/// have changed sides.
std::uint32_t swapped_members(std::uint32_t feature);

/// Two unions overlap where members of them do, so all near pairs of members are contacts, told apart by the
/// numbers of the members. The one or the other may be an ellipsoid.
void find_clump_gaps(const PlacedShapes& placed, std::span<const ShapePair> pairs, PairGaps& found);

/// The same with a wall of each kind, in the order of BoundarySurface: a member's number goes into the
/// feature that it touches, which must be below 2^24 of its kind.
extern const std::array<void (*)(const PlacedShapes&, std::span<const ShapePair>, PairGaps&),
                        std::variant_size_v<BoundarySurface>>
    clump_wall_finders;

}  // namespace scree
