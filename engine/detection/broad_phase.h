// Broad phase: which boxes overlap. Linear in the bodies for any mix of sizes.
#pragma once

#include <array>
#include <span>

#include "engine/core/ordering.h"
#include "engine/core/types.h"

namespace scree {

/// Axis-aligned box of a body.
struct Box {
  Vec3 centre = Vec3::Zero(), half = Vec3::Zero();  // m
};

/// Pairs of boxes that overlap, ordered by a, then b; a < b.
struct CandidatePairs {
  std::vector<std::int32_t> b;    // [pair]
  std::vector<std::int32_t> row;  // [body + 1]: pairs with a = body start here
  std::size_t size() const { return b.size(); }
};

struct BroadPhaseWorkspace {
  struct Slot {  // a body in the order of its cell
    Vec3 centre, half;
    std::int32_t body, level;
  };
  struct Pair {
    std::int32_t a, b;
  };
  std::vector<KeyedItem> order, order_scratch;  // [body] cell key, body
  std::vector<Slot> slots;                      // [body] in the order of `order`
  std::vector<std::vector<Pair>> found;         // [block]
  std::vector<std::int32_t> cursor;             // [body]
};

/// Hierarchical cell grid (after Ogarko, Luding 2012): a body lives at the level whose cells are just larger
/// than its box, in the cell of its centre; it is compared with the 27 cells about it at its own and at every
/// coarser level in use. Cells are sorted keys, not tables, so empty space costs nothing. Bodies with a
/// position that is not finite are left out. Result does not depend on the number of threads.
void find_candidate_pairs(std::span<const Box> boxes, BroadPhaseWorkspace& workspace, CandidatePairs& pairs);

}  // namespace scree
