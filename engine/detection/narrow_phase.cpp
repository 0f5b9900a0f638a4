#include "engine/detection/narrow_phase.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "engine/core/vector4.h"
#include "engine/detection/clump_gaps.h"
#include "engine/geometry/ellipsoid_batch.h"
#include "engine/geometry/ellipsoid_surfaces.h"

namespace scree {

namespace {

const Ellipsoid& ellipsoid_of(const PlacedShapes& s, std::int32_t body) {
  return s.shapes.ellipsoid(s.bodies.shape[body]);
}

template <class Surface>
const Surface& surface_of(const PlacedShapes& s, std::int32_t b) {
  return std::get<Surface>(s.boundaries[boundary_of(b)].surface);
}

/// The partner of a pair; for an image it is placed in `room`.
const PlacedEllipsoid& partner(const PlacedShapes& s, const ShapePair& pair, const PairGaps& found,
                               PlacedEllipsoid& room) {
  const PlacedEllipsoid& b = s.ellipsoids[pair.b];
  if (pair.image < 0) return b;
  room = b;
  room.centre += found.images[pair.image].shift;
  return room;
}

/// Fills a batch with pairs; true if accelerations are needed.
bool fill(const PlacedShapes& s, std::span<const ShapePair> part, const PairGaps& found,
          EllipsoidBatch& batch, Vec3* start) {
  batch.size = 0;
  PlacedEllipsoid room;
  const bool bend = std::ranges::any_of(part, [](const ShapePair& p) { return p.bends; });
  for (std::size_t k = 0; k < part.size(); ++k) {
    const ShapePair& pair = part[k];
    const PlacedEllipsoid& a = s.ellipsoids[pair.a];
    const PlacedEllipsoid& b = partner(s, pair, found, room);
    start[k] = pair.cached_normals.empty() ? Vec3((a.centre - b.centre).normalized())
                                           : pair.cached_normals[0].normal;
    batch.add(a, b, start[k], pair.margin);
    if (bend) batch.set_motion(s.twist(pair.a), s.twist_of_partner(pair, found));
  }
  return bend;
}

/// One batch at a time: most pairs are proven apart by their cached normal, and most others converge
/// together.
SCREE_FOR_EACH_TARGET
void find_ellipsoid_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  EllipsoidBatch batch;
  PlacedEllipsoid room;
  std::array<Vec3, EllipsoidBatch::capacity> start;
  for (std::size_t begin = 0; begin < pairs.size(); begin += EllipsoidBatch::capacity) {
    const auto part = pairs.subspan(begin, std::min(EllipsoidBatch::capacity, pairs.size() - begin));
    const bool any_bends = fill(s, part, found, batch, start.data());
    climb(batch);
    if (any_bends) bend(batch);
    for (std::size_t k = 0; k < part.size(); ++k) {
      const ShapePair& pair = part[k];
      const PlacedEllipsoid& a = s.ellipsoids[pair.a];
      const PlacedEllipsoid& b = partner(s, pair, found, room);
      Gap& nearest = found.add(pair);
      if (batch.is_apart(k)) {
        nearest.normal = start[k];
        nearest.apart = batch.phi[k];
      } else {
        const bool known = !pair.cached_normals.empty(), quick = known && batch.has_arrived(k);
        if (quick)
          nearest = contact_of(batch, k, a.centre, b.centre);
        else
          nearest = gap(a, b, known ? &start[k] : nullptr);
        if (nearest.distance > pair.margin)
          nearest.apart = std::exchange(nearest.distance, infinity);
        else if (pair.bends)
          nearest.acceleration = quick ? batch.acceleration[k]
                                       : gap_acceleration(a, b, nearest.normal, s.twist(pair.a),
                                                          s.twist_of_partner(pair, found));
      }
    }
  }
}

void find_plane_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  for (const ShapePair& pair : pairs) {
    const PlacedEllipsoid& body = s.ellipsoids[pair.a];
    const Plane& plane = surface_of<Plane>(s, pair.b);
    Gap g = gap(body, plane);
    if (g.distance > pair.margin) continue;
    if (pair.bends) g.acceleration = gap_acceleration(body, plane, s.twist(pair.a), s.wall_motion(pair.b));
    found.add(pair, g);
  }
}

template <class Surface>
void find_surface_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  static thread_local std::vector<Gap> some;
  for (const ShapePair& pair : pairs) {
    const Ellipsoid& body = ellipsoid_of(s, pair.a);
    const Pose pose = s.bodies.pose(pair.a);
    const Surface& surface = surface_of<Surface>(s, pair.b);
    some.clear();
    contacts(body, pose, surface, pair.margin, some);
    for (Gap& g : some) {
      if (pair.bends)
        g.acceleration =
            gap_acceleration(body, pose, surface, g, {s.twist(pair.a), s.time_step_s, s.wall_motion(pair.b)});
      found.add(pair, g);
    }
  }
}

