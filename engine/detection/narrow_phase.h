// The narrow phase: gaps of pairs of shapes. One signature for every pair of kinds.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/bodies/boundaries.h"
#include "engine/detection/contacts.h"
#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"

namespace scree {

struct ShapePair;
struct PairGaps;

/// An ellipsoid of a clump where it is, or a body that is one.
struct PlacedMember {
  Ellipsoid ellipsoid;
  Pose pose;
  PlacedEllipsoid placed;
  Vec3 arm;  // m, world, from the body's centre
};

/// All shapes of a step where they are.
struct PlacedShapes {
  const Shapes& shapes;
  const Bodies& bodies;
  std::vector<PlacedEllipsoid>& ellipsoids;  // [body] those that are one
  std::vector<PlacedImplicit>& implicits;    // [body] all as functions, where there are any; so are these
  std::vector<PlacedMember>& members;  // those of body i from first_member[i] on, where there are clumps
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
  /// Of b, or of its image.
  Twist twist_of_partner(const ShapePair& pair, const PairGaps& found) const;
  WallMotion wall_motion(std::int32_t boundary) const {
    return {boundaries[boundary_of(boundary)].pose.position, twist(boundary)};
  }
};

/// Places what a body consists of, where there are clumps.
void place_members(const PlacedShapes& placed, std::size_t body);

/// What meets what: bodies of a kind, or of two kinds whichever of them needs more, and another body or a
/// wall of a kind. Pairs of functions have a memory.
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

/// Where the image of a partner is that a pair is about, against the body itself, and how it moves against
/// it.
struct ImageShift {
  Vec3 shift, velocity;  // m, m/s
};

/// A body and its partner whose gaps are asked for.
struct ShapePair {
  std::int32_t a, b, number;                     // number: where its gaps go
  std::int32_t image;                            // its place in PairGaps::images; -1: the partner itself
  double margin;                                 // m: wider gaps are of no interest
  std::span<const CachedNormal> cached_normals;  // of the last step
  std::int32_t cached;                           // its place in PairGaps::remembered, of kinds that have one
  bool bends;                                    // are the accelerations of its gaps asked for?
};

/// What was found of a list of pairs: any number of gaps each. Those of infinite distance are no contact, but
/// their normal is where the next step begins.
struct PairGaps {
  static constexpr std::int32_t still_apart = -1;  // as a count
  struct Found {
    std::int32_t a, b;
    std::int32_t image;         // its place in images; -1: the partner itself
    std::int32_t first, count;  // of its gaps; or, where it is known to be apart still, of its seed
    bool bends;
    bool is_cached;  // else by seeds
    double length;   // m, of the smaller
  };
  std::vector<Gap> gap;
  std::vector<Found> of_pair;  // [number]
  std::vector<ImageShift> images;
  std::vector<CachedPair> cached;  // in the order of keys: those of the last step, and then of this one

  /// Null: the partner itself.
  const ImageShift* image_of(const Found& pair) const {
    return pair.image < 0 ? nullptr : &images[pair.image];
  }

  void add(const ShapePair& pair, const Gap& found) { add(pair) = found; }
  /// One more, still without distance.
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

/// Gaps of pairs that are all of the kind of this number; of those that bend with their accelerations (G3).
void find_gaps(std::size_t kind, const PlacedShapes& placed, std::span<const ShapePair> pairs,
               PairGaps& found);

/// The contact of two bodies that come to it within the step, see first_touch() of two ellipsoids; `now`
/// itself for kinds whose normal does not change on the way.
Gap first_touch(const PlacedShapes& placed, std::int32_t a, std::int32_t b, const ImageShift* image,
                const Gap& now, double nearness_m);

}  // namespace scree
