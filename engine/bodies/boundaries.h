// Boundaries: walls of all kinds, that move as it is prescribed, or on mounts.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "engine/bodies/materials.h"
#include "engine/bodies/mount.h"
#include "engine/bodies/prescribed_motion.h"
#include "engine/core/types.h"
#include "engine/geometry/surfaces.h"

namespace scree {

/// Surface and centre are those at rest, in world axes: where the motion has done nothing yet.
struct Boundary {
  std::string name;
  MaterialIndex material;
  BoundarySurface surface;
  PrescribedMotion motion = {};
  Vec3 centre = Vec3::Zero();  // m, what torques on it and its pose are about
  Vec3 surface_velocity =
      Vec3::Zero();         // m/s, of a belt that the surface is, in its axes; moves nothing else
  std::int32_t mount = -1;  // that carries it and its motion, of the model's; -1: none
  bool removed = false;     // of recorded boundaries: it was not there any more at that moment

  bool is_mounted() const { return mount >= 0; }
  /// Does its surface change its place?
  bool moves() const { return !motion.is_none() || is_mounted(); }
  bool is_still() const { return !moves() && surface_velocity.isZero(0.0); }
};

using Boundaries = std::vector<Boundary>;

/// What has become of a boundary in a run.
struct BoundaryStatus {
  bool removed = false;
  MotionClock clock;  // of its motion
};

/// A velocity of all points: linear is that of the one at the world's origin.
struct VelocityField {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // m/s, rad/s
  Vec3 at(const Vec3& point) const { return linear + angular.cross(point); }
};

/// And where its mount has brought it.
struct BoundaryPose : BoundaryStatus {
  Pose carried;            // by the mount, beyond what is prescribed
  VelocityField velocity;  // of the mount
  VelocityField gain;      // that forces on the mount may add within the step
};

/// [boundary]; as a model has it where the list is empty.
inline BoundaryPose boundary_pose_of(std::span<const BoundaryPose> list, std::size_t boundary) {
  return list.empty() ? BoundaryPose{} : list[boundary];
}

inline bool any_moves(const Boundaries& boundaries) {
  return std::ranges::any_of(boundaries, &Boundary::moves);
}

/// A boundary as it stands at some time.
struct PlacedBoundary {
  BoundarySurface surface;
  Pose pose;    // position: of the centre, m; orientation: against rest
  Twist twist;  // of the centre and the surface, constant over a step: it takes the pose before to the pose
                // after
  Vec3 surface_velocity;      // m/s, the surface's velocity beyond that, world axes
  VelocityField mount, gain;  // the mount's part of the twist, and what forces on it may add
  bool removed = false;

  bool moves() const { return !twist.linear.isZero(0.0) || !twist.angular.isZero(0.0); }
};

/// Where a point of the boundary goes that is at x at rest.
Pose motion_of(const Boundary& boundary, double time_s, const BoundaryPose& boundary_pose = {});
/// Boundaries that stand still where motions [boundary] have brought these, without motions: where they are,
/// but for those that are `removed` [boundary]; empty: none is.
Boundaries moved(Boundaries boundaries, const std::vector<Pose>& motions,
                 const std::vector<std::int32_t>& removed = {});

/// At a time, with the mean twist of a step of which it is the middle (s), or, where that is zero, the twist
/// at the moment. Positions are exact at any time, not summed up over steps, but for what a mount has
/// travelled.
PlacedBoundary place(const Boundary& boundary, double time_s, double step_s = 0.0,
                     const BoundaryPose& boundary_pose = {});

/// The planes of an axis-aligned box seen from inside, one for every face that is not left open; a wall goes
/// on beyond an open face. `open` holds any of "-x", "+x", "-y", "+y", "-z", "+z". Names are "<name>.-x" and
/// so on.
Boundaries box_walls(const std::string& name, MaterialIndex material, const Vec3& low, const Vec3& high,
                     const std::vector<std::string>& open);

}  // namespace scree
