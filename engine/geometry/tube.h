// A finite open tube: contacts from inside, from outside and on its two rims.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/geometry/wall.h"

namespace scree {

/// The wall is the set of points within thickness/2 of the middle surface: the cylinder of radius
/// inner_radius + thickness/2 between `start` and `end`. The rims are therefore rounded with radius
/// thickness/2, and the surface normal is continuous everywhere.
struct Tube {
  Vec3 start = Vec3::Zero(), end = Vec3::UnitZ();  // m, ends of the axis
  double inner_radius = 1.0;                       // m
  double thickness = 0.1;                          // m

  double middle_radius() const { return inner_radius + 0.5 * thickness; }
  double outer_radius() const { return inner_radius + thickness; }
};

/// Names, units and members of all numbers, for code that stores or reads them.
void for_each_member(IsA<Tube> auto& tube, auto&& f) {
  f("start", "m", tube.start);
  f("end", "m", tube.end);
  f("inner_radius", "m", tube.inner_radius);
  f("thickness", "m", tube.thickness);
}

inline WallProblem problem_of(const Tube& tube) {
  return tube.start == tube.end ? WallProblem{"end", "must differ from start"} : WallProblem{};
}

inline Tube moved(const Tube& tube, const Pose& motion) {
  Tube result = tube;
  result.start = motion.position + motion.orientation * tube.start;
  result.end = motion.position + motion.orientation * tube.end;
  return result;
}
inline std::optional<WallExtent> extent_of(const Tube& tube) {
  const Vec3 half = 0.5 * (tube.end - tube.start);
  return WallExtent{tube.start + half, half.cwiseAbs() + Vec3::Constant(tube.outer_radius())};
}
inline std::optional<TurningAxis> turning_axis(const Tube& tube) {
  return TurningAxis{tube.start, (tube.end - tube.start).normalized()};
}
inline double least_radius(const Tube& tube, double size) {
  return std::max(0.1 * size, tube.inner_radius - size);
}
inline WallRoom room(const Tube& tube, const Vec3& point) {
  const Vec3 along = (tube.end - tube.start).normalized(), r = point - tube.start;
  const double height = r.dot(along), radial = (r - height * along).norm();
  if (height < 0.0 || height > (tube.end - tube.start).norm() || radial >= tube.outer_radius()) return {};
  if (radial >= tube.inner_radius)
    return {WallRoom::How::in_the_wall, std::min(radial - tube.inner_radius, tube.outer_radius() - radial)};
  return {WallRoom::How::free, 0.0, 2.0 * tube.inner_radius, along};
}

}  // namespace scree
