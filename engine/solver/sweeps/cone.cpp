#include "engine/solver/sweeps/cone.h"

#include <algorithm>

#include "engine/core/ordering.h"

namespace scree {

std::vector<std::uint8_t> cone_of(std::span<const InterfaceContact> contacts,
                                  const std::function<bool(std::int32_t)>& is_own,
                                  std::vector<std::uint32_t>& needed) {
  // [body] its contacts of lower turns than this are needed: backwards through the turns, it only increases.
  constexpr std::uint32_t all = 0xffffffffu;
  std::uint32_t turns = 0;
  std::int32_t bodies = 0;
  for (const auto& [edge, turn] : contacts) {
    turns = std::max(turns, turn + 1);
    bodies = std::max({bodies, edge.a + 1, edge.b + 1});
  }
  needed.resize(std::max(needed.size(), static_cast<std::size_t>(bodies)));
  std::vector<std::int32_t> next(std::size_t{turns} + 1, 0), order(contacts.size());
  for (const auto& [edge, turn] : contacts) {
    for (const std::int32_t body : {edge.a, edge.b}) needed[body] = is_own(body) ? all : 0;
    ++next[turn];
  }
  exclusive_scan(next);
  for (std::size_t k = 0; k < contacts.size(); ++k)
    order[next[contacts[k].turn]++] = static_cast<std::int32_t>(k);
  std::vector<std::uint8_t> visited(contacts.size(), 0);
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::int32_t k = order[i];
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
