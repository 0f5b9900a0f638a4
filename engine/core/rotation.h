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

/// The smallest rotation from one direction to another; about any axis across if they are opposite. As
/// Eigen's FromTwoVectors, which takes ten seconds to compile in each file.
inline Quat turn_between(const Vec3& from, const Vec3& to) {
  const Vec3 a = from.normalized(), b = to.normalized();
  const double cosine = a.dot(b);
  constexpr double opposite = -1.0 + 1e-12;
  if (cosine < opposite) {
    const Vec3 across = a.unitOrthogonal();
    return {0.0, across[0], across[1], across[2]};
  }
  const double s = std::sqrt((1.0 + cosine) * 2.0), inverse = 1.0 / s;
  const Vec3 v = a.cross(b) * inverse;
  return {s * 0.5, v[0], v[1], v[2]};
}

}  // namespace scree
