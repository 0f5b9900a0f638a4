// The order in which subdomains colour their interfaces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace scree {

/// The order in which contacts are coloured: those with an impulse first, so that the others, which
/// mostly stay idle, are together; contacts with torque resistance are together too.
inline std::uint8_t contact_kind(bool begins_active, bool resists) {
  if (begins_active) return resists ? 0 : 1;
  return resists ? 3 : 2;
}
constexpr bool is_idle(std::uint8_t kind) { return kind >= 2; }

/// Contacts of a body beyond this number of colours are updated one by one.
inline constexpr int parallel_colours = 63;

/// Mixes the bits of a number: successive subdomains are neighbours, and would wait in sequence.
inline std::uint32_t hashed(std::size_t k) {
  auto x = static_cast<std::uint32_t>(k) * 0x9E3779B1u;
  x = (x ^ x >> 15) * 0x85EBCA77u;
  return x ^ x >> 13;
}

/// The numbers of the subdomains, ordered by their hash: of two that share a body the first one colours its
/// interface first.
inline void order_by_hash(std::size_t subdomains, std::vector<std::uint64_t>& scratch,
                          std::vector<std::int32_t>& order) {
  scratch.resize(subdomains);
  for (std::size_t k = 0; k < subdomains; ++k) scratch[k] = std::uint64_t{hashed(k)} << 32 | k;
  std::sort(scratch.begin(), scratch.end());
  order.resize(subdomains);
  for (std::size_t k = 0; k < subdomains; ++k) order[k] = static_cast<std::int32_t>(scratch[k] & 0xffffffffu);
}

}  // namespace scree
