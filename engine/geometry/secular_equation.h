// Extremes of quadratic functions over the unit sphere, for which Lagrange's condition leaves one equation.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/core/types.h"

namespace scree {

/// w_i / (t + d_i), the point of the sphere for the multiplier t if t is the root; 0 where w_i is 0.
inline Vec3 secular_terms(const Vec3& w, const Vec3& d, double t) {
  Vec3 u;
  for (int i = 0; i < 3; ++i) u[i] = w[i] == 0.0 ? 0.0 : w[i] / (t + d[i]);
  return u;
}

/// The root t >= 0 of sum (w_i / (t + d_i))^2 = 1, for d_i >= 0 with the least of them 0; 0 if there is no
/// root. Newton on the reciprocal of the norm; it approaches from the left and passes the root only
/// by rounding (More, Sorensen 1983).
inline double secular_root(const Vec3& w, const Vec3& d) {
  constexpr int most_iterations = 100;
  double t = 0.0;
  for (int i = 0; i < 3; ++i) {
    if (w[i] != 0.0) t = std::max(t, std::abs(w[i]) - d[i]);
  }
  for (int k = 0; k < most_iterations; ++k) {
    const Vec3 u = secular_terms(w, d, t);
    const double norm = u.norm();
    if (!(norm > 1.0)) break;
    const double slope = u.dot(secular_terms(u, d, t)), step = norm * norm * (norm - 1.0) / slope;
    t += step;
    if (!(step > 1e-16 * t)) break;
  }
  return t;
}

/// The point of the unit sphere for the root: if the terms do not reach the sphere, the rest
/// lies along an axis with d_i = 0.
inline Vec3 secular_point(const Vec3& w, const Vec3& d) {
  Vec3 u = secular_terms(w, d, secular_root(w, d));
  int axis = 0;
  d.minCoeff(&axis);
  const double norm = u.squaredNorm();
  if (norm < 1.0) u[axis] = std::copysign(std::sqrt(u[axis] * u[axis] + 1.0 - norm), u[axis]);
  return u.normalized();
}

}  // namespace scree
