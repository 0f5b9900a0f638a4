// The next contact of two bodies in flight, by conservative advancement, so that no contact is missed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/bodies/boundaries.h"
#include "engine/modules/flight/flight.h"

namespace scree {

/// The contact of two bodies at one moment: normal from b to a, arms from both centres to the point.
struct Meeting {
  Vec3 normal = Vec3::UnitZ(), point = Vec3::Zero();
  double distance = infinity;  // m
  double rate = 0.0;           // m/s, rate of the distance; negative while they approach
};

/// A body in flight, with the data of approach searches.
struct BallisticBody {
  enum class Form : std::uint8_t { sphere, ellipsoid, clump, function };
  const Flight* flight;
  Form form;
  Ellipsoid shape;                          // itself, or an ellipsoid that contains it
  double bounding_radius;                   // m
  double smallest;                          // m, its smallest length
  double bulging;                           // m, factor of 2 w^2 + |w'| in (V1): the largest of its parts
  std::span<const ClumpMember> parts = {};  // members of a clump, m
  const ImplicitShape* function = nullptr;  // if functions are involved: the shape as one
  double size = 1.0;                        // m, of the function

  bool is_sphere() const { return form == Form::sphere; }
};

/// Common data of flying bodies of one shape.
struct FlownShape {
  Ellipsoid enclosing;
  std::vector<ClumpMember> parts;  // members of a clump, m
};
FlownShape flown_shape(const Shapes& shapes, ShapeIndex shape);

/// `of`: data of this shape; it must outlive the result. `growth`: the containing ellipsoid is enlarged by
/// this factor.
BallisticBody ballistic_body(const Shapes& shapes, ShapeIndex shape, const FlownShape& of,
                             const Flight& flight, double growth = 1.0);

/// A boundary, with the data of approach searches.
struct FlownAt {
  const Boundary* boundary;
  BoundaryPose boundary_pose;
  PlacedBoundary placed;  // if it does not move
  double epoch_s;         // origin of the times of flights

  PlacedBoundary at(double t) const;
};

/// The next contact of two bodies.
struct NextTouch {
  double time = infinity;  // at or after the end of the search: no contact
  bool is_certain = true;  // else: search again from that time on
};

/// Surfaces that are this near are in contact, m: a few hundred roundings of the sizes and positions from
/// which distances are computed, for functions the accuracy of their contacts. Bodies never come nearer, so
/// that rounding cannot cause an overlap.
double nearness(const BallisticBody& a, const Vec3& place);

/// The first time between `from` and `until` at which the two touch and approach. The slab between both
/// tangent planes across the present normal n separates them at least as long as
///   d + d' t - M t^2 / 2 > 0,  M = |n.(a_1 - a_2)| + sum (a^2 - c^2)/c (2 w^2 + |w'|)                (V1)
/// with the largest and smallest semi-axes a, c and bounds of the spins w. An advance by the root of
/// this never passes a contact, and converges as Newton's method does. Two spheres on parabolas of the same
/// gravity: closed form. Clumps: the earliest of all pairs of members, with |x| added to (a^2 - c^2)/c for a
/// member at x. Functions, whose distance has many minima: as curved walls below. `shift`: of the image of b.
NextTouch next_touch(const BallisticBody& a, const BallisticBody& b, const Vec3& shift, double from,
                     double until);
/// The same for a boundary. Planes use (V1). Other walls use the same bound for each place at which they are
/// near, with V^2 over the least radius added to M, and advance no further than contacts outside of the
/// search margin may come. A contact that appeared nearer than that is found by going back.
NextTouch next_touch(const BallisticBody& a, const FlownAt& wall, double from, double until,
                     std::vector<Gap>& scratch);

/// A flying body, or its image in the cell at this distance (m).
struct BallisticImage {
  const BallisticBody& ballistic_body;
  const Vec3& shift;
};

/// The contacts of two bodies at a moment: for convex ones the one nearest place, for others all places
/// with a distance of at most `margin` (m).
void meetings(const BallisticBody& a, const BallisticImage& image, double t, double margin,
              std::vector<Gap>& scratch, std::vector<Meeting>& found);
/// All places at which a boundary is within `margin` (m).
void meetings(const BallisticBody& a, const FlownAt& wall, double t, double margin, std::vector<Gap>& scratch,
              std::vector<Meeting>& found);

/// Overlap of two bodies, m; 0 if there is none: for ellipsoids, and for all members of clumps, by their
/// exact relation.
double overlap(const BallisticBody& a, const Pose& of_a, const BallisticBody& b, const Pose& of_b);
/// Overlap with a boundary at a time.
double overlap(const BallisticBody& a, const Pose& of_a, const FlownAt& wall, double t,
               std::vector<Gap>& scratch);

}  // namespace scree
