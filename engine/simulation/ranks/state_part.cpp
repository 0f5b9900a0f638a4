#include "engine/simulation/ranks/state_part.h"

#include <algorithm>

namespace scree {

namespace {

// All arrays of bodies in runs by ranks, except for those that may be empty: of sleeping and carried bodies.
template <class BodiesType, class F>
void each_array(BodiesType& b, F&& f) {
  f(b.position), f(b.orientation), f(b.linear_velocity), f(b.angular_velocity);
  f(b.mass), f(b.inertia), f(b.shape), f(b.material), f(b.id);
}

void write_bodies(const Bodies& bodies, std::size_t first, std::size_t count, Bytes& bytes) {
  const auto write = [&]<class T>(const std::vector<T>& array) {
    append_list(std::span<const T>(array).subspan(first, count), bytes);
  };
  each_array(bodies, write);
  append<std::uint8_t>(bodies.asleep.empty() ? 0 : 1, bytes);
  if (!bodies.asleep.empty()) write(bodies.asleep);
  append<std::uint8_t>(bodies.part.empty() ? 0 : 1, bytes);
  if (bodies.part.empty()) return;
  write(bodies.part);
  write(bodies.rest);
}

/// Takes a list that a part may lack: then its values are zero.
template <class T>
void append_optional(BytesReader& reader, std::size_t before, std::size_t now, std::vector<T>& list) {
  const bool is_there = reader.take<std::uint8_t>() != 0;
  if (!is_there && list.empty()) return;
  list.resize(before);
  if (is_there) reader.take_list(list);
  list.resize(now);
}

void append_bodies(BytesReader& reader, Bodies& bodies) {
  const std::size_t before = bodies.size();
  each_array(bodies, [&](auto& array) { reader.take_list(array); });
  append_optional(reader, before, bodies.size(), bodies.asleep);
  const bool are_carried = reader.take<std::uint8_t>() != 0;
  if (!are_carried && bodies.part.empty()) return;
  bodies.part.resize(before, Bodies::no_part);
  bodies.rest.resize(before);
  if (are_carried) {
    reader.take_list(bodies.part);
    reader.take_list(bodies.rest);
  }
  bodies.part.resize(bodies.size(), Bodies::no_part);
  bodies.rest.resize(bodies.size());
}

/// The memory of a pair, except for its list.
struct FlatPair {
  std::int32_t a, b;
  Vec3 offset;
  Quat turn;
  double reach, slack;
};

}  // namespace

Bytes write_part(const State& state, std::int32_t begin, std::int32_t end,
                 const std::function<std::int32_t(std::int32_t)>& number) {
  Bytes bytes;
  write_bodies(state.bodies, static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin), bytes);
  const auto number_of = [&](std::int32_t slot) { return is_boundary(slot) ? slot : number(slot); };
  const auto rows = [&](const std::vector<std::int32_t>& row, const auto& list, auto&& renumber) {
    using T = typename std::decay_t<decltype(list)>::value_type;
    std::vector<T> part;
    std::vector<std::int32_t> counts;
    const auto at = [&](std::int32_t i) {  // newly inserted bodies have none
      return row.empty() ? 0 : row[std::min(static_cast<std::size_t>(i), row.size() - 1)];
    };
    part.assign(list.begin() + at(begin), list.begin() + at(end));
    for (std::int32_t i = begin; i < end; ++i) counts.push_back(at(i + 1) - at(i));
    for (T& item : part) renumber(item);
    append_list(std::span<const std::int32_t>(counts), bytes);
    append_list(std::span<const T>(part), bytes);
  };
  rows(state.contacts.row, state.contacts.list, [&](Contact& c) {
    c.key.a = number_of(c.key.a);
    c.key.b = number_of(c.key.b);
  });
  rows(state.cached_normals.row, state.cached_normals.list, [&](CachedNormal& n) { n.b = number_of(n.b); });
  const auto from = std::ranges::lower_bound(state.cached, begin, {}, &CachedPair::a),
             to = std::ranges::lower_bound(state.cached, end, {}, &CachedPair::a);
  append(static_cast<std::size_t>(to - from), bytes);
  for (auto p = from; p != to; ++p) {
    const PairMemory& m = p->memory;
    append(FlatPair{number_of(p->a), number_of(p->b), m.offset, m.turn, m.reach, m.slack}, bytes);
    append_list(std::span<const ImplicitStart>(m.starts), bytes);
  }
  const auto keyed = [&]<class T>(const std::vector<T>& list) {  // contacts' data, ordered by key
    const auto a_of = [](const T& item) { return item.key.a; };
    std::vector<T> part(std::ranges::lower_bound(list, begin, {}, a_of),
                        std::ranges::lower_bound(list, end, {}, a_of));
    for (T& item : part) {
      item.key.a = number_of(item.key.a);
      item.key.b = number_of(item.key.b);
    }
    append_list(std::span<const T>(part), bytes);
  };
  keyed(state.springs);
  keyed(state.sleepers.contacts);
  append<std::uint8_t>(state.sleepers.still.empty() ? 0 : 1, bytes);
  if (!state.sleepers.still.empty())
    append_list(std::span(state.sleepers.still)
                    .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
                bytes);
  return bytes;
}

