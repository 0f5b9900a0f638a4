// A half-space as a wall.
#pragma once

#include "engine/geometry/wall.h"

namespace scree {

/// The side opposite to the normal is solid.
struct Plane {
  Vec3 point = Vec3::Zero();    // m, any point of the surface
  Vec3 normal = Vec3::UnitZ();  // unit, points to the free side
};

/// Names, units and members of all numbers, for code that stores or reads them.
void for_each_member(IsA<Plane> auto& plane, auto&& f) {
  f("point", "m", plane.point);
  f("normal", "1", plane.normal);
}

inline WallProblem problem_of(const Plane& plane) {
  return plane.normal.isZero(0.0) ? WallProblem{"normal", "must not be zero"} : WallProblem{};
}

inline Plane moved(const Plane& plane, const Pose& motion) {
  return {motion.position + motion.orientation * plane.point, motion.orientation * plane.normal};
}
inline std::optional<WallExtent> extent_of(const Plane&) { return std::nullopt; }
inline std::optional<TurningAxis> turning_axis(const Plane&) { return std::nullopt; }
inline double least_radius(const Plane&, double) { return infinity; }
inline WallRoom room(const Plane& plane, const Vec3& point) {
  const double depth = plane.normal.dot(plane.point - point);
  return depth > 0.0 ? WallRoom{WallRoom::How::behind, depth} : WallRoom{};
}

}  // namespace scree
