// Frames about a direction.
#pragma once

#include <array>
#include <cmath>

#include "engine/core/types.h"

namespace scree {

/// Two unit vectors that complete the unit vector n to a right-handed frame (n, t1, t2), without a branch and
/// continuous but for n_z = 0. Source: Duff et al. 2017, "Building an orthonormal basis, revisited".
inline std::array<Vec3, 2> tangents(const Vec3& n) {
  const double sign = std::copysign(1.0, n[2]);
  const double a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
  return {Vec3(1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]), Vec3(b, sign + n[1] * n[1] * a, -n[1])};
}

/// v turned by the smallest rotation that takes unit n0 to unit n1; zero if they are opposite.
inline Vec3 turned_with(const Vec3& n0, const Vec3& n1, const Vec3& v) {
  const double cosine = n0.dot(n1);
  if (cosine < -0.999) return Vec3::Zero();
  const Vec3 s = n0.cross(n1), sv = s.cross(v);
  return v + sv + s.cross(sv) / (1.0 + cosine);
}

}  // namespace scree
