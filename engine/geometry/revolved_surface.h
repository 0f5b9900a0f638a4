// Surfaces of revolution: discs, cylinders, cones, spheres, tori, hoppers, whole or in parts.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/geometry/wall.h"

namespace scree {

/// A line of corners in the half plane (r, z), rotated about the z axis: a sheet with contacts on both sides.
/// The wall is the set of points within `rounding` of it. A single corner is a ball or, off the axis, a
/// torus. Made by revolved_surface().
struct RevolvedSurface {
  std::vector<Vec2> corners;  // m, r >= 0
  bool closed = false;        // is the last corner joined to the first?
  double rounding = 0.0;      // m
  bool hollow = false;        // for one corner on the axis: the wall is outside of `rounding` from it

  struct Segment {
    Vec2 from, along, normal;  // m; unit, to the next corner; unit, away from the axis
    double length;             // m
  };
  std::vector<Segment> segments;
  struct Ends {
    std::array<Vec2, 2> into;  // unit, from the corner along the segments that meet there
    int count = 0;
  };
  std::vector<Ends> ends;  // [corner]
};

/// Leaves out corners at which the line goes straight on. Preconditions: r >= 0, no two equal neighbours;
/// rounding > 0 if any part has no area.
RevolvedSurface revolved_surface(const std::vector<Vec2>& corners, bool closed, double rounding);
/// The inside of a sphere about the origin.
RevolvedSurface hollow_sphere(double radius);

/// A surface in its pose: x at rest moves to orientation * x + position; its axis is the third.
struct PlacedRevolved {
  std::shared_ptr<const RevolvedSurface> surface;
  Pose pose;
};

/// Distance of a point from the wall, m: negative within it.
double distance(const PlacedRevolved& placed, const Vec3& point);

PlacedRevolved moved(const PlacedRevolved& placed, const Pose& motion);
/// None for a hollow sphere.
std::optional<WallExtent> extent_of(const PlacedRevolved& placed);
inline std::optional<TurningAxis> turning_axis(const PlacedRevolved& placed) {
  return TurningAxis{placed.pose.position, placed.pose.orientation * Vec3::UnitZ()};
}
inline double least_radius(const PlacedRevolved&, double size) { return 0.5 * size; }
WallRoom room(const PlacedRevolved& placed, const Vec3& point);

}  // namespace scree
