#include "engine/modules/generation/region.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "engine/geometry/ellipsoid_mesh.h"

namespace scree {

namespace {

/// The greatest distance from the origin of the filled ellipse with this centre (m) and matrix (m^2).
/// With v = centre in the ellipse's axes and d = squared semi-axes, the farthest point follows from the
/// largest root t > max d of d1 v1^2/(t-d1)^2 + d2 v2^2/(t-d2)^2 = 1 (maximum of a convex quadratic over a
/// circle, Lagrange).
double farthest_distance(const Vec2& centre, const Mat2& matrix) {
  Eigen::SelfAdjointEigenSolver<Mat2> solver;
  solver.computeDirect(matrix);
  const Vec2 d = solver.eigenvalues().cwiseMax(0.0), v = solver.eigenvectors().transpose() * centre;
  const Vec2 g(std::sqrt(d[0]) * v[0], std::sqrt(d[1]) * v[1]);
  const auto excess = [&](double t) {
    return std::pow(g[0] / (t - d[0]), 2) + std::pow(g[1] / (t - d[1]), 2) - 1.0;
  };
  double left = d[1], right = d[1] + g.norm();  // at the right end the sum is at most 1
  for (int i = 0; i < 60; ++i) {                // halvings: the interval shrinks to rounding
    const double middle = 0.5 * (left + right);
    (excess(middle) > 0.0 ? left : right) = middle;
  }
  // Points w on the unit circle give points v + sqrt(d) w of the ellipse; w = g / (t - d), completed to unit
  // length in the long direction, which is not determined if v has no part along it.
  Vec2 w(right > d[0] ? g[0] / (right - d[0]) : 0.0, 0.0);
  w[0] = std::clamp(w[0], -1.0, 1.0);
  w[1] = std::copysign(std::sqrt(1.0 - w[0] * w[0]), v[1]);
  return (v + d.cwiseSqrt().cwiseProduct(w)).norm();
}

bool inside(const BoxRegion& box, const PlacedEllipsoid& ellipsoid) {
  for (int i = 0; i < 3; ++i) {
    const double reach = std::sqrt(ellipsoid.matrix(i, i));
    if (ellipsoid.centre[i] - reach < box.low[i] || ellipsoid.centre[i] + reach > box.high[i]) return false;
  }
  return true;
}

bool inside(const CylinderRegion& cylinder, const PlacedEllipsoid& ellipsoid) {
  const RegionFrame f = frame(Region(cylinder));
  const Vec3 along = f.axes.col(2);
  const Vec3 r = ellipsoid.centre - cylinder.start;
  const double reach = std::sqrt(along.dot(ellipsoid.matrix * along));
  if (r.dot(along) - reach < 0.0 || r.dot(along) + reach > f.extent[2]) return false;
  const Eigen::Matrix<double, 3, 2> across = f.axes.leftCols<2>();
  return farthest_distance(across.transpose() * r, across.transpose() * ellipsoid.matrix * across) <=
         cylinder.radius;
}

/// Does the vertical line through a point pass a triangle above it? Of triangles with a shared edge it passes
/// exactly one, since both evaluate the edge in the same way.
bool is_below(const MeshSurface& mesh, std::int32_t triangle, const Vec3& p) {
  const auto& corners = mesh.triangles[triangle];
  bool passes = false;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int32_t i = corners[k], j = corners[(k + 1) % 3];
    const Vec3 &a = mesh.points[std::min(i, j)], &b = mesh.points[std::max(i, j)];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    if (a.x() + (p.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x()) > p.x()) passes = !passes;
  }
  if (!passes) return false;
  const Vec3& n = mesh.normals[triangle];
  const Vec3& a = mesh.points[corners[0]];
  return n.dot(a - p) / n.z() > 0.0;  // n is not horizontal if the vertical line passes
}

bool inside(const MeshRegion& region, const Vec3& point) {
  const MeshSurface& mesh = *region.mesh;
  bool odd = false;
  triangles_near(mesh, point, Vec3(point.x(), point.y(), mesh.high().z()), [&](std::int32_t triangle) {
    if (is_below(mesh, triangle, point)) odd = !odd;
  });
  return odd;
}

bool inside(const MeshRegion& region, const PlacedEllipsoid& ellipsoid) {
  if (!inside(region, ellipsoid.centre)) return false;
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(ellipsoid.matrix);
  Mat3 turn = axes.eigenvectors();
  if (turn.determinant() < 0.0) turn.col(0) = -turn.col(0);
  return !reaches_into(Ellipsoid{axes.eigenvalues().cwiseSqrt()}, {ellipsoid.centre, Quat(turn)},
                       {region.mesh, {}});
}

}  // namespace

