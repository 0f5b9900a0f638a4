// A half-space obstacle.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// Everything on the side that the normal points away from is solid.
struct Plane {
  Vec3 point = Vec3::Zero();    // m, any point of the surface
  Vec3 normal = Vec3::UnitZ();  // unit, points to the free side
};

}  // namespace scree
