#include "engine/bodies/boundaries.h"

#include <algorithm>

namespace scree {

Boundaries moved(Boundaries boundaries, const std::vector<Pose>& motions,
                 const std::vector<std::int32_t>& removed) {
  for (std::size_t k = 0; k < motions.size(); ++k) {
    Boundary& b = boundaries[k];
    b.surface = moved(b.surface, motions[k]);
    b.centre = motions[k].position + motions[k].orientation * b.centre;
    b.part = -1;
  }
  for (std::size_t k = 0; k < removed.size(); ++k) boundaries[k].removed = removed[k] != 0;
  return boundaries;
}

BoundaryPose pose_of(const Boundary& boundary, const std::vector<Part>& parts,
                     std::span<const PartState> states) {
  BoundaryPose pose;
  if (!boundary.is_carried()) return pose;
  const Part& part = parts[boundary.part];
  const PartState now = state_of(parts, states, static_cast<std::size_t>(boundary.part));
  if (!part.motion.is_none()) pose.motion = &part.motion;
  pose.clock = now.clock;
  pose.is_driven = part.is_driven();
  if (!pose.is_driven) return pose;
  pose.carried = carried_by(part, now);
  pose.velocity = field_of(twist_of(part, now), origin_of(part, now));
  return pose;
}

Pose motion_of(const BoundaryPose& boundary_pose, double time_s) {
  const Pose prescribed =
      boundary_pose.motion != nullptr ? boundary_pose.motion->at(boundary_pose.clock.at(time_s)) : Pose{};
  return boundary_pose.is_driven ? boundary_pose.carried * prescribed : prescribed;
}

PlacedBoundary place(const Boundary& boundary, const BoundaryPose& boundary_pose, double time_s,
                     double step_s) {
  PlacedBoundary placed{.surface = boundary.surface,
                        .pose = {boundary.centre, Quat::Identity()},
                        .twist = {},
                        .surface_velocity = boundary.surface_velocity,
                        .driven = boundary_pose.velocity,
                        .gain = boundary_pose.gain,
                        .is_driven = boundary_pose.is_driven,
                        .removed = boundary_pose.removed};
  if (!boundary_pose.moves()) return placed;
  const Pose motion = motion_of(boundary_pose, time_s);
  placed.surface = moved(boundary.surface, motion);
  placed.pose = {motion.position + motion.orientation * boundary.centre, motion.orientation};
  placed.surface_velocity = motion.orientation * boundary.surface_velocity;
  const MotionClock& clock = boundary_pose.clock;
  if (const PrescribedMotion* const prescribed = boundary_pose.motion) {
    const auto at = [&](double t) { return prescribed->at(clock.at(t)); };
    if (step_s > 0.0)
      placed.twist =
          twist_between(at(time_s - 0.5 * step_s), at(time_s + 0.5 * step_s), boundary.centre, step_s);
    else if (clock.runs)
      placed.twist = prescribed->twist_at(clock.at(time_s), boundary.centre);
  }
  if (!boundary_pose.is_driven) return placed;
  const Quat& turned = boundary_pose.carried.orientation;
  placed.twist = {turned * placed.twist.linear + placed.driven.at(placed.pose.position),
                  turned * placed.twist.angular + placed.driven.angular};
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
