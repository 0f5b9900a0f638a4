#include "engine/bodies/surface.h"

#include <algorithm>
#include <cmath>

#include "engine/core/eigenbasis.h"
#include "engine/core/frames.h"

namespace scree {

namespace {

using Basis = Eigen::Matrix<double, 3, 2>;

/// Friction tensor of a surface in a tangent plane.
Mat2 tensor(const PlacedSurface& s, const Basis& tangents) {
  const Basis local = s.orientation.conjugate().toRotationMatrix() * tangents;
  return local.transpose() * s.surface.direction_factors.array().square().matrix().asDiagonal() * local;
}

/// Square root of a symmetric positive semidefinite matrix (Cayley and Hamilton).
Mat2 root(const Mat2& a) {
  const double s = std::sqrt(std::max(0.0, a.determinant())), t = std::sqrt(a.trace() + 2.0 * s);
  return t > 0.0 ? Mat2((a + s * Mat2::Identity()) / t) : Mat2(Mat2::Zero());
}

}  // namespace

double place_factor(const Surface& surface, const Vec3& place, const PlacedCell& cell) {
  double factor = 1.0;
  for (const FrictionPatch& p : surface.patches) {
    Vec3 apart = place - p.centre;
    if (cell.is_periodic()) apart += cell.nearest_image(apart);
    const double beyond = apart.norm() - p.radius_m;
    if (beyond >= p.edge_m && beyond > 0.0) continue;
    const double weight = beyond <= 0.0 ? 1.0 : 1.0 - beyond / p.edge_m;
    factor *= 1.0 + (p.factor - 1.0) * weight;
  }
  return factor;
}

DirectionFactors direction_factors(const PlacedSurface& a, const PlacedSurface& b, const Vec3& n) {
  const auto t = tangents(n);
  Basis basis;
  basis << t[0], t[1];
  const Mat2 of_a = tensor(a, basis), of_b = tensor(b, basis);
  const Mat2 root_a = root(of_a), root_b = root(of_b);
  const Mat2 both = 0.5 * (root_a * of_b * root_a + root_b * of_a * root_b);
  const Vec2 e = eigenbasis(both).col(0);
  const double larger = e.dot(both * e), smaller = both.trace() - larger;
  return {basis * e, std::sqrt(std::max(0.0, larger)), std::sqrt(std::max(0.0, smaller))};
}

}  // namespace scree
