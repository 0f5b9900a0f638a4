#include "engine/detection/contacts.h"

#include <algorithm>

#include "engine/core/ordering.h"

namespace scree {

const Contact* Contacts::find(const ContactKey& key) const {
  const auto a = static_cast<std::size_t>(key.a);
  if (a + 1 >= row.size()) return nullptr;
  // A row has only the few contacts of one body: a linear search is faster than bisection.
  for (auto c = static_cast<std::size_t>(row[a]); c < static_cast<std::size_t>(row[a + 1]); ++c) {
    if (list[c].key == key) return &list[c];
  }
  return nullptr;
}

void Contacts::index(std::size_t bodies) {
  row.assign(bodies + 1, 0);
  for (const Contact& c : list) ++row[c.key.a];
  exclusive_scan(row);
}

void swap_sides(Contact& c) {
  c.normal = -c.normal;
  c.arm_a.swap(c.arm_b);
  c.impulse = -c.impulse;
  c.torque_impulse = -c.torque_impulse;
}

void swap_sides(PairMemory& m) {
  m.turn = m.turn.conjugate();
  m.offset = -(m.turn * m.offset);
  for (ImplicitStart& start : m.starts) start.on_a.swap(start.on_b);
}

std::span<const CachedNormal> NormalCache::of_pair(std::int32_t a, std::int32_t b) const {
  const auto body = static_cast<std::size_t>(a);
  if (body + 1 >= row.size()) return {};
  const CachedNormal *first = list.data() + row[body], *const end = list.data() + row[body + 1];
  while (first != end && first->b != b) ++first;
  const CachedNormal* last = first;
  while (last != end && last->b == b) ++last;
  return {first, last};
}

}  // namespace scree
