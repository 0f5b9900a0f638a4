#include "engine/simulation/body_order.h"

#include <algorithm>
#include <cmath>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/sleep.h"

namespace scree {

namespace {

constexpr int axis_bits = 20, sizes = 16;

/// Every bit of a 20-bit number followed by two zeros.
std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

struct Extent {
  Vec3 low = Vec3::Constant(infinity);
  double largest = 0.0;  // bounding radius, m
};

Extent extent_of(const Shapes& shapes, const Bodies& bodies) {
  return reduce_blocks(
      bodies.size(), grain_medium, Extent{},
      [&](const Block& block) {
        Extent e;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          if (bodies.position[i].allFinite()) e.low = e.low.cwiseMin(bodies.position[i]);
          e.largest = std::max(e.largest, shapes.bounding_radius(bodies.shape[i]));
        }
        return e;
      },
      [](Extent a, const Extent& b) {
        a.low = a.low.cwiseMin(b.low);
        a.largest = std::max(a.largest, b.largest);
        return a;
      });
}

/// Size class in the top bits, then the cell along the curve; cells are as large as the bodies of the class.
std::uint64_t place_of(const Extent& extent, double radius, const Vec3& position) {
  const int size = std::clamp(static_cast<int>(std::floor(std::log2(extent.largest / radius))), 0, sizes - 1);
  std::uint64_t key = static_cast<std::uint64_t>(size) << (3 * axis_bits);
  if (!position.allFinite()) return key;
  const Vec3 cell = (position - extent.low) / std::ldexp(extent.largest, -size);
  for (int axis = 0; axis < 3; ++axis) {
    const double last = (1 << axis_bits) - 1;
    key |= spread_bits(static_cast<std::uint64_t>(std::clamp(std::floor(cell[axis]), 0.0, last))) << axis;
  }
  return key;
}

/// to[k] = from[order[k]]
template <class T>
void gather(std::vector<T>& values, const std::vector<KeyedItem>& order) {
  std::vector<T> sorted(order.size());
  for_each_index(order.size(), grain_light,
                 [&](std::size_t k) { sorted[k] = values[static_cast<std::size_t>(order[k].item)]; });
  values.swap(sorted);
}

void reorder(Bodies& b, const std::vector<KeyedItem>& order) {
  gather(b.position, order);
  gather(b.orientation, order);
  gather(b.linear_velocity, order);
  gather(b.angular_velocity, order);
  if (!b.asleep.empty()) gather(b.asleep, order);
  gather(b.mass, order);
  gather(b.inertia, order);
  gather(b.shape, order);
  gather(b.material, order);
  gather(b.id, order);
}

/// Two slots, the lower one first, and whether they had to change places for that.
struct SlotPair {
  std::int32_t a, b;
  bool swapped;
};

SlotPair renumbered(const std::vector<std::int32_t>& slot, std::int32_t a, std::int32_t b) {
  const auto now = [&](std::int32_t i) {  // boundaries keep their numbers
    return static_cast<std::size_t>(i) < slot.size() ? slot[static_cast<std::size_t>(i)] : i;
  };
  const std::int32_t p = now(a), q = now(b);
  return p < q ? SlotPair{p, q, false} : SlotPair{q, p, true};
}

/// Gives a contact the new slots of its bodies; did they change places?
bool renumber(const std::vector<std::int32_t>& slot, ContactKey& key) {
  const SlotPair pair = renumbered(slot, key.a, key.b);
  key.a = pair.a;
  key.b = pair.b;
  return pair.swapped;
}

std::uint64_t key_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint64_t>(b);
}

/// Rows of the entries that `order` lists by their pair's key.
std::vector<std::int32_t> rows_of(const std::vector<KeyedItem>& order, std::size_t bodies) {
  std::vector<std::int32_t> row(bodies + 1, 0);
  for (const KeyedItem& item : order) ++row[static_cast<std::size_t>(item.key >> 32)];
  exclusive_scan(row);
  return row;
}

void renumber_contacts(const std::vector<std::int32_t>& slot, ContactMemory& m,
                       std::vector<KeyedItem>& scratch) {
  std::vector<KeyedItem> order(m.key.size());
  for_each_index(m.key.size(), grain_light, [&](std::size_t c) {
    if (renumber(slot, m.key[c])) {
      m.normal[c] = -m.normal[c];
      m.impulse[c] = -m.impulse[c];
    }
    order[c] = {key_of(m.key[c].a, m.key[c].b), static_cast<std::int32_t>(c)};
  });
  sort_by_key(order, scratch);
  gather(m.key, order);
  gather(m.normal, order);
  gather(m.impulse, order);
  for (RememberedTorque& t : m.torques) {
    if (renumber(slot, t.key)) t.impulse = -t.impulse;
  }
  std::ranges::sort(m.torques, {}, &RememberedTorque::key);
  if (!m.contact_row.empty()) m.contact_row = rows_of(order, slot.size());
}

void renumber_pairs(const std::vector<std::int32_t>& slot, ContactMemory& m,
                    std::vector<KeyedItem>& scratch) {
  std::vector<KeyedItem> order(m.pair_b.size());
  for_each_index(m.pair_row.empty() ? 0 : m.pair_row.size() - 1, grain_medium, [&](std::size_t a) {
    for (auto p = static_cast<std::size_t>(m.pair_row[a]); p < static_cast<std::size_t>(m.pair_row[a + 1]);
         ++p) {
      const SlotPair pair = renumbered(slot, static_cast<std::int32_t>(a), m.pair_b[p]);
      m.pair_b[p] = pair.b;
      if (pair.swapped) m.pair_normal[p] = -m.pair_normal[p];
      order[p] = {key_of(pair.a, pair.b), static_cast<std::int32_t>(p)};
    }
  });
  sort_by_key(order, scratch);
  gather(m.pair_b, order);
  gather(m.pair_normal, order);
  if (!m.pair_row.empty()) m.pair_row = rows_of(order, slot.size());
}

void renumber_sleepers(const std::vector<std::int32_t>& slot, const std::vector<KeyedItem>& order,
                       const Bodies& bodies, Sleepers& sleepers) {
  if (sleepers.still.empty()) return;
  gather(sleepers.still, order);
  for (RestingContact& c : sleepers.contacts) {
    if (!renumber(slot, c.key)) continue;
    c.normal = -c.normal;
    c.impulse = -c.impulse;
    c.torque_impulse = -c.torque_impulse;
    c.arm_a.swap(c.arm_b);
  }
  std::ranges::sort(sleepers.contacts, {}, &RestingContact::key);
  hold_sleepers(bodies, sleepers);
}

}  // namespace

void sort_bodies(const Shapes& shapes, State& state) {
  Bodies& bodies = state.bodies;
  const std::size_t n = bodies.size();
  const Extent extent = extent_of(shapes, bodies);
  std::vector<KeyedItem> order(n), scratch;
  for_each_index(n, grain_medium, [&](std::size_t i) {
    order[i] = {place_of(extent, shapes.bounding_radius(bodies.shape[i]), bodies.position[i]),
                static_cast<std::int32_t>(i)};
  });
  sort_by_key(order, scratch);
  std::vector<std::int32_t> slot(n);  // [old slot]: the new one
  for_each_index(n, grain_light, [&](std::size_t k) {
    slot[static_cast<std::size_t>(order[k].item)] = static_cast<std::int32_t>(k);
  });
  reorder(bodies, order);
  renumber_contacts(slot, state.memory, scratch);
  renumber_pairs(slot, state.memory, scratch);
  renumber_sleepers(slot, order, bodies, state.sleepers);
}

}  // namespace scree
