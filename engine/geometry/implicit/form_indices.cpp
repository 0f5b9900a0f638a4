#include "engine/geometry/implicit/form_indices.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/random.h"
#include "engine/geometry/implicit/convex_hull.h"

namespace scree {

namespace {

double width(const std::vector<Vec3>& points, const Vec3& direction) {
  double low = infinity, high = -infinity;
  for (const Vec3& p : points) {
    const double x = direction.dot(p);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return high - low;
}

/// Continues from x to the best of random steps of decreasing length.
template <class Value>
Vec3 improved(Vec3 x, double step, Value&& value) {
  constexpr int tries = 24;
  constexpr double shortest = 1e-3;  // of the first step
  Random random(2);
  double best = value(x);
  for (const double end = shortest * step; step > end; step *= 0.6) {
    for (int k = 0; k < tries; ++k) {
      const Vec3 next = x + step * random.direction();
      const double there = value(next);
      if (there > best) best = there, x = next;
    }
  }
  return x;
}

/// Least width, least width across it, width across both; longest first.
Vec3 caliper_widths(const std::vector<Vec3>& corners) {
  constexpr int directions = 800, turns = 180;
  Random random(3);
  Vec3 least = Vec3::UnitX();
  double shortest = infinity;
  const auto look = [&](const Vec3& d) {
    const double w = width(corners, d);
    if (w < shortest) shortest = w, least = d;
  };
  for (int k = 0; k < 3; ++k) look(Vec3::Unit(k));
  for (int k = 0; k < directions; ++k) look(random.direction());
  least = improved(least, 0.1, [&](const Vec3& d) { return -width(corners, d.normalized()); }).normalized();
  const Vec3 u = least.unitOrthogonal(), v = least.cross(u);
  double second = infinity, across = 0.0;
  const auto turn = [&](double angle) {
    const double w = width(corners, std::cos(angle) * u + std::sin(angle) * v);
    if (w < second) second = w, across = angle;
  };
  double step = std::numbers::pi / turns;
  for (int k = 0; k < turns; ++k) turn(k * step);
  for (; step > 1e-5; step *= 0.5) {
    const double middle = across;
    turn(middle - 0.5 * step);
    turn(middle + 0.5 * step);
  }
  const double third = width(corners, -std::sin(across) * u + std::cos(across) * v);
  return {third, second, width(corners, least)};
}

/// The size of a ball that touches the surface from within at one point is limited by the other surface
/// points; starts from the largest of several and improves it.
double inscribed_radius(const SurfaceMesh& mesh, const Vec3& middle) {
  constexpr std::size_t looked_at = 400;
  const auto room = [&](const Vec3& x) {
    double least = infinity;
    for (const Vec3& p : mesh.points) least = std::min(least, (p - x).squaredNorm());
    return std::sqrt(least);
  };
  double most = room(middle);
  Vec3 centre = middle;
  const std::size_t stride = 1 + mesh.points.size() / looked_at;
  for (std::size_t i = 0; i < mesh.points.size(); i += stride) {
    const Vec3 &x = mesh.points[i], &n = mesh.normals[i];
    double radius = infinity;
    for (const Vec3& p : mesh.points) {
      const double below = n.dot(x - p);
      if (below > 0.0) radius = std::min(radius, (p - x).squaredNorm() / (2.0 * below));
    }
    if (radius < infinity && radius > most) {
      most = radius;
      centre = x - radius * n;
    }
  }
  return room(improved(centre, 0.1 * most, room));
}

/// 1/m, the larger principal curvature; positive where the surface bulges.
double sharper_curvature(const PerturbedQuadric& f, const Vec3& x) {
  const FunctionValue at = evaluate(f, x);
  const Vec3 n = at.gradient.normalized(), u = n.unitOrthogonal(), v = n.cross(u);
  Mat3 h;
  h << at.xx, at.xy, at.xz, at.xy, at.yy, at.yz, at.xz, at.yz, at.zz;
  const double uu = u.dot(h * u), uv = u.dot(h * v), vv = v.dot(h * v);
  const double mean = 0.5 * (uu + vv), spread = std::hypot(0.5 * (uu - vv), uv);
  return (spread - mean) / at.gradient.norm();
}

}  // namespace

FormIndices form_indices(const ImplicitShape& shape, int fineness) {
  const SurfaceMesh mesh = surface_mesh(shape, fineness);
  const ConvexHull hull = convex_hull(mesh.points);
  if (hull.corners.empty()) return {};
  std::vector<Vec3> corners;
  for (const std::int32_t c : hull.corners) corners.push_back(mesh.points[c]);
  FormIndices form;
  form.widths = caliper_widths(corners);
  // Mesh points of a flake are farther from each other than it is thick: they do not limit balls within it.
  form.inscribed_radius =
      shape.semi_axes ? shape.semi_axes->minCoeff() : inscribed_radius(mesh, Vec3::Zero());
  double volume = 0.0;
  std::vector<double> share(mesh.points.size());  // m^2, of the surface
  for (const auto& t : mesh.triangles) {
    const auto at = [&](std::size_t k) -> const Vec3& { return mesh.points[t[k]]; };
    const double area = 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
    form.area += area;
    volume += at(0).cross(at(1)).dot(at(2)) / 6.0;
    for (const std::int32_t p : t) share[p] += area / 3.0;
  }
  double corner_area = 0.0, radii = 0.0;  // m^2, m^3
  for (std::size_t i = 0; i < share.size(); ++i) {
    const double curvature = sharper_curvature(shape.function, mesh.points[i]);
    if (!(curvature * form.inscribed_radius > 1.0)) continue;
    corner_area += share[i];
    radii += share[i] / curvature;
  }
  form.hull_volume = shape.volume * hull.volume / volume;  // mesh and hull lack the same volume
  form.elongation = form.widths[1] / form.widths[0];
  form.flatness = form.widths[2] / form.widths[1];
  form.sphericity = std::cbrt(std::numbers::pi * 36.0 * shape.volume * shape.volume) / form.area;
  form.roundness = corner_area > 0.0 ? radii / (corner_area * form.inscribed_radius) : 1.0;
  form.convexity = shape.volume / form.hull_volume;
  return form;
}

}  // namespace scree
