#include "engine/simulation/subsystems/population.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/detection/clump_gaps.h"
#include "engine/simulation/subsystems/sleep.h"

namespace scree {

namespace {

constexpr int axis_bits = 20, sizes = 16;

/// Inserts two zeros after each bit of a 20-bit number.
std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

/// Orders pairs by a, then b.
std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(a) << 32 | partner_order(b);
}

struct Extent {
  Vec3 low = Vec3::Constant(infinity), high = Vec3::Constant(-infinity);
  double smallest = infinity, largest = 0.0;  // bounding radii, m
};

/// The place of a body, or of its image in the cell.
Vec3 place_in(const PlacedCell& cell, const Vec3& position) {
  return cell.is_periodic() ? Vec3(position + cell.image_in_cell(position)) : position;
}

Extent extent_of(const Shapes& shapes, const Bodies& bodies, const PlacedCell& cell) {
  return reduce_blocks(
      bodies.size(), grain_medium, Extent{},
      [&](const Block& block) {
        Extent e;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const double radius = shapes.bounding_radius(bodies.shape[i]);
          e.smallest = std::min(e.smallest, radius);
          e.largest = std::max(e.largest, radius);
          if (!bodies.position[i].allFinite()) continue;
          const Vec3 place = place_in(cell, bodies.position[i]);
          e.low = e.low.cwiseMin(place);
          e.high = e.high.cwiseMax(place);
        }
        return e;
      },
      [](Extent a, const Extent& b) {
        a.low = a.low.cwiseMin(b.low);
        a.high = a.high.cwiseMax(b.high);
        a.smallest = std::min(a.smallest, b.smallest);
        a.largest = std::max(a.largest, b.largest);
        return a;
      });
}

/// Size class: 0 for the largest, one more for half of that.
int size_of(const Extent& extent, double radius) {
  return std::clamp(static_cast<int>(std::floor(std::log2(extent.largest / radius))), 0, sizes - 1);
}

/// The width of cells along the curve: the size of the smallest bodies, unless there would be too many cells.
double cell_width(const Extent& extent) {
  double width = std::ldexp(extent.largest, -size_of(extent, extent.smallest));
  const double most = (extent.high - extent.low).maxCoeff() / (1 << axis_bits);
  while (width < most) width *= 2.0;
  return width;
}

/// The cell along the curve.
std::uint64_t place_of(const Extent& extent, double width, const Vec3& position) {
  if (!position.allFinite()) return 0;
  const Vec3 cell = (position - extent.low) / width;
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double last = (1 << axis_bits) - 1;
    key |= spread_bits(static_cast<std::uint64_t>(std::clamp(std::floor(cell[axis]), 0.0, last))) << axis;
  }
  return key;
}

/// [body] number of its contacts with others and with boundaries.
std::vector<std::int32_t> contacts_of(const State& state) {
  std::vector<std::int32_t> count(state.bodies.size(), 0);
  for (const Contact& c : state.contacts.list) {
    ++count[c.key.a];
    if (!is_boundary(c.key.b)) ++count[c.key.b];
  }
  return count;
}

/// New slots of bodies.
struct Renumbering {
  std::vector<std::int32_t> slot;  // [old slot] the new one, or -1 for a removed body
  std::vector<std::int32_t> from;  // [new slot] the old one
  bool parts = false;              // do features of two bodies contain parts of both?
};

/// values[k] becomes values[from[k]]
template <class T>
void gather(std::vector<T>& values, const std::vector<std::int32_t>& from) {
  if (values.empty()) return;  // an array that is not in use
  std::vector<T> gathered(from.size());
  for_each_index(from.size(), grain_light, [&](std::size_t k) { gathered[k] = values[from[k]]; });
  values.swap(gathered);
}

