// When two bodies in flight touch next: conservative advancement, so that no touch is missed.
#pragma once

#include <vector>

#include "engine/bodies/boundaries.h"
#include "engine/flight/flight.h"

namespace scree {

/// Where two meet, at one moment: normal from b to a, arms from both centres to the point.
struct Meeting {
  Vec3 normal = Vec3::UnitZ(), point = Vec3::Zero();
  double distance = infinity;  // m
  double rate = 0.0;           // m/s, of the distance; negative while they approach
};

/// A body in flight, as approaches see it.
struct Flyer {
  const Flight* flight;
  Ellipsoid shape;
  double bounding_radius;  // m
  bool is_sphere;
};

/// A boundary, as approaches see it.
struct FlownAt {
  const Boundary* boundary;
  BoundaryStanding standing;
  bool moves;
  PlacedBoundary placed;  // of what does not move
  double epoch_s;         // what the times of flights count from

  PlacedBoundary at(double t) const;
};

/// The answer to the question when two touch.
struct NextTouch {
  double time = infinity;  // not before the search's end: they do not
  bool is_certain = true;  // else: look again from that time on
};

/// Surfaces that are so near touch, m: some hundred roundings of the sizes and places that distances are
/// computed from. Bodies never come nearer, so that no overlap is left to rounding.
double nearness(double size, const Vec3& place);

/// The first time between `from` and `until` when the two touch and approach. The slab between both tangent
/// planes across the normal n now keeps them apart at least as long as
///   d + d' t - M t^2 / 2 > 0,  M = |n.(a_1 - a_2)| + sum (a^2 - c^2)/c (2 w^2 + |w'|)                (V1)
/// with the largest and smallest semi-axes a, c and bounds of spins w on the way: an advance by the root of
/// this never passes a touch, and converges as Newton's method does. Two spheres on parabolas of one gravity:
/// closed form. `shift`: of the image of b.
NextTouch next_touch(const Flyer& a, const Flyer& b, const Vec3& shift, double from, double until);
/// With a boundary. Its planes as (V1). Others by the same bound for every place in which they are near, with
/// V^2 over the least radius in M and no further than what is not yet in sight may come; a contact that
/// appeared nearer than that is found by going back.
NextTouch next_touch(const Flyer& a, const FlownAt& wall, double from, double until,
                     std::vector<Gap>& scratch);

/// The two at a moment.
Meeting meeting(const Flyer& a, const Flyer& b, const Vec3& shift, double t);
/// All places where a boundary is not farther than `margin` (m).
void meetings(const Flyer& a, const FlownAt& wall, double t, double margin, std::vector<Gap>& scratch,
              std::vector<Meeting>& found);

}  // namespace scree
