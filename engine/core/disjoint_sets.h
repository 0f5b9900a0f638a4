// Sets of numbers that grow together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace scree {

/// At first each number is a set of its own. The first of a set is its smallest number.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::int32_t{0});
  }
  /// The first of the set of this number. Amortised, the time is nearly constant.
  std::int32_t first_of(std::int32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::size_t first_of(std::size_t i) {
    return static_cast<std::size_t>(first_of(static_cast<std::int32_t>(i)));
  }
  /// Were they in different sets?
  bool join(std::int32_t a, std::int32_t b) {
    const std::int32_t first = first_of(a), second = first_of(b);
    parent_[std::max(first, second)] = std::min(first, second);
    return first != second;
  }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace scree
