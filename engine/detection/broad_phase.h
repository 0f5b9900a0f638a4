// Broad phase: finds the boxes that overlap. Cost linear in the bodies for any mix of sizes.
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

/// Without a branch: the outcome is random in a list of boxes, and a wrong prediction is expensive.
inline bool overlap(const BoundingBox& p, const BoundingBox& q) {
  const Vec3 apart = (p.centre - q.centre).cwiseAbs(), size = p.half + q.half;
  return (apart[0] < size[0]) & (apart[1] < size[1]) & (apart[2] < size[2]);
}

/// Hierarchical cell grid (after Ogarko, Luding 2012). A body belongs to the level whose cells are just
/// larger than its box, and to the cell of its centre. It is compared with the 27 cells about it at its own
/// level and at each coarser level in use. Cells are sorted keys, not tables, so empty space costs nothing.
/// Bodies with a position that is not finite are left out. The result does not depend on the number of
/// threads. Memory for the search, about 150 bytes a body, is released: searches are rare while bodies rest.
void find_candidate_pairs(std::span<const BoundingBox> boxes, CandidatePairs& pairs);

/// The same for a periodic cell: pairs of boxes in which an image of one overlaps the other. Boxes larger
/// than half of the cell's width may be left out.
void find_candidate_pairs(std::span<const BoundingBox> boxes, const PlacedCell& cell, CandidatePairs& pairs);

/// Pairs of enlarged boxes; they stay valid while each box stays within its enlarged one.
struct PairListWorkspace {
  std::vector<BoundingBox> wide;        // [body] enlarged boxes of the last search
  CandidatePairs wide_pairs;            // pairs of these
  Mat3 deformation = Mat3::Identity();  // of the cell at the last search: enlarged boxes move with the flow
  double for_strain = 0.0;  // m, part of the wide boxes that the flow of the cell may use up, not motion
};

/// Gives exactly the pairs of find_candidate_pairs(), in the same order. It searches only when a box has left
/// its enlarged one (by skin(i) m on each side); else it selects from the last search. The workspace changes
/// run time, never the result. Pairs of bodies with a common bit in `unmoved` ([body], or empty)
/// are left out. With a periodic cell as the overload above.
void update_candidate_pairs(std::span<const BoundingBox> boxes,
                            const std::function<double(std::size_t)>& skin, PairListWorkspace& workspace,
                            CandidatePairs& pairs, std::span<const std::uint8_t> unmoved = {},
                            const PlacedCell& cell = {});

}  // namespace scree
