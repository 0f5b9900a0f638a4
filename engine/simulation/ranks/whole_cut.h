// Global numbers of the bodies of a run by several ranks, and their owners.
#pragma once

#include <algorithm>
#include <span>

#include "engine/bodies/subdomains.h"
#include "engine/core/bytes.h"
#include "engine/core/ranks.h"

namespace scree {

/// The subdomains of all ranks, one after the other: those of a rank are contiguous, in the order of ranks.
/// The same on all ranks.
struct WholeCut {
  std::vector<std::int32_t> first;          // [subdomain + 1] first body, global number
  std::vector<std::int32_t> first_of_rank;  // [rank + 1] first subdomain

  std::size_t subdomains() const { return first.size() - 1; }
  std::int32_t bodies() const { return first.back(); }
  std::int32_t first_body(int rank) const { return first[first_of_rank[rank]]; }
  std::int32_t subdomain_of(std::int32_t body) const {
    return static_cast<std::int32_t>(std::ranges::upper_bound(first, body) - first.begin()) - 1;
  }
};

/// Made from the subdomains of all ranks; all ranks must call it.
inline WholeCut agree_on_cut(Ranks& ranks, const Subdomains& own) {
  std::vector<std::int32_t> sizes, all;
  for (std::size_t k = 0; k < own.own_size(); ++k) sizes.push_back(own.first[k + 1] - own.first[k]);
  std::vector<std::size_t> first_byte;
  append_all(ranks.gather(std::as_bytes(std::span(sizes)), &first_byte), all);
  WholeCut cut;
  cut.first.push_back(0);
  for (const std::int32_t size : all) cut.first.push_back(cut.first.back() + size);
  for (const std::size_t byte : first_byte)
    cut.first_of_rank.push_back(static_cast<std::int32_t>(byte / sizeof(std::int32_t)));
  return cut;
}

}  // namespace scree