void append_part(std::span<const std::byte> part, State& state) {
  BytesReader reader(part);
  const std::size_t before = state.bodies.size();
  append_bodies(reader, state.bodies);
  const auto rows = [&](std::vector<std::int32_t>& row, auto& list) {
    std::vector<std::int32_t> counts;
    reader.take_list(counts);
    if (row.empty()) row.push_back(0);
    for (const std::int32_t count : counts) row.push_back(row.back() + count);
    reader.take_list(list);
  };
  rows(state.contacts.row, state.contacts.list);
  rows(state.cached_normals.row, state.cached_normals.list);
  state.cached_normals.stamp = 0;
  for (auto n = reader.take<std::size_t>(); n > 0; --n) {
    const auto p = reader.take<FlatPair>();
    state.cached.push_back({p.a, p.b, {p.offset, p.turn, p.reach, p.slack, {}}});
    reader.take_list(state.cached.back().memory.starts);
  }
  reader.take_list(state.springs);
  reader.take_list(state.sleepers.contacts);
  append_optional(reader, before, state.bodies.size(), state.sleepers.still);
}

Bodies bodies_of_all(Ranks* ranks, Bodies own, std::size_t& before) {
  before = 0;
  if (ranks == nullptr) return own;
  Bytes bytes;
  write_bodies(own, 0, own.size(), bytes);
  std::vector<std::size_t> first;
  const Bytes told = ranks->gather(bytes, &first);
  Bodies all;
  for (int r = 0; r < ranks->count(); ++r) {
    if (r == ranks->rank()) before = all.size();
    BytesReader reader{std::span(told).subspan(first[r], first[r + 1] - first[r])};
    append_bodies(reader, all);
  }
  return all;
}

State without_bodies(const State& state) {
  State other;
  other.step = state.step;
  other.time_s = state.time_s;
  other.bodies.next_id = state.bodies.next_id;
  other.bonds = state.bonds;
  other.joints = state.joints;
  other.actuators = state.actuators;
  other.parts = state.parts;
  other.memory = state.memory;
  other.cell = state.cell;
  other.flow = state.flow;
  other.entered = state.entered;
  other.left = state.left;
  other.overrides = state.overrides;
  other.wall_cells = state.wall_cells;
  other.sleepers.sums = state.sleepers.sums;
  return other;
}

std::vector<std::int32_t> number_from(std::int32_t first, State& state) {
  const auto own = static_cast<std::int32_t>(state.bodies.size());
  std::vector<std::int32_t> ghosts;
  const auto note = [&](std::int32_t b) {
    if (!is_boundary(b) && (b < first || b >= first + own)) ghosts.push_back(b);
  };
  for (const Contact& c : state.contacts.list) note(c.key.b);
  for (const CachedNormal& n : state.cached_normals.list) note(n.b);
  for (const CachedPair& p : state.cached) note(p.b);
  for (const SpringMemory& s : state.springs) note(s.key.b);
  for (const Contact& c : state.sleepers.contacts) note(c.key.b);
  std::ranges::sort(ghosts);
  ghosts.erase(std::ranges::unique(ghosts).begin(), ghosts.end());
  const auto slot = [&](std::int32_t b) {
    if (is_boundary(b)) return b;
    if (b >= first && b < first + own) return b - first;
    return own + static_cast<std::int32_t>(std::ranges::lower_bound(ghosts, b) - ghosts.begin());
  };
  for (auto* const list : {&state.contacts.list, &state.sleepers.contacts})
    for (Contact& c : *list) {
      c.key.a -= first;
      c.key.b = slot(c.key.b);
    }
  for (CachedNormal& n : state.cached_normals.list) n.b = slot(n.b);
  for (CachedPair& p : state.cached) {
    p.a -= first;
    p.b = slot(p.b);
  }
  for (SpringMemory& s : state.springs) {
    s.key.a -= first;
    s.key.b = slot(s.key.b);
  }
  return ghosts;
}

}  // namespace scree
