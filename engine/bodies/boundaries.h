// Boundaries: walls of all kinds. They stand still, or parts carry them.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "engine/bodies/materials.h"
#include "engine/bodies/part.h"
#include "engine/core/types.h"
#include "engine/geometry/surfaces.h"

namespace scree {

/// Surface and centre are those at rest, in world axes: where its part has not moved it yet.
struct Boundary {
  std::string name;
  MaterialIndex material;
  BoundarySurface surface;
  Vec3 centre = Vec3::Zero();            // m, what torques on it and its pose are about
  Vec3 surface_velocity = Vec3::Zero();  // m/s, of a belt, in the surface's axes; moves nothing else
  std::int32_t part = -1;                // that carries it, of the model's; -1: none
  bool removed = false;                  // of recorded boundaries: it was not there any more at that moment

  bool is_carried() const { return part >= 0; }
};

using Boundaries = std::vector<Boundary>;

/// A velocity of all points: linear is that of the one at the world's origin.
struct VelocityField {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // m/s, rad/s
  Vec3 at(const Vec3& point) const { return linear + angular.cross(point); }
};
/// That of what moves so about a point.
inline VelocityField field_of(const Twist& twist, const Vec3& about) {
  return {twist.linear - twist.angular.cross(about), twist.angular};
}

/// What has become of a boundary, and how its part moves it.
struct BoundaryPose {
  bool removed = false;
  bool is_driven = false;                    // do forces move its part?
  const PrescribedMotion* motion = nullptr;  // of the part; null: it has none
  MotionClock clock;                         // of that
  Pose carried;                              // by forces on the part, beyond what is prescribed
  VelocityField velocity;                    // likewise
  VelocityField gain;                        // that forces on the part may add within the step

  bool moves() const { return is_driven || motion != nullptr; }
};
/// Of a boundary that is carried by a part, or by none.
BoundaryPose pose_of(const Boundary& boundary, const std::vector<Part>& parts,
                     std::span<const PartState> states);

/// [boundary]; at rest where the list is empty.
inline BoundaryPose boundary_pose_of(std::span<const BoundaryPose> list, std::size_t boundary) {
  return list.empty() ? BoundaryPose{} : list[boundary];
}

/// A boundary as it stands at some time.
struct PlacedBoundary {
  BoundarySurface surface;
  Pose pose;    // position: of the centre, m; orientation: against rest
  Twist twist;  // of the centre and the surface, constant over a step: it takes the pose before to the pose
                // after
  Vec3 surface_velocity;       // m/s, the surface's velocity beyond that, world axes
  VelocityField driven, gain;  // what forces on its part have of the twist, and may add to it
  bool is_driven = false;      // do forces move its part?
  bool removed = false;

  bool moves() const { return !twist.linear.isZero(0.0) || !twist.angular.isZero(0.0); }
};

/// Where a point of the boundary goes that is at x at rest.
Pose motion_of(const BoundaryPose& boundary_pose, double time_s);
/// Boundaries that stand still where motions [boundary] have brought these: where they are, but for those
/// that are `removed` [boundary]; empty: none is.
Boundaries moved(Boundaries boundaries, const std::vector<Pose>& motions,
                 const std::vector<std::int32_t>& removed = {});

/// At a time, with the mean twist of a step of which it is the middle (s), or, where that is zero, the twist
/// at the moment. What is prescribed is exact at any time, not summed up over steps.
PlacedBoundary place(const Boundary& boundary, const BoundaryPose& boundary_pose, double time_s,
                     double step_s = 0.0);

/// The planes of an axis-aligned box seen from inside, one for every face that is not left open; a wall goes
/// on beyond an open face. `open` holds any of "-x", "+x", "-y", "+y", "-z", "+z". Names are "<name>.-x" and
/// so on.
Boundaries box_walls(const std::string& name, MaterialIndex material, const Vec3& low, const Vec3& high,
                     const std::vector<std::string>& open);

}  // namespace scree
