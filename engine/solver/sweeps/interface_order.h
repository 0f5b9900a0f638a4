// In which order subdomains colour their interfaces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace scree {

/// In which order contacts are coloured: those that carried an impulse first, so that the others, which
/// mostly stay idle, are together; so are those that resist torques.
inline std::uint8_t contact_kind(float start_impulse_along_n, bool resists) {
  if (start_impulse_along_n > 0.0f) return resists ? 0 : 1;
  return resists ? 3 : 2;
}
constexpr bool is_idle(std::uint8_t kind) { return kind >= 2; }

/// Contacts of more colours than these at a body are updated one by one.
inline constexpr int parallel_colours = 63;

/// Spreads the bits of a number: subdomains one after the other are neighbours, and would wait in a row.
inline std::uint32_t hashed(std::size_t k) {
  auto x = static_cast<std::uint32_t>(k) * 0x9E3779B1u;
  x = (x ^ x >> 15) * 0x85EBCA77u;
  return x ^ x >> 13;
}

/// The numbers of so many subdomains by their hash: of two that share a body the first one colours its
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
