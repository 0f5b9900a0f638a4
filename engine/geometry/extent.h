// The length of a body along a direction.
#pragma once

#include "engine/geometry/shapes.h"

namespace scree {

/// How far a body reaches from its centre of mass along a unit direction and against it, m. In the body
/// frame.
struct Extent {
  double ahead, behind;

  /// A distance from the centre along the direction, over the extent on that side: in [-1, 1] in the body.
  double part(double distance) const { return distance / (distance > 0.0 ? ahead : behind); }
};
inline Extent extent(const Shapes& shapes, ShapeIndex s, const Vec3& direction) {
  return {support(shapes, s, direction).dot(direction), -support(shapes, s, -direction).dot(direction)};
}

}  // namespace scree
