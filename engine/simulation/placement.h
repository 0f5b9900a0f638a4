// Checks of places: errors of an initial state, and lost bodies.
#pragma once

#include <optional>

#include "engine/simulation/model.h"

namespace scree {

/// Limits for the placement of an initial state.
struct PlacementLimits {
  double overlap = 0.05;  // largest overlap, over the smaller body's smallest length
  double travel = 0.5;    // in the first step, over the body's smallest length: else bodies may miss others
};

/// A body that overlaps another or a boundary by more than the limit, or cannot be at its place in a
/// boundary.
struct Misplaced {
  enum class How : std::uint8_t { overlaps, behind, in_the_wall, wider_than_the_bore };
  How how = How::overlaps;
  bool by_boundary = false;
  std::size_t body = 0, other = 0;  // slots of two bodies, body < other, or of a body and a boundary
  double depth_m = 0.0;
  bool at_least = false;  // overlaps of functions are measured up to half the smallest length
  double relative = 0.0;  // depth over the smaller body's smallest length
  double width_m = 0.0;   // width of the body's projection along the tube, if it is too wide
};

/// All misplaced bodies, ordered by body. `limit` as PlacementLimits::overlap; depths are those that a step
/// would find.
std::vector<Misplaced> misplaced_bodies(const Model& model, const Bodies& bodies, double limit);

/// Two bodies of a crowd: more pairs have centres nearer to each other than half the smaller smallest
/// length than any possible arrangement of bodies.
struct Crowd {
  std::size_t body = 0, other = 0;  // slots, body < other: the first such pair
  std::size_t near = 0;             // number of bodies examined
};
/// Its time is bounded by the number of bodies, while misplaced_bodies() examines all pairs.
std::optional<Crowd> crowd(const Model& model, const Bodies& bodies);

/// Would a body at rest overlap a boundary in its pose at the time, or be behind a plane?
bool overlaps_boundary(const Model& model, ShapeIndex shape, MaterialIndex material, const Pose& pose,
                       double time_s, std::span<const BoundaryPose> boundary_pose = {});

/// Would a body overlap a boundary in its initial pose, at any depth, or be behind it? For a body
/// given by a function that is not star-shaped about its centre, a mesh within its hollows may count.
bool is_in_boundary(const Model& model, ShapeIndex shape, MaterialIndex material, const Pose& pose);

/// Exact relations of the pairs of bodies within the search distance of the first step.
struct ExactRelations {
  struct Pair {
    std::size_t a = 0, b = 0;  // slots
    Relation relation = Relation::separate;
    double gap_m = infinity;  // from the contact search of a step
  };
  std::array<std::int64_t, relations.size()> count{};  // [Relation]
  std::int64_t unknown = 0;                            // pairs of shapes without an exact test
  std::int64_t disagreeing = 0;  // touching or overlapping by only one of both tests, beyond rounding
  Pair deepest;                  // of pairs that are not separate
};
ExactRelations exact_relations(const Model& model, const Bodies& bodies);

/// The body that moves farthest in the first step, over its own smallest length; 0 without
/// bodies.
struct Travel {
  std::size_t body = 0;
  double relative = 0.0;
};
Travel farthest_travel(const Model& model, const Bodies& bodies);

/// Number of bodies with a number that is not finite, or with a centre behind a plane or outside a hollow
/// sphere by more than their bounding radius, with the boundaries at the time.
std::int64_t count_lost_bodies(const Model& model, const Bodies& bodies, double time_s,
                               std::span<const BoundaryPose> boundary_pose = {});

}  // namespace scree
