// Deterministic ordering: sort by key, prefix sums.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// A sort key and the item to which it belongs.
struct KeyedItem {
  std::uint64_t key = 0;
  std::int32_t item = 0;
};

/// Sorts by key; items of equal key keep their order. Radix sort, cost linear in the items; parallel, with
/// the same bits on every thread count. `scratch` is resized as needed and kept for the next call.
void sort_by_key(std::vector<KeyedItem>& items, std::vector<KeyedItem>& scratch);

/// counts[i] becomes the sum of the counts before i; returns the sum of all.
std::size_t exclusive_scan(std::vector<std::int32_t>& counts);

}  // namespace scree
