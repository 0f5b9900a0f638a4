// Frames about a direction.
#pragma once

#include <array>
#include <cmath>

#include "engine/core/types.h"

namespace scree {

/// Two unit vectors that complete the unit vector n to a right-handed frame (n, t1, t2), without a branch and
/// continuous except at n_z = 0. Source: Duff et al. 2017, "Building an orthonormal basis, revisited".
inline std::array<Vec3, 2> tangents(const Vec3& n) {
  const double sign = std::copysign(1.0, n[2]);
  const double a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
  return {Vec3(1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]), Vec3(b, sign + n[1] * n[1] * a, -n[1])};
}

/// R diag(d) R^T with the rotation matrix R of the quaternion.
inline Mat3 symmetric_in_world(const Quat& q, const Vec3& d) {
  const Mat3 r = q.toRotationMatrix();
  Mat3 s;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      s(i, j) = s(j, i) = r(i, 0) * r(j, 0) * d[0] + r(i, 1) * r(j, 1) * d[1] + r(i, 2) * r(j, 2) * d[2];
    }
  }
  return s;
}

}  // namespace scree