/// Gives a pair the new slots of its bodies, the lower one first; returns whether they changed places, or
/// none if one of them is removed.
std::optional<bool> renumber(const Renumbering& r, std::int32_t& a, std::int32_t& b) {
  const auto now = [&](std::int32_t i) {  // boundaries keep their numbers
    return is_boundary(i) ? i : r.slot[i];
  };
  const bool goes = now(a) < 0 || (!is_boundary(b) && now(b) < 0);
  if (goes) return std::nullopt;
  a = now(a);
  b = now(b);
  if (is_boundary(b) || a < b) return false;
  std::swap(a, b);
  return true;
}

void renumber(const Renumbering& r, std::vector<Contact>& contacts) {
  std::erase_if(contacts, [&](Contact& c) {
    const auto swapped = renumber(r, c.key.a, c.key.b);
    if (swapped && *swapped) {
      swap_sides(c);
      if (r.parts) c.key.feature = swapped_members(c.key.feature);
    }
    return !swapped;
  });
  // By keys of partners and features: few contacts share a body, and a stable sort by body and partner
  // keeps their order.
  std::vector<KeyedItem> order(contacts.size()), scratch;
  for (std::size_t c = 0; c < contacts.size(); ++c)
    order[c] = {pair_key(contacts[c].key.a, contacts[c].key.b), static_cast<std::int32_t>(c)};
  sort_by_key(order, scratch);
  std::vector<Contact> sorted(contacts.size());
  for_each_index(order.size(), grain_medium, [&](std::size_t k) { sorted[k] = contacts[order[k].item]; });
  contacts.swap(sorted);
  if (r.parts) std::ranges::sort(contacts, {}, &Contact::key);
}

void renumber(const Renumbering& r, NormalCache& cached_normals) {
  struct Owned {
    std::int32_t a;
    CachedNormal seed;
  };
  std::vector<Owned> all;
  std::vector<KeyedItem> order, scratch;
  for (std::int32_t body = 0; static_cast<std::size_t>(body) + 1 < cached_normals.row.size(); ++body) {
    for (auto k = cached_normals.row[body]; k < cached_normals.row[static_cast<std::size_t>(body) + 1]; ++k) {
      Owned o{body, cached_normals.list[k]};
      const auto swapped = renumber(r, o.a, o.seed.b);
      if (!swapped) continue;
      if (*swapped) o.seed.normal = -o.seed.normal;
      if (*swapped && r.parts) o.seed.feature = swapped_members(o.seed.feature);
      order.push_back({pair_key(o.a, o.seed.b), static_cast<std::int32_t>(all.size())});
      all.push_back(o);
    }
  }
  sort_by_key(order, scratch);
  cached_normals.list.resize(all.size());
  cached_normals.row.assign(r.from.size() + 1, 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Owned& o = all[order[k].item];
    cached_normals.list[k] = o.seed;
    ++cached_normals.row[o.a];
  }
  exclusive_scan(cached_normals.row);
  cached_normals.stamp = 0;
  if (!r.parts) return;
  for (std::size_t i = 0; i + 1 < cached_normals.row.size(); ++i)
    std::sort(cached_normals.list.begin() + cached_normals.row[i],
              cached_normals.list.begin() + cached_normals.row[i + 1],
              [](const CachedNormal& p, const CachedNormal& q) {
                return p.b != q.b ? partner_order(p.b) < partner_order(q.b) : p.feature < q.feature;
              });
}

void renumber(const Renumbering& r, std::vector<SpringMemory>& springs) {
  std::erase_if(springs, [&](SpringMemory& s) {
    const auto swapped = renumber(r, s.key.a, s.key.b);
    if (swapped && *swapped) {
      s.force = -s.force;
      if (r.parts) s.key.feature = swapped_members(s.key.feature);
    }
    return !swapped;
  });
  std::ranges::sort(springs, {}, &SpringMemory::key);
}

void renumber(const Renumbering& r, std::vector<CachedPair>& pairs) {
  std::erase_if(pairs, [&](CachedPair& p) {
    const auto swapped = renumber(r, p.a, p.b);
    if (swapped && *swapped) swap_sides(p.memory);
    return !swapped;
  });
  std::ranges::sort(pairs, [](const CachedPair& p, const CachedPair& q) {
    return p.a != q.a ? p.a < q.a : partner_order(p.b) < partner_order(q.b);
  });
}

