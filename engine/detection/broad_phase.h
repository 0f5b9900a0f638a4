// Broad phase: which boxes overlap. Linear in the bodies for any mix of sizes.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "engine/bodies/cell.h"
#include "engine/core/ordering.h"
#include "engine/core/types.h"

namespace scree {

/// Axis-aligned bounding box of a body.
struct BoundingBox {
  Vec3 centre = Vec3::Zero(), half = Vec3::Zero();  // m
};

/// Pairs of boxes that overlap, ordered by a, then b; a < b.
struct CandidatePairs {
  std::vector<std::int32_t> b;    // [pair]
  std::vector<std::int32_t> row;  // [body + 1]: pairs with a = body start here
  std::size_t size() const { return b.size(); }
};

/// Without a branch: which boxes of a list overlap is as good as chance, and a wrong guess is dear.
inline bool overlap(const BoundingBox& p, const BoundingBox& q) {
  const Vec3 apart = (p.centre - q.centre).cwiseAbs(), size = p.half + q.half;
  return (apart[0] < size[0]) & (apart[1] < size[1]) & (apart[2] < size[2]);
}

/// Hierarchical cell grid (after Ogarko, Luding 2012): a body lives at the level whose cells are just larger
/// than its box, in the cell of its centre; it is compared with the 27 cells about it at its own and at every
/// coarser level in use. Cells are sorted keys, not tables, so empty space costs nothing. Bodies with a
/// position that is not finite are left out. Result does not depend on the number of threads. What it needs
/// beside the pairs, some 150 bytes a body, it gives back: searches are far between where bodies rest.
void find_candidate_pairs(std::span<const BoundingBox> boxes, CandidatePairs& pairs);

/// The same of boxes in a periodic cell: pairs of which some image of the one overlaps the other. Boxes
/// beyond half of the cell's width may be left out.
void find_candidate_pairs(std::span<const BoundingBox> boxes, const PlacedCell& cell, CandidatePairs& pairs);

/// Pairs of boxes that were made wider than asked for, so that they serve as long as every box stays within.
struct PairListWorkspace {
  std::vector<BoundingBox> wide;        // [body] as of the last search
  CandidatePairs wide_pairs;            // of them
  Mat3 deformation = Mat3::Identity();  // of the cell at the last search: wide boxes go with the flow
};

/// The same pairs as find_candidate_pairs(), to the last one and in the same order, but searched for only
/// when a box has left its wide one (by skin(i) m on every side); else picked from the last search. What the
/// workspace holds changes the time, never the result. Pairs of two that are asleep ([body], 1; or empty) are
/// left out. With a periodic cell as find_candidate_pairs() with it.
void update_candidate_pairs(std::span<const BoundingBox> boxes,
                            const std::function<double(std::size_t)>& skin, PairListWorkspace& workspace,
                            CandidatePairs& pairs, std::span<const std::uint8_t> asleep = {},
                            const PlacedCell& cell = {});

}  // namespace scree
