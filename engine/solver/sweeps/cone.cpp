#include "engine/solver/sweeps/cone.h"

#include <algorithm>
#include <numeric>

namespace scree {

std::vector<std::uint8_t> cone_of(std::span<const InterfaceContact> contacts,
                                  std::span<const std::uint8_t> own) {
  // [body] its contacts of lower turns than this are needed: backwards through the turns, it only grows.
  constexpr std::uint32_t all = 0xffffffffu;
  std::vector<std::uint32_t> needed(own.size(), 0);
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i] != 0) needed[i] = all;
  std::vector<std::int32_t> order(contacts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int32_t x, std::int32_t y) {
    return contacts[x].turn != contacts[y].turn ? contacts[x].turn > contacts[y].turn : x < y;
  });
  std::vector<std::uint8_t> visited(contacts.size(), 0);
  for (const std::int32_t k : order) {
    const auto& [edge, turn] = contacts[k];
    std::uint32_t &of_a = needed[edge.a], &of_b = needed[edge.b];
    if (turn >= of_a && turn >= of_b) continue;
    visited[k] = 1;
    of_a = std::max(of_a, turn);
    of_b = std::max(of_b, turn);
  }
  return visited;
}

}  // namespace scree
