// When two bodies in flight touch next: conservative advancement, so that no touch is missed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/bodies/boundaries.h"
#include "engine/modules/flight/flight.h"

namespace scree {

/// Where two meet, at one moment: normal from b to a, arms from both centres to the point.
struct Meeting {
  Vec3 normal = Vec3::UnitZ(), point = Vec3::Zero();
  double distance = infinity;  // m
  double rate = 0.0;           // m/s, of the distance; negative while they approach
};

/// A body in flight, as approaches see it.
struct BallisticBody {
  enum class Form : std::uint8_t { sphere, ellipsoid, clump, function };
  const Flight* flight;
  Form form;
  Ellipsoid shape;         // itself, or what holds it
  double bounding_radius;  // m
  double smallest;         // m, its smallest length
  double bulging;          // m, what multiplies 2 w^2 + |w'| in (V1): the largest of its parts
  std::span<const ClumpMember> parts = {};  // of a clump, m
  const ImplicitShape* function = nullptr;  // where functions are about: the shape as one
  double size = 1.0;                        // m, of the function

  bool is_sphere() const { return form == Form::sphere; }
};

/// What flyers of one shape have in common.
struct FlownShape {
  Ellipsoid enclosing;
  std::vector<ClumpMember> parts;  // of a clump, m
};
FlownShape flown_shape(const Shapes& shapes, ShapeIndex shape);

/// `of`: of this shape, outlives the flyer. `growth`: an ellipsoid so much larger than one that holds the
/// shape stands for it.
BallisticBody ballistic_body(const Shapes& shapes, ShapeIndex shape, const FlownShape& of,
                             const Flight& flight, double growth = 1.0);

/// A boundary, as approaches see it.
struct FlownAt {
  const Boundary* boundary;
  BoundaryPose boundary_pose;
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
/// computed from, of functions what their contacts are exact to. Bodies never come nearer, so that no overlap
/// is left to rounding.
double nearness(const BallisticBody& a, const Vec3& place);

/// The first time between `from` and `until` when the two touch and approach. The slab between both tangent
/// planes across the normal n now keeps them apart at least as long as
///   d + d' t - M t^2 / 2 > 0,  M = |n.(a_1 - a_2)| + sum (a^2 - c^2)/c (2 w^2 + |w'|)                (V1)
/// with the largest and smallest semi-axes a, c and bounds of spins w on the way: an advance by the root of
/// this never passes a touch, and converges as Newton's method does. Two spheres on parabolas of one gravity:
/// closed form. Clumps: the soonest of all pairs of parts, with |x| beside (a^2 - c^2)/c of a part at x.
/// Functions, whose distance has many minima: as surfaces that bend, below. `shift`: of the image of b.
NextTouch next_touch(const BallisticBody& a, const BallisticBody& b, const Vec3& shift, double from,
                     double until);
/// With a boundary. Its planes as (V1). Others by the same bound for every place in which they are near, with
/// V^2 over the least radius in M and no further than what is not yet in sight may come; a contact that
/// appeared nearer than that is found by going back.
NextTouch next_touch(const BallisticBody& a, const FlownAt& wall, double from, double until,
                     std::vector<Gap>& scratch);

/// A flyer, or its image in the cell so far (m) from it.
struct BallisticImage {
  const BallisticBody& ballistic_body;
  const Vec3& shift;
};

/// Where the two meet at a moment: convex ones in the one place where they are nearest, others in all places
/// that are not farther apart than `margin` (m).
void meetings(const BallisticBody& a, const BallisticImage& image, double t, double margin,
              std::vector<Gap>& scratch, std::vector<Meeting>& found);
/// All places where a boundary is not farther than `margin` (m).
void meetings(const BallisticBody& a, const FlownAt& wall, double t, double margin, std::vector<Gap>& scratch,
              std::vector<Meeting>& found);

/// How deep two overlap, m; 0 where they do not: of ellipsoids, and of all parts of clumps, by their exact
/// relation.
double overlap(const BallisticBody& a, const Pose& of_a, const BallisticBody& b, const Pose& of_b);
/// With a boundary as it is at a time.
double overlap(const BallisticBody& a, const Pose& of_a, const FlownAt& wall, double t,
               std::vector<Gap>& scratch);

}  // namespace scree
