// Gaps of pairs of which one is a clump: those of its parts.
#pragma once

#include "engine/detection/narrow_phase.h"

namespace scree {

/// The feature of a contact of two parts, or of the two ellipsoids of a scene with clumps, where a and b have
/// changed sides.
std::uint32_t swapped_parts(std::uint32_t feature);

/// Of a clump and a partner.
PairKind clump_pair_kind(const PlacedShapes& placed, std::int32_t partner);

/// Two unions overlap where parts of them do, so all near pairs of parts are contacts, told apart by the
/// numbers of the parts. Of walls a part's number goes into the feature that it touches, which must be below
/// 2^24 of its kind.
void find_clump_gaps(PairKind kind, const PlacedShapes& placed, std::span<const ShapePair> pairs,
                     PairGaps& found);

}  // namespace scree
