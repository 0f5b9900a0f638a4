// Extremes of quadratic functions over the unit sphere, where Lagrange's condition leaves one equation.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/core/types.h"

namespace scree {

/// w_i / (t + d_i), which is the multiplier's point of the sphere at the root t; 0 where w_i is.
inline Vec3 secular_terms(const Vec3& w, const Vec3& d, double t) {
  Vec3 u;
  for (int i = 0; i < 3; ++i) u[i] = w[i] == 0.0 ? 0.0 : w[i] / (t + d[i]);
  return u;
}

/// The root t >= 0 of sum (w_i / (t + d_i))^2 = 1, where all d_i >= 0 and the least of them is 0; 0 where
/// there is none. Newton on the reciprocal of the norm, which comes from the left and never passes the root
/// but by rounding (More, Sorensen 1983).
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

/// The point of the unit sphere that goes with the root: where the terms do not reach the sphere, the rest
/// lies along an axis of d_i = 0.
inline Vec3 secular_point(const Vec3& w, const Vec3& d) {
  Vec3 u = secular_terms(w, d, secular_root(w, d));
  int axis = 0;
  d.minCoeff(&axis);
  const double norm = u.squaredNorm();
  if (norm < 1.0) u[axis] = std::copysign(std::sqrt(u[axis] * u[axis] + 1.0 - norm), u[axis]);
  return u.normalized();
}

}  // namespace scree