/// Renumbers all parts of a state that contain slots, except for subdomains and what hold_sleepers()
/// computes.
void renumber(const Renumbering& r, State& state) {
  Bodies& b = state.bodies;
  gather(b.position, r.from);
  gather(b.orientation, r.from);
  gather(b.linear_velocity, r.from);
  gather(b.angular_velocity, r.from);
  gather(b.asleep, r.from);
  gather(b.resting, r.from);
  gather(b.part, r.from);
  gather(b.rest, r.from);
  gather(b.mass, r.from);
  gather(b.inertia, r.from);
  gather(b.shape, r.from);
  gather(b.material, r.from);
  gather(b.id, r.from);
  renumber(r, state.contacts.list);
  state.contacts.index(b.size());
  renumber(r, state.cached_normals);
  renumber(r, state.cached);
  renumber(r, state.springs);
  std::erase_if(state.bonds, [&](Bond& bond) {
    bond.a = r.slot[bond.a];
    bond.b = r.slot[bond.b];
    return bond.a < 0 || bond.b < 0;
  });
  gather(state.sleepers.still, r.from);
  renumber(r, state.sleepers.contacts);
}

}  // namespace

BodyId insert(const Model& model, State& state, const NewBody& body) {
  const BodyIndex slot = add_body(state.bodies, model.shapes, model.materials, body);
  const std::size_t n = state.bodies.size();
  // Arrays that may be empty grow only if they are in use.
  if (!state.bodies.asleep.empty()) state.bodies.asleep.resize(n, 0);
  if (!state.bodies.resting.empty()) state.bodies.resting.resize(n, 0);
  if (!state.sleepers.still.empty()) {
    state.sleepers.still.resize(n, 0);
    state.sleepers.held.resize(n, {Vec3::Zero(), Vec3::Zero()});
  }
  return state.bodies.id[slot];
}

void remove(State& state, std::span<const BodyId> ids, std::span<const std::int32_t> ghost_slot) {
  const std::size_t n = state.bodies.size();
  const SlotsById slots(state.bodies);
  std::vector<std::uint8_t> goes(n, 0);
  for (const BodyId id : ids) {
    if (const std::int32_t slot = slots.find(id); slot >= 0) goes[slot] = 1;
  }
  wake_neighbours(goes, state);
  Renumbering r;
  r.slot.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (goes[i] != 0) continue;
    r.slot[i] = static_cast<std::int32_t>(r.from.size());
    r.from.push_back(static_cast<std::int32_t>(i));
  }
  const auto left = static_cast<std::int32_t>(r.from.size());
  for (const std::int32_t ghost : ghost_slot) r.slot.push_back(ghost < 0 ? -1 : left + ghost);
  if (r.from.size() == n && ghost_slot.empty()) return;
  if (r.from.empty()) {  // gather() interprets empty arrays as unused
    Bodies none;
    none.next_id = state.bodies.next_id;
    none.ranks = state.bodies.ranks;
    none.subdomains.first.push_back(0);
    none.subdomains.index();
    state.bodies = std::move(none);
    state.contacts = {};
    state.cached_normals = {};
    state.cached = {};
    state.springs = {};
    state.bonds = {};
    const GhostLists* const ghosts = state.sleepers.ghosts;
    state.sleepers = {};
    state.sleepers.ghosts = ghosts;
    return;
  }
  renumber(r, state);
  Subdomains& subdomains = state.bodies.subdomains;
  const auto left_before = [&](std::int32_t slot) {  // remaining ones keep their order
    return static_cast<std::int32_t>(std::ranges::lower_bound(r.from, slot) - r.from.begin());
  };
  for (std::int32_t& first : subdomains.first) first = left_before(first);
  const auto ends = std::ranges::unique(subdomains.first);  // removes empty subdomains
  subdomains.first.erase(ends.begin(), ends.end());
  subdomains.cut_bodies = left_before(subdomains.cut_bodies);
  subdomains.index();
  if (state.bodies.ranks == nullptr && !state.sleepers.still.empty())
    hold_sleepers(state.bodies, state.sleepers);
}

