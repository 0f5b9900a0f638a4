#include "engine/detection/narrow_phase.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/core/vector4.h"
#include "engine/detection/clump_gaps.h"
#include "engine/geometry/ellipsoid_batch.h"
#include "engine/geometry/ellipsoid_mesh.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_revolved.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "engine/geometry/implicit/implicit_mesh.h"
#include "engine/geometry/implicit/implicit_walls.h"

namespace scree {

namespace {

const Ellipsoid& ellipsoid_of(const PlacedShapes& s, std::int32_t body) {
  return s.shapes.ellipsoid(s.bodies.shape[body]);
}

template <class Surface>
const Surface& surface_of(const PlacedShapes& s, std::int32_t b) {
  return std::get<Surface>(s.boundaries[boundary_of(b)].surface);
}

/// The partner of a pair; an image of it in `room`.
const PlacedEllipsoid& partner(const PlacedShapes& s, const ShapePair& pair, const PairGaps& found,
                               PlacedEllipsoid& room) {
  const PlacedEllipsoid& b = s.ellipsoids[pair.b];
  if (pair.image < 0) return b;
  room = b;
  room.centre += found.images[pair.image].shift;
  return room;
}

/// Fills a batch with pairs; do any bend?
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

/// A batch at a time: most pairs are proven apart by their seed, and most others arrive together.
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

void find_tube_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  Gap some[max_tube_contacts];
  for (const ShapePair& pair : pairs) {
    const Ellipsoid& body = ellipsoid_of(s, pair.a);
    const Pose pose = s.bodies.pose(pair.a);
    const Tube& tube = surface_of<Tube>(s, pair.b);
    const int count = gaps(body, pose, tube, pair.margin, some);
    for (int k = 0; k < count; ++k) {
      if (pair.bends)
        some[k].acceleration = gap_acceleration(body, pose, tube, some[k],
                                                {s.twist(pair.a), s.time_step_s, s.wall_motion(pair.b)});
      found.add(pair, some[k]);
    }
  }
}

/// Of meshes and surfaces of revolution.
template <class Surface>
void find_surface_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  std::vector<Gap> some;
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

/// Gaps that were found of a pair, with their accelerations where they are asked for.
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

}  // namespace

PairKind pair_kind(const PlacedShapes& s, std::int32_t a, std::int32_t b) {
  const auto kind = [&](std::int32_t body) { return s.shapes.kind(s.bodies.shape[body]); };
  if (kind(a) == ShapeKind::clump || (!is_boundary(b) && kind(b) == ShapeKind::clump))
    return clump_pair_kind(s, b);
  const auto is_ellipsoid = [&](std::int32_t body) { return kind(body) == ShapeKind::ellipsoid; };
  if (!is_boundary(b))
    return is_ellipsoid(a) && is_ellipsoid(b) ? PairKind::ellipsoid_ellipsoid : PairKind::implicit_implicit;
  const BoundarySurface& surface = s.boundaries[boundary_of(b)].surface;
  if (std::holds_alternative<Plane>(surface))
    return is_ellipsoid(a) ? PairKind::ellipsoid_plane : PairKind::implicit_plane;
  if (std::holds_alternative<PlacedMesh>(surface))
    return is_ellipsoid(a) ? PairKind::ellipsoid_mesh : PairKind::implicit_mesh;
  if (std::holds_alternative<PlacedRevolved>(surface)) {
    assert(is_ellipsoid(a));  // of functions, scenes do not let them meet
    return PairKind::ellipsoid_revolved;
  }
  return is_ellipsoid(a) ? PairKind::ellipsoid_tube : PairKind::implicit_tube;
}

void find_gaps(PairKind kind, const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  switch (kind) {
    case PairKind::ellipsoid_ellipsoid:
      return find_ellipsoid_gaps(s, pairs, found);
    case PairKind::ellipsoid_plane:
      return find_plane_gaps(s, pairs, found);
    case PairKind::ellipsoid_tube:
      return find_tube_gaps(s, pairs, found);
    case PairKind::ellipsoid_mesh:
      return find_surface_gaps<PlacedMesh>(s, pairs, found);
    case PairKind::ellipsoid_revolved:
      return find_surface_gaps<PlacedRevolved>(s, pairs, found);
    case PairKind::clump_clump:
    case PairKind::clump_plane:
    case PairKind::clump_tube:
    case PairKind::clump_mesh:
    case PairKind::clump_revolved:
      return find_clump_gaps(kind, s, pairs, found);
    case PairKind::implicit_implicit:
      return find_implicit_gaps(s, pairs, found);
    case PairKind::implicit_plane:
      return find_wall_gaps<Plane>(s, pairs, found);
    case PairKind::implicit_tube:
      return find_wall_gaps<Tube>(s, pairs, found);
    case PairKind::implicit_mesh:
      return find_wall_gaps<PlacedMesh>(s, pairs, found);
  }
}

Gap first_touch(const PlacedShapes& s, std::int32_t a, std::int32_t b, const ImageShift* image,
                const Gap& now, double nearness_m) {
  if (pair_kind(s, a, b) != PairKind::ellipsoid_ellipsoid) return now;
  PlacedEllipsoid other = s.ellipsoids[b];
  Vec3 velocity = s.twist(a).linear - s.twist(b).linear;
  if (image != nullptr) {
    other.centre += image->shift;
    velocity -= image->velocity;
  }
  return first_touch(s.ellipsoids[a], other, now, velocity, s.time_step_s, nearness_m);
}

}  // namespace scree
