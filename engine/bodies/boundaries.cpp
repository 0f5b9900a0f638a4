#include "engine/bodies/boundaries.h"

#include <algorithm>

namespace scree {

PlacedBoundary place(const Boundary& boundary, double time_s) {
  const auto& [linear, angular] = boundary.twist;
  PlacedBoundary placed{boundary.surface, {boundary.centre + time_s * linear, Quat::Identity()}};
  if (linear.isZero(0.0) && angular.isZero(0.0)) return placed;
  const double speed = angular.norm();
  if (speed > 0.0) placed.pose.orientation = Eigen::AngleAxisd(speed * time_s, angular / speed);
  const Pose& pose = placed.pose;
  const auto move = [&](Vec3& point) {
    point = pose.position + pose.orientation * (point - boundary.centre);
  };
  if (auto* plane = std::get_if<Plane>(&placed.surface)) {
    move(plane->point);
    plane->normal = pose.orientation * plane->normal;
  } else if (auto* tube = std::get_if<Tube>(&placed.surface)) {
    move(tube->start);
    move(tube->end);
  }
  return placed;
}

Boundaries box_walls(const std::string& name, MaterialIndex material, const Vec3& low, const Vec3& high,
                     const std::vector<std::string>& open) {
  Boundaries walls;
  const char* const axes[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      const std::string face = std::string(upper ? "+" : "-") + axes[axis];
      if (std::find(open.begin(), open.end(), face) != open.end()) continue;
      const Vec3 inward = (upper ? -1.0 : 1.0) * Vec3::Unit(axis);
      walls.push_back({name + "." + face, material, Plane{upper ? high : low, inward}});
    }
  }
  return walls;
}

}  // namespace scree
