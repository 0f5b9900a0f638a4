#include "engine/geometry/ellipsoid.h"

#include <cmath>
#include <numbers>

namespace scree {

namespace {

constexpr int secular_iterations =
    200;  // a start near a pole gains a factor 1.5 per iteration until it is away from it
constexpr double secular_tolerance = 1e-15;

}  // namespace

double volume(const Ellipsoid& shape) { return 4.0 / 3.0 * std::numbers::pi * shape.semi_axes.prod(); }

Vec3 inertia_per_mass(const Ellipsoid& shape) {
  const Vec3 s = shape.semi_axes.cwiseAbs2();
  return Vec3(s[1] + s[2], s[2] + s[0], s[0] + s[1]) / 5.0;
}

Vec3 closest_surface_point(const Ellipsoid& shape, const Vec3& point) {
  const Vec3 a = shape.semi_axes;
  const Vec3 y = point.cwiseAbs();
  int shortest = 0;
  const double a_min = a.minCoeff(&shortest);
  // x_i = a_i^2 y_i / (t + a_i^2); t is the root of the secular equation to the right of the pole at
  // -a_min^2. Each term of the sum alone reaches one at a_i y_i - a_i^2, so the largest of these is left of
  // the root, from where Newton on this convex decreasing function climbs monotonically.
  double t = (a.cwiseProduct(y) - a.cwiseAbs2()).maxCoeff();
  Vec3 x;
  if (t > -a_min * a_min) {
    for (int k = 0; k < secular_iterations; ++k) {
      const Vec3 w = (a.cwiseProduct(y)).cwiseQuotient((a.cwiseAbs2().array() + t).matrix());
      const double value = w.squaredNorm() - 1.0;
      const double slope = -2.0 * (w.cwiseAbs2().cwiseQuotient((a.cwiseAbs2().array() + t).matrix())).sum();
      const double step = -value / slope;
      t += step;
      if (!(std::abs(step) > secular_tolerance * (std::abs(t) + a_min * a_min))) break;
    }
    x = a.cwiseAbs2().cwiseProduct(y).cwiseQuotient((a.cwiseAbs2().array() + t).matrix());
  } else {
    // The point lies in the symmetry plane of the shortest axis, closer to the centre than that plane's
    // evolute.
    x = Vec3::Zero();
    double rest = 1.0;
    for (int i = 0; i < 3; ++i) {
      const double gap = a[i] * a[i] - a_min * a_min;
      if (i == shortest || gap <= 0.0) continue;
      x[i] = a[i] * a[i] * y[i] / gap;
      rest -= (x[i] / a[i]) * (x[i] / a[i]);
    }
    x[shortest] = a_min * std::sqrt(std::max(rest, 0.0));
  }
  // Projects onto the surface to the last bit, and back into the octant of the point.
  x /= x.cwiseQuotient(a).norm();
  return {std::copysign(x[0], point[0]), std::copysign(x[1], point[1]), std::copysign(x[2], point[2])};
}

double ray_hit(const Ellipsoid& shape, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest) {
  const Vec3 o = origin.cwiseQuotient(shape.semi_axes), d = direction.cwiseQuotient(shape.semi_axes);
  const double dd = d.squaredNorm(), middle = -o.dot(d) / dd;
  // From the point nearest to the centre: b^2 - a c would suffer from cancellation far from the body.
  const double beyond = 1.0 - (o + middle * d).squaredNorm();
  if (beyond < 0.0) return infinity;
  const double half = std::sqrt(beyond / dd);
  for (const double t : {middle - half, middle + half}) {
    if (t > nearest && t < farthest) return t;
  }
  return infinity;
}

}  // namespace scree
