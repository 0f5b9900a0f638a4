// Frames about a direction.
#pragma once

#include <array>
#include <cmath>

#include "engine/core/vector4.h"

namespace scree {

/// Two unit vectors that complete the unit vector n to a right-handed frame (n, t1, t2), without a branch and
/// continuous but for n_z = 0. Source: Duff et al. 2017, "Building an orthonormal basis, revisited".
inline std::array<Vec3, 2> tangents(const Vec3& n) {
  const double sign = std::copysign(1.0, n[2]);
  const double a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
  return {Vec3(1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]), Vec3(b, sign + n[1] * n[1] * a, -n[1])};
}

/// v turned by the smallest rotation that takes unit n0 to unit n1; zero if they are opposite.
SCREE_INLINE Vector4 turned_with(Vector4 n0, Vector4 n1, Vector4 v) {
  const double cosine = dot(n0, n1);
  if (cosine < -0.999) return Vector4{};
  const Vector4 s = cross(n0, n1), sv = cross(s, v);
  return v + sv + (1.0 / (1.0 + cosine)) * cross(s, sv);
}

/// R diag(d) R^T with R that of the quaternion.
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

/// v turned by a quaternion, and back. The spare lane of the axis holds w, which cross() takes away again.
SCREE_INLINE Vector4 turned_by(const Quat& q, Vector4 v) {
  const Vector4 axis{q.x(), q.y(), q.z(), q.w()}, twice = 2.0 * cross(axis, v);
  return v + q.w() * twice + cross(axis, twice);
}
SCREE_INLINE Vector4 turned_back_by(const Quat& q, Vector4 v) {
  const Vector4 axis{q.x(), q.y(), q.z(), q.w()}, twice = 2.0 * cross(v, axis);
  return v + q.w() * twice + cross(twice, axis);
}

}  // namespace scree