void sort(const Shapes& shapes, State& state, const PlacedCell& cell) {
  const Bodies& bodies = state.bodies;
  const std::size_t n = bodies.size();
  if (n == 0) {
    state.bodies.subdomains = cut({});
    return;
  }
  const Extent extent = extent_of(shapes, bodies, cell);
  const double width = cell_width(extent);
  std::vector<KeyedItem> order(n), scratch;
  for_each_index(n, grain_medium, [&](std::size_t i) {
    order[i] = {place_of(extent, width, place_in(cell, bodies.position[i])), static_cast<std::int32_t>(i)};
  });
  sort_by_key(order, scratch);
  const std::vector<std::int32_t> of_slot = contacts_of(state);
  std::vector<std::int32_t> contacts(n);
  std::vector<std::uint64_t> place(n);
  for (std::size_t k = 0; k < n; ++k) {
    contacts[k] = of_slot[order[k].item];
    place[k] = order[k].key;
  }
  Subdomains subdomains = cut(contacts, place);
  if (size_of(extent, extent.smallest) > 0) {  // there is more than one size
    for_each_index(subdomains.size(), 1, [&](std::size_t s) {
      for (std::int32_t k = subdomains.first[s]; k < subdomains.first[s + 1]; ++k)
        order[k].key = s * sizes + static_cast<std::uint64_t>(
                                       size_of(extent, shapes.bounding_radius(bodies.shape[order[k].item])));
    });
    sort_by_key(order, scratch);
  }
  Renumbering r{std::vector<std::int32_t>(n), std::vector<std::int32_t>(n), !shapes.clumps().empty()};
  for_each_index(n, grain_light, [&](std::size_t k) {
    r.from[k] = order[k].item;
    r.slot[order[k].item] = static_cast<std::int32_t>(k);
  });
  renumber(r, state);
  state.bodies.subdomains = std::move(subdomains);
  if (!state.sleepers.still.empty()) hold_sleepers(state.bodies, state.sleepers);
}

std::vector<std::int64_t> subdomain_weights(const State& state) {
  const std::vector<std::int32_t>& first = state.bodies.subdomains.first;
  const std::vector<std::int32_t> contacts = contacts_of(state);
  std::vector<std::int64_t> before(1, 0);
  for (std::size_t k = 0; k + 1 < first.size(); ++k) {
    before.push_back(before.back());
    for (std::int32_t i = first[k]; i < first[k + 1]; ++i) before.back() += cut_weight(contacts[i]);
  }
  return before;
}

void arrange(const Model& model, State& state) {
  Subdomains& subdomains = state.bodies.subdomains;
  const std::size_t n = state.bodies.size();
  const int interval = model.settings.sort_interval;
  if (interval > 0 && (state.step % interval == 0 || subdomains.are_outgrown(n)))
    sort(model.shapes, state, cell_at(model, state, state.time_s));
  else if (subdomains.first.empty() || static_cast<std::size_t>(subdomains.first.back()) > n)
    subdomains = cut(contacts_of(state));
  else
    cut_newcomers(n, subdomains);
}

SlotsById::SlotsById(const Bodies& bodies) {
  slots_.reserve(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    slots_.emplace_back(bodies.id[i], static_cast<std::int32_t>(i));
  if (!std::ranges::is_sorted(slots_)) std::ranges::sort(slots_);
}

std::int32_t SlotsById::find(BodyId id) const {
  const auto found = std::ranges::lower_bound(slots_, id, {}, &std::pair<BodyId, std::int32_t>::first);
  return found != slots_.end() && found->first == id ? found->second : -1;
}

}  // namespace scree
