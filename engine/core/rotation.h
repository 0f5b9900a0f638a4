// Rotations by vectors.
#pragma once

#include <cmath>

#include "engine/core/types.h"

namespace scree {

/// Rotation about a vector, by its length, rad.
inline Quat rotation_by(const Vec3& vector) {
  const double angle = vector.norm();
  if (angle == 0.0) return Quat::Identity();
  const Vec3 v = std::sin(0.5 * angle) / angle * vector;
  return {std::cos(0.5 * angle), v[0], v[1], v[2]};
}

}  // namespace scree
