// Boundaries: walls and tubes, bodies that nothing moves but their own twist.
#pragma once

#include <string>
#include <variant>

#include "engine/bodies/materials.h"
#include "engine/core/types.h"
#include "engine/geometry/plane.h"
#include "engine/geometry/tube.h"

namespace scree {

using BoundarySurface = std::variant<Plane, Tube>;

/// Surface and centre are those at time zero, in world axes. The centre moves with the linear velocity; the
/// surface turns about it.
struct Boundary {
  std::string name;
  MaterialIndex material;
  BoundarySurface surface;
  Twist twist = {};            // constant
  Vec3 centre = Vec3::Zero();  // m
};

using Boundaries = std::vector<Boundary>;

/// A boundary as it stands at some time.
struct PlacedBoundary {
  BoundarySurface surface;
  Pose pose;  // position: of the centre, m; orientation: against time zero
};

/// Exact at any time (s), not summed up over steps.
PlacedBoundary place(const Boundary& boundary, double time_s);

/// The planes of an axis-aligned box seen from inside, one for every face that is not left open; a wall goes
/// on beyond an open face. `open` holds any of "-x", "+x", "-y", "+y", "-z", "+z". Names are "<name>.-x" and
/// so on.
Boundaries box_walls(const std::string& name, MaterialIndex material, const Vec3& low, const Vec3& high,
                     const std::vector<std::string>& open);

}  // namespace scree