RegionFrame frame(const Region& region) {
  if (const BoxRegion* box = std::get_if<BoxRegion>(&region))
    return {box->low, Mat3::Identity(), box->high - box->low};
  if (const auto* in = std::get_if<MeshRegion>(&region))
    return {in->mesh->low(), Mat3::Identity(), in->mesh->high() - in->mesh->low()};
  const auto& [start, end, radius] = std::get<CylinderRegion>(region);
  const double length = (end - start).norm();
  RegionFrame f;
  f.axes.col(2) = (end - start) / length;
  f.axes.col(0) = f.axes.col(2).unitOrthogonal();
  f.axes.col(1) = f.axes.col(2).cross(f.axes.col(0));
  f.origin = start - radius * (f.axes.col(0) + f.axes.col(1));
  f.extent = Vec3(2.0 * radius, 2.0 * radius, length);
  return f;
}

std::pair<Vec3, Vec3> bounding_box(const Region& region) {
  if (const auto* box = std::get_if<BoxRegion>(&region))
    return {0.5 * (box->low + box->high), 0.5 * (box->high - box->low)};
  if (const auto* in = std::get_if<MeshRegion>(&region))
    return {0.5 * (in->mesh->low() + in->mesh->high()), 0.5 * (in->mesh->high() - in->mesh->low())};
  const auto& c = std::get<CylinderRegion>(region);
  const Vec3 along = c.end - c.start;
  // A disc across a unit axis d reaches radius * sqrt(1 - d_i^2) along i.
  const Vec3 across = c.radius * (1.0 - along.normalized().array().square()).max(0.0).sqrt();
  return {0.5 * (c.start + c.end), 0.5 * along.cwiseAbs() + across};
}

double volume(const Region& region) {
  if (const auto* in = std::get_if<MeshRegion>(&region)) return std::abs(mesh_mass(*in->mesh).volume);
  const Vec3 extent = frame(region).extent;
  const double box = extent.prod();
  return std::holds_alternative<BoxRegion>(region) ? box : box * std::numbers::pi / 4.0;
}

Vec3 sample_point(const Region& region, Random& random) {
  if (const auto* in = std::get_if<MeshRegion>(&region)) {
    const BoxRegion box{in->mesh->low(), in->mesh->high()};
    constexpr int most_draws = 1000;  // thinner parts of its box get the last draw
    Vec3 point;
    for (int k = 0; k < most_draws; ++k) {
      point = sample_point(box, random);
      if (inside(*in, point)) break;
    }
    return point;
  }
  const RegionFrame f = frame(region);
  Vec3 t;
  if (const CylinderRegion* cylinder = std::get_if<CylinderRegion>(&region)) {
    const double r = cylinder->radius * std::sqrt(random.uniform()),
                 a = 2.0 * std::numbers::pi * random.uniform();
    t = Vec3(cylinder->radius + r * std::cos(a), cylinder->radius + r * std::sin(a),
             f.extent[2] * random.uniform());
  } else {
    for (int i = 0; i < 3; ++i) t[i] = f.extent[i] * random.uniform();
  }
  return f.origin + f.axes * t;
}

bool holds(const Region& region, const PlacedEllipsoid& ellipsoid) {
  return std::visit([&](const auto& r) { return inside(r, ellipsoid); }, region);
}

bool holds(const Region& region, const Vec3& point) {
  if (const BoxRegion* box = std::get_if<BoxRegion>(&region))
    return (point.array() >= box->low.array()).all() && (point.array() <= box->high.array()).all();
  if (const auto* in = std::get_if<MeshRegion>(&region)) return inside(*in, point);
  const auto& [start, end, radius] = std::get<CylinderRegion>(region);
  const double along = (point - start).dot(end - start), length2 = (end - start).squaredNorm();
  const Vec3 from_axis = point - start - along / length2 * (end - start);
  return along >= 0.0 && along <= length2 && from_axis.norm() <= radius;
}

bool holds_image(const Region& region, const PlacedCell& cell, const Vec3& point) {
  if (!cell.is_periodic()) return holds(region, point);
  constexpr double rounding = 1e-9;
  const auto [middle, half] = bounding_box(region);
  return !cell.visit_images(point, middle, (1.0 + rounding) * half,
                            [&](const Vec3& shift) { return !holds(region, point + shift); });
}

}  // namespace scree
