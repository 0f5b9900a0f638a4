#include "engine/bodies/boundaries.h"

#include <algorithm>

namespace scree {

Boundaries moved(Boundaries boundaries, const std::vector<Pose>& motions,
                 const std::vector<std::int32_t>& removed) {
  for (std::size_t k = 0; k < motions.size(); ++k) {
    Boundary& b = boundaries[k];
    b.surface = moved(b.surface, motions[k]);
    b.centre = motions[k].position + motions[k].orientation * b.centre;
    b.motion = {};
    b.mount = -1;
  }
  for (std::size_t k = 0; k < removed.size(); ++k) boundaries[k].removed = removed[k] != 0;
  return boundaries;
}

Pose motion_of(const Boundary& boundary, double time_s, const BoundaryPose& boundary_pose) {
  const Pose prescribed = boundary.motion.at(boundary_pose.clock.at(time_s));
  if (!boundary.is_mounted()) return prescribed;
  const Pose& by = boundary_pose.carried;
  return {by.position + by.orientation * prescribed.position, by.orientation * prescribed.orientation};
}

PlacedBoundary place(const Boundary& boundary, double time_s, double step_s,
                     const BoundaryPose& boundary_pose) {
  PlacedBoundary placed{.surface = boundary.surface,
                        .pose = {boundary.centre, Quat::Identity()},
                        .twist = {},
                        .surface_velocity = boundary.surface_velocity,
                        .mount = boundary_pose.velocity,
                        .gain = boundary_pose.gain,
                        .removed = boundary_pose.removed};
  if (!boundary.moves()) return placed;
  const Pose motion = motion_of(boundary, time_s, boundary_pose);
  placed.surface = moved(boundary.surface, motion);
  placed.pose = {motion.position + motion.orientation * boundary.centre, motion.orientation};
  placed.surface_velocity = motion.orientation * boundary.surface_velocity;
  const auto at = [&](double t) { return boundary.motion.at(boundary_pose.clock.at(t)); };
  if (!boundary.motion.is_none()) {
    if (step_s > 0.0)
      placed.twist =
          twist_between(at(time_s - 0.5 * step_s), at(time_s + 0.5 * step_s), boundary.centre, step_s);
    else if (boundary_pose.clock.runs)
      placed.twist = boundary.motion.twist_at(boundary_pose.clock.at(time_s), boundary.centre);
  }
  if (!boundary.is_mounted()) return placed;
  const Quat& turned = boundary_pose.carried.orientation;
  placed.twist = {turned * placed.twist.linear + placed.mount.at(placed.pose.position),
                  turned * placed.twist.angular + placed.mount.angular};
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
