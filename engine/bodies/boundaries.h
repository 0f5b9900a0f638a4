// Boundaries: walls of all kinds. They are fixed, or parts carry them.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "engine/bodies/materials.h"
#include "engine/bodies/part.h"
#include "engine/core/types.h"
#include "engine/geometry/surfaces.h"

namespace scree {

/// Surface and centre are in world axes, before a part has moved the boundary.
struct Boundary {
  std::string name;
  MaterialIndex material;
  BoundarySurface surface;
  Vec3 centre = Vec3::Zero();            // m, reference point of its torque and its pose
  Vec3 surface_velocity = Vec3::Zero();  // m/s, of a belt, in the surface's axes; nothing else moves
  std::int32_t part = -1;                // index of the part of the model that carries it; -1: none
  bool removed = false;                  // of recorded boundaries: it has been removed by that time

  bool is_carried() const { return part >= 0; }
};

using Boundaries = std::vector<Boundary>;

/// A velocity at all points; `linear` is the velocity at the world's origin.
struct VelocityField {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // m/s, rad/s
  Vec3 at(const Vec3& point) const { return linear + angular.cross(point); }
};
/// The velocity field of a twist about a point.
inline VelocityField field_of(const Twist& twist, const Vec3& about) {
  return {twist.linear - twist.angular.cross(about), twist.angular};
}

/// Whether a boundary has been removed, and how its part moves it.
struct BoundaryPose {
  bool removed = false;
  bool is_driven = false;                    // do forces move its part?
  const PrescribedMotion* motion = nullptr;  // of its part; null: none
  MotionClock clock;                         // of that motion
  Pose carried;                              // movement by forces on the part, beyond the prescribed motion
  VelocityField velocity;                    // velocity of that movement
  VelocityField gain;                        // velocity that forces on the part may add within the step

  bool moves() const { return is_driven || motion != nullptr; }
};
/// The pose of a boundary, with or without a part.
BoundaryPose pose_of(const Boundary& boundary, const std::vector<Part>& parts,
                     std::span<const PartState> states);

/// [boundary]; at rest if the list is empty.
inline BoundaryPose boundary_pose_of(std::span<const BoundaryPose> list, std::size_t boundary) {
  return list.empty() ? BoundaryPose{} : list[boundary];
}

/// A boundary at one time.
struct PlacedBoundary {
  BoundarySurface surface;
  Pose pose;    // position: of the centre, m; orientation: relative to rest
  Twist twist;  // of centre and surface, constant over a step: it takes the pose at the start of the
                // step to the pose at its end
  Vec3 surface_velocity;       // m/s, velocity of the surface beyond `twist`, world axes
  VelocityField driven, gain;  // parts of `twist`: from forces on its part; what they may still add
  bool is_driven = false;      // do forces move its part?
  bool removed = false;

  bool moves() const { return !twist.linear.isZero(0.0) || !twist.angular.isZero(0.0); }
  /// Velocity of the surface beyond `twist` where a body touches it with this unit normal, m/s. A surface
  /// slides along itself: at an edge or a fold, the part along the normal does not count.
  Vec3 sliding(const Vec3& normal) const { return surface_velocity - normal.dot(surface_velocity) * normal; }
};

/// The motion that takes a point x at rest to its place at this time.
Pose motion_of(const BoundaryPose& boundary_pose, double time_s);
/// Fixed boundaries at the places to which `motions` [boundary] have brought these. Boundaries marked in
/// `removed` [boundary] are left out; empty: none is removed.
Boundaries moved(Boundaries boundaries, const std::vector<Pose>& motions,
                 const std::vector<std::int32_t>& removed = {});

/// The boundary at a time. The twist is the mean over a step about this time, or, if `step_s` is zero, the
/// twist at this time. Prescribed motion is exact at any time; it is not summed up over steps.
PlacedBoundary place(const Boundary& boundary, const BoundaryPose& boundary_pose, double time_s,
                     double step_s = 0.0);

/// The planes of an axis-aligned box seen from inside, one for each face that is not left open. Walls extend
/// beyond open faces. `open` holds any of "-x", "+x", "-y", "+y", "-z", "+z". Names are "<name>.-x" and
/// so on.
Boundaries box_walls(const std::string& name, MaterialIndex material, const Vec3& low, const Vec3& high,
                     const std::vector<std::string>& open);

}  // namespace scree
