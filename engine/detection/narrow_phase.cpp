#include "engine/detection/narrow_phase.h"

#include "engine/core/vector4.h"
#include "engine/geometry/ellipsoid_batch.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"

namespace scree {

namespace {

std::size_t slot(std::int32_t body) { return static_cast<std::size_t>(body); }

const Ellipsoid& ellipsoid_of(const PlacedShapes& s, std::int32_t body) {
  return s.shapes.ellipsoid(s.bodies.shape[slot(body)]);
}

template <class Surface>
const Surface& surface_of(const PlacedShapes& s, std::int32_t b) {
  return std::get<Surface>(s.boundaries[boundary_of(b)].surface);
}

/// A batch at a time: most pairs are proven apart by their seed, and most others arrive together.
SCREE_FOR_EACH_TARGET
void find_ellipsoid_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  EllipsoidBatch batch;
  std::array<Vec3, EllipsoidBatch::capacity> start;
  for (std::size_t begin = 0; begin < pairs.size(); begin += EllipsoidBatch::capacity) {
    const auto part = pairs.subspan(begin, std::min(EllipsoidBatch::capacity, pairs.size() - begin));
    batch.size = 0;
    for (std::size_t k = 0; k < part.size(); ++k) {
      const PlacedEllipsoid &a = s.ellipsoids[slot(part[k].a)], &b = s.ellipsoids[slot(part[k].b)];
      start[k] = part[k].seeds.empty() ? Vec3((a.centre - b.centre).normalized()) : part[k].seeds[0].normal;
      batch.add(a, b, start[k], part[k].margin);
    }
    climb(batch);
    for (std::size_t k = 0; k < part.size(); ++k) {
      const ShapePair& pair = part[k];
      const PlacedEllipsoid &a = s.ellipsoids[slot(pair.a)], &b = s.ellipsoids[slot(pair.b)];
      Gap nearest{.normal = start[k]};
      if (!batch.is_apart(k)) {
        const bool known = !pair.seeds.empty();
        nearest = known && batch.has_arrived(k) ? contact_of(batch, k, a.centre, b.centre)
                                                : gap(a, b, known ? &start[k] : nullptr);
        if (nearest.distance > pair.margin) nearest.distance = infinity;
      }
      found.add(pair, nearest);
    }
  }
}

void find_plane_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  for (const ShapePair& pair : pairs) {
    const Gap g = gap(s.ellipsoids[slot(pair.a)], surface_of<Plane>(s, pair.b));
    if (!(g.distance > pair.margin)) found.add(pair, g);
  }
}

void find_tube_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  Gap some[max_tube_contacts];
  for (const ShapePair& pair : pairs) {
    const int count = gaps(ellipsoid_of(s, pair.a), s.bodies.pose(slot(pair.a)), surface_of<Tube>(s, pair.b),
                           pair.margin, some);
    for (int k = 0; k < count; ++k) found.add(pair, some[k]);
  }
}

WallMotion wall_motion(const PlacedShapes& s, std::int32_t b, const PairMotion& motion) {
  return {s.boundaries[boundary_of(b)].pose.position, motion.b};
}

}  // namespace

PairKind pair_kind(const PlacedShapes& s, std::int32_t, std::int32_t b) {  // bodies are ellipsoids so far
  if (!is_boundary(b)) return PairKind::ellipsoid_ellipsoid;
  return std::holds_alternative<Plane>(s.boundaries[boundary_of(b)].surface) ? PairKind::ellipsoid_plane
                                                                             : PairKind::ellipsoid_tube;
}

void find_gaps(PairKind kind, const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  switch (kind) {
    case PairKind::ellipsoid_ellipsoid:
      return find_ellipsoid_gaps(s, pairs, found);
    case PairKind::ellipsoid_plane:
      return find_plane_gaps(s, pairs, found);
    case PairKind::ellipsoid_tube:
      return find_tube_gaps(s, pairs, found);
  }
}

double gap_acceleration(const PlacedShapes& s, std::int32_t a, std::int32_t b, const Gap& g,
                        const PairMotion& motion) {
  switch (pair_kind(s, a, b)) {
    case PairKind::ellipsoid_ellipsoid:
      return gap_acceleration(s.ellipsoids[slot(a)], s.ellipsoids[slot(b)], g.normal, motion.a, motion.b);
    case PairKind::ellipsoid_plane:
      return gap_acceleration(s.ellipsoids[slot(a)], surface_of<Plane>(s, b), motion.a,
                              wall_motion(s, b, motion));
    case PairKind::ellipsoid_tube:
      return gap_acceleration(ellipsoid_of(s, a), s.bodies.pose(slot(a)), surface_of<Tube>(s, b), g, motion.a,
                              motion.time_step_s, wall_motion(s, b, motion));
  }
  return 0.0;
}

Gap first_touch(const PlacedShapes& s, std::int32_t a, std::int32_t b, const Gap& now,
                const PairMotion& motion, double nearness_m) {
  if (pair_kind(s, a, b) != PairKind::ellipsoid_ellipsoid) return now;
  return first_touch(s.ellipsoids[slot(a)], s.ellipsoids[slot(b)], now, motion.a.linear - motion.b.linear,
                     motion.time_step_s, nearness_m);
}

}  // namespace scree