/// Adds the gaps found for a pair, with their accelerations if requested.
template <class Acceleration>
void add_gaps(const ShapePair& pair, std::vector<Gap>& some, Acceleration&& acceleration, PairGaps& found) {
  std::ranges::sort(some, {}, &Gap::feature);
  for (Gap& g : some) {
    if (pair.bends) g.acceleration = acceleration(g);
    found.add(pair, g);
  }
}

void find_implicit_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  std::vector<Gap> some;
  for (const ShapePair& pair : pairs) {
    const PlacedImplicit& a = s.implicits[pair.a];
    PlacedImplicit b = s.implicits[pair.b];
    if (pair.image >= 0) b.position += found.images[pair.image].shift;
    const Twist of_b = s.twist_of_partner(pair, found);
    some.clear();
    contacts(a, b, pair.margin, found.cached[pair.cached].memory, some);
    add_gaps(
        pair, some, [&](const Gap& g) { return gap_acceleration(a, b, g, s.twist(pair.a), of_b); }, found);
  }
}

template <class Surface>
void find_wall_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  std::vector<Gap> some;
  for (const ShapePair& pair : pairs) {
    const PlacedImplicit& body = s.implicits[pair.a];
    const Surface& surface = surface_of<Surface>(s, pair.b);
    some.clear();
    contacts(body, surface, pair.margin, found.cached[pair.cached].memory, some);
    add_gaps(
        pair, some,
        [&](const Gap& g) {
          return gap_acceleration(body, surface, g, s.twist(pair.a), s.wall_motion(pair.b));
        },
        found);
  }
}

/// The function that finds the gaps of a kind of body with a kind of partner.
using Finder = void (*)(const PlacedShapes&, std::span<const ShapePair>, PairGaps&);

template <ShapeKind body, std::size_t partner>
constexpr Finder finder() {
  if constexpr (partner == 0) {
    return body == ShapeKind::ellipsoid ? find_ellipsoid_gaps
           : body == ShapeKind::clump   ? find_clump_gaps
                                        : find_implicit_gaps;
  } else {
    using Surface = std::variant_alternative_t<partner - 1, BoundarySurface>;
    if constexpr (body == ShapeKind::clump)
      return [](const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
        clump_wall_finders[partner - 1](s, pairs, found);
      };
    else if constexpr (body == ShapeKind::ellipsoid && std::same_as<Surface, Plane>)
      return find_plane_gaps;
    else if constexpr (body == ShapeKind::ellipsoid)
      return find_surface_gaps<Surface>;
    else if constexpr (MeetsFunctions<Surface>)
      return find_wall_gaps<Surface>;
    else
      return nullptr;  // scenes do not allow this pair
  }
}

/// [PairKind::index()]
constexpr std::array<Finder, PairKind::count> finders = [] {
  std::array<Finder, PairKind::count> all{};
  const auto fill_row = [&]<ShapeKind body, std::size_t... partner>(std::index_sequence<partner...>) {
    ((all[PairKind{body, partner}.index()] = finder<body, partner>()), ...);
  };
  constexpr auto partners = std::make_index_sequence<PairKind::partners>();
  fill_row.template operator()<ShapeKind::ellipsoid>(partners);
  fill_row.template operator()<ShapeKind::clump>(partners);
  fill_row.template operator()<ShapeKind::implicit>(partners);
  return all;
}();

}  // namespace

PairKind pair_kind(const PlacedShapes& s, std::int32_t a, std::int32_t b) {
  ShapeKind kind = s.shapes.kind(s.bodies.shape[a]);
  if (is_boundary(b))
    return {kind, static_cast<std::uint8_t>(1 + s.boundaries[boundary_of(b)].surface.index())};
  const ShapeKind other = s.shapes.kind(s.bodies.shape[b]);
  if (kind == ShapeKind::ellipsoid || other == ShapeKind::clump) kind = other;
  return {kind, 0};
}

void find_gaps(std::size_t kind, const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  if (pairs.empty()) return;
  assert(finders[kind] != nullptr);
  finders[kind](s, pairs, found);
}

Gap first_touch(const PlacedShapes& s, std::int32_t a, std::int32_t b, const ImageShift* image,
                const Gap& now, double nearness_m) {
  if (pair_kind(s, a, b) != two_ellipsoids) return now;
  PlacedEllipsoid other = s.ellipsoids[b];
  Vec3 velocity = s.twist(a).linear - s.twist(b).linear;
  if (image != nullptr) {
    other.centre += image->shift;
    velocity -= image->velocity;
  }
  return first_touch(s.ellipsoids[a], other, now, velocity, s.time_step_s, nearness_m);
}

}  // namespace scree
