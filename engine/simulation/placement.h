// Where bodies may not be: what is wrong with a state that is to be started from, and who is lost.
#pragma once

#include <optional>

#include "engine/simulation/model.h"

namespace scree {

/// How well a state that is to be started from must be placed.
struct PlacementLimits {
  double overlap = 0.05;  // deepest, of the smaller body's smallest length
  double travel = 0.5;    // in the first step, of the body's smallest length: more may pass through others
};

/// A body that overlaps another or a boundary by more than the limit, or cannot be where a boundary is.
struct Misplaced {
  enum class How : std::uint8_t { overlaps, behind, in_the_wall, wider_than_the_bore };
  How how = How::overlaps;
  bool by_boundary = false;
  std::size_t body = 0, other = 0;  // slots of two bodies, body < other, or of a body and a boundary
  double depth_m = 0.0;
  bool at_least = false;  // overlaps of functions are measured to half the smallest length
  double relative = 0.0;  // depth over the smaller body's smallest length
  double width_m = 0.0;   // of the body's shadow along the tube, where it is too wide
};

/// All of them, ordered by body. `limit` as PlacementLimits::overlap; depths are those that a step would
/// find.
std::vector<Misplaced> misplaced_bodies(const Model& model, const Bodies& bodies, double limit);

/// Two bodies of a crowd: so many pairs whose centres are nearer to each other than half the smaller smallest
/// length that no arrangement of bodies has them.
struct Crowd {
  std::size_t body = 0, other = 0;  // slots, body < other: the first two that met
  std::size_t near = 0;             // bodies that were looked at until it was clear
};
/// Told in a time that the number of bodies bounds, while misplaced_bodies() looks at every pair.
std::optional<Crowd> crowd(const Model& model, const Bodies& bodies);

/// Would a body at rest overlap a boundary as those stand at the time, or be behind a plane?
bool overlaps_boundary(const Model& model, ShapeIndex shape, MaterialIndex material, const Pose& pose,
                       double time_s, std::span<const BoundaryPose> boundary_pose = {});

/// Would a body overlap a boundary as those stand at the start, however deeply, or be behind one? Of a body
/// given by a function that is not star-shaped about its centre, a mesh within its hollows may count.
bool is_in_boundary(const Model& model, ShapeIndex shape, MaterialIndex material, const Pose& pose);

/// What the exact relation says of the pairs of bodies that are nearer than the first step looks.
struct ExactRelations {
  struct Pair {
    std::size_t a = 0, b = 0;  // slots
    Relation relation = Relation::separate;
    double gap_m = infinity;  // as a step finds it
  };
  std::array<std::int64_t, relations.size()> count{};  // [Relation]
  std::int64_t unknown = 0;                            // pairs of shapes without an exact test
  std::int64_t disagreeing = 0;  // touch or overlap by the one, and not by the other, beyond rounding
  Pair deepest;                  // of those that are not separate
};
ExactRelations exact_relations(const Model& model, const Bodies& bodies);

/// The body that covers most of its own smallest length in the first step, and how much of it; 0 without
/// bodies.
struct Travel {
  std::size_t body = 0;
  double relative = 0.0;
};
Travel farthest_travel(const Model& model, const Bodies& bodies);

/// Bodies with a number that is not finite, or whose centre is behind a plane, or outside a hollow sphere,
/// by more than their bounding radius, as the boundaries stand at the time.
std::int64_t count_lost_bodies(const Model& model, const Bodies& bodies, double time_s,
                               std::span<const BoundaryPose> boundary_pose = {});

}  // namespace scree
