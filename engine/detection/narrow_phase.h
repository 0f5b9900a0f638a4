// The narrow phase: gaps of pairs of shapes. One signature for all pairs of kinds.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/bodies/boundaries.h"
#include "engine/detection/contacts.h"
#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"

namespace scree {

struct ShapePair;
struct PairGaps;

/// A member of a clump in its pose, or a body that is an ellipsoid.
struct PlacedMember {
  Ellipsoid ellipsoid;
  Pose pose;
  PlacedEllipsoid placed;
  Vec3 arm;  // m, world, from the body's centre
};

/// All shapes of a step in their poses.
struct PlacedShapes {
  const Shapes& shapes;
  const Bodies& bodies;
  std::vector<PlacedEllipsoid>& ellipsoids;  // [body] bodies that are ellipsoids
  std::vector<PlacedImplicit>& implicits;    // [body] all bodies as functions, if there are functions
  std::vector<PlacedMember>& members;        // members of body i from first_member[i] on, if there are clumps
  const std::vector<std::int32_t>& first_member;  // [body + 1]
  std::vector<PlacedBoundary>& boundaries;        // [boundary]
  double time_step_s;

  std::span<const PlacedMember> members_of(std::int32_t body) const {
    const auto i = static_cast<std::size_t>(body);
    const auto first = static_cast<std::size_t>(first_member[i]),
               end = static_cast<std::size_t>(first_member[i + 1]);
    return std::span(members).subspan(first, end - first);
  }
  Twist twist(std::int32_t partner) const {
    if (is_boundary(partner)) return boundaries[boundary_of(partner)].twist;
    const auto i = static_cast<std::size_t>(partner);
    return {bodies.linear_velocity[i], bodies.angular_velocity[i]};
  }
  /// Twist of b, or of its image.
  Twist twist_of_partner(const ShapePair& pair, const PairGaps& found) const;
  WallMotion wall_motion(std::int32_t boundary) const {
    return {boundaries[boundary_of(boundary)].pose.position, twist(boundary)};
  }
};

/// Places the members of a body, where there are clumps.
void place_members(const PlacedShapes& placed, std::size_t body);

/// The kinds of a pair: the kind of the bodies (of two kinds the one that needs more), and another body or a
/// kind of wall. Pairs of functions have a memory.
struct PairKind {
  ShapeKind body = ShapeKind::ellipsoid;
  std::uint8_t partner = 0;  // 0: a body; else 1 more than the place of the wall's kind in BoundarySurface

  static constexpr std::size_t partners = 1 + std::variant_size_v<BoundarySurface>;
  static constexpr std::size_t count = shape_kinds.size() * partners;
  constexpr std::size_t index() const { return static_cast<std::size_t>(body) * partners + partner; }
  constexpr bool is_cached() const { return body == ShapeKind::implicit; }
  constexpr bool operator==(const PairKind&) const = default;
};
inline constexpr PairKind two_ellipsoids{ShapeKind::ellipsoid, 0}, two_implicits{ShapeKind::implicit, 0};
PairKind pair_kind(const PlacedShapes& placed, std::int32_t a, std::int32_t b);

/// Position and velocity of a partner's image relative to the partner itself.
struct ImageShift {
  Vec3 shift, velocity;  // m, m/s
};

/// A body and its partner whose gaps are searched for.
struct ShapePair {
  std::int32_t a, b, number;                     // number: where its gaps are stored
  std::int32_t image;                            // its place in PairGaps::images; -1: the partner itself
  double margin;                                 // m: wider gaps are ignored
  std::span<const CachedNormal> cached_normals;  // of the last step
  std::int32_t cached;                           // its place in PairGaps::cached, for kinds with a memory
  bool bends;                                    // are the accelerations of its gaps needed?
};

/// The gaps of a list of pairs: any number for each pair. Gaps of infinite distance are no contact, but the
/// search of the next step starts from their normals.
struct PairGaps {
  static constexpr std::int32_t still_apart = -1;  // as a count
  struct Found {
    std::int32_t a, b;
    std::int32_t image;         // its place in images; -1: the partner itself
    std::int32_t first, count;  // of its gaps; or of its cached normals if it is known to be still apart
    bool bends;
    bool is_cached;  // else by cached normals
    double length;   // m, of the smaller
  };
  std::vector<Gap> gap;
  std::vector<Found> of_pair;  // [number]
  std::vector<ImageShift> images;
  std::vector<CachedPair> cached;  // ordered by key: of the last step, then of this step

  /// Null: the partner itself.
  const ImageShift* image_of(const Found& pair) const {
    return pair.image < 0 ? nullptr : &images[pair.image];
  }

  void add(const ShapePair& pair, const Gap& found) { add(pair) = found; }
  /// Adds a gap without a distance yet.
  Gap& add(const ShapePair& pair) {
    Found& of = of_pair[pair.number];
    if (of.count++ == 0) of.first = static_cast<std::int32_t>(gap.size());
    return gap.emplace_back();
  }
};

inline Twist PlacedShapes::twist_of_partner(const ShapePair& pair, const PairGaps& found) const {
  Twist partner = twist(pair.b);
  if (pair.image >= 0) partner.linear += found.images[pair.image].velocity;
  return partner;
}

/// Gaps of pairs that all have the kind with this number; pairs that bend get their accelerations (G3).
void find_gaps(std::size_t kind, const PlacedShapes& placed, std::span<const ShapePair> pairs,
               PairGaps& found);

/// The contact of two bodies that touch within the step, see first_touch() of two ellipsoids; `now` itself
/// for kinds whose normal does not change on the way.
Gap first_touch(const PlacedShapes& placed, std::int32_t a, std::int32_t b, const ImageShift* image,
                const Gap& now, double nearness_m);

}  // namespace scree
