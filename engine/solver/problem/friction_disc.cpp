#include "engine/solver/problem/friction_disc.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/eigenbasis.h"

namespace scree {

namespace {

constexpr int newton_steps = 60;
constexpr double tolerance = 1e-15;  // of the radius

/// Minimum over the disc if the free one is outside: (A + alpha I) x = b with |x| = radius, alpha > 0, in
/// the eigenbasis of A. Newton on 1/|x| - 1/radius, which is concave in alpha, rises to the root from below.
Vec2 on_rim(const Mat2& a, const Vec2& b, double radius) {
  const Mat2 basis = eigenbasis(a);
  const Vec2 eigenvalue = (basis.transpose() * a * basis).diagonal(), force = basis.transpose() * b;
  double alpha = 0.0;
  Vec2 x;
  for (int i = 0; i < newton_steps; ++i) {
    const Vec2 shifted = (eigenvalue.array() + alpha).matrix();
    x = force.cwiseQuotient(shifted);
    const double length = x.norm();
    if (length <= radius * (1.0 + tolerance)) break;
    alpha += length * length * (length - radius) / (radius * x.dot(x.cwiseQuotient(shifted)));
  }
  return basis * x * (radius / x.norm());
}

Vec2 on_polygon(const Mat2& a, const Vec2& p, const Vec2& g, double radius, int corners) {
  const double step = 2.0 * std::numbers::pi / corners;
  Vec2 best = p;
  double least = infinity;
  for (int k = 0; k < corners; ++k) {
    const Vec2 from(radius * std::cos(k * step), radius * std::sin(k * step));
    const Vec2 to(radius * std::cos((k + 1) * step), radius * std::sin((k + 1) * step));
    const Vec2 edge = to - from, start = from - p;
    const double s = std::clamp(-edge.dot(a * start + g) / edge.dot(a * edge), 0.0, 1.0);
    const Vec2 d = start + s * edge;
    const double energy = 0.5 * d.dot(a * d) + g.dot(d);
    if (energy < least) {
      least = energy;
      best = p + d;
    }
  }
  return best;
}

bool is_inside(const Vec2& p, double radius, int corners) {
  if (corners == 0) return p.norm() <= radius;
  const double step = 2.0 * std::numbers::pi / corners;
  const double angle = std::atan2(p[1], p[0]);
  const double to_edge_middle = angle - (std::floor(angle / step) + 0.5) * step;
  return p.norm() * std::cos(to_edge_middle) <= radius * std::cos(0.5 * step);
}

}  // namespace

Vec2 least_energy(const Mat2& a, const Vec2& p, const Vec2& g, double radius, int corners) {
  if (radius <= 0.0) return Vec2::Zero();
  const Vec2 free = p - a.inverse() * g;
  if (is_inside(free, radius, corners)) return free;
  return corners == 0 ? on_rim(a, a * p - g, radius) : on_polygon(a, p, g, radius, corners);
}

Vec2 project_on_disc(const Vec2& p, double radius, int corners) {
  if (radius <= 0.0) return Vec2::Zero();
  if (is_inside(p, radius, corners)) return p;
  if (corners == 0) return p * (radius / p.norm());
  return on_polygon(Mat2::Identity(), p, Vec2::Zero(), radius, corners);
}

}  // namespace scree
