#include "engine/geometry/implicit/form_indices.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/random.h"
#include "engine/geometry/implicit/convex_hull.h"
#include "tests/support/implicit_shapes.h"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double mesh_error = 2e-3;  // of all indices, at the usual fineness

ImplicitShape made(const PerturbedQuadric& f) {
  ShapeFindings findings;
  return make_implicit_shape(f, {.support_cells = 1}, findings).value();
}

template <class F>
double integral(double low, double high, F&& f) {  // midpoints
  constexpr int steps = 20000;
  double sum = 0.0;
  for (int k = 0; k < steps; ++k) sum += f(low + (high - low) * (k + 0.5) / steps);
  return sum * (high - low) / steps;
}

TEST(FormIndices, AreOneForABall) {
  const FormIndices form = form_indices(made(perturbed({1.0, 1.0, 1.0})));
  for (const double index : {form.elongation, form.flatness, form.sphericity, form.roundness, form.convexity})
    EXPECT_NEAR(index, 1.0, mesh_error);
  EXPECT_NEAR(form.inscribed_radius, 1.0, mesh_error);
  EXPECT_NEAR(form.area, 4.0 * pi, mesh_error * 4.0 * pi);
}

TEST(FormIndices, MatchClosedFormsOfASpheroid) {
  // Semi-axes 1 (twice) and c < 1: with e^2 = 1 - c^2 the area is 2 pi (1 + c^2 artanh(e) / e).
  const double c = 0.5, e = std::sqrt(1.0 - c * c);
  const FormIndices form = form_indices(made(perturbed({1.0, 1.0, c})));
  const double area = 2.0 * pi * (1.0 + c * c * std::atanh(e) / e), volume = 4.0 / 3.0 * pi * c;
  EXPECT_NEAR(form.area / area, 1.0, mesh_error);
  EXPECT_NEAR(form.sphericity, std::cbrt(36.0 * pi * volume * volume) / area, mesh_error);
  EXPECT_NEAR(form.elongation, 1.0, mesh_error);
  EXPECT_NEAR(form.flatness, c, mesh_error);
  EXPECT_NEAR(form.convexity, 1.0, mesh_error);
  EXPECT_NEAR(form.inscribed_radius, c, mesh_error);
  // Along x = (sin t, c cos t), with w^2 = cos^2 t + c^2 sin^2 t, curvatures are c / w^3 and c / w. The first
  // is the larger one where w < 1, and a corner where c^2 > w^3. Areas are proportional to sin t w.
  double corners = 0.0, radii = 0.0;
  integral(0.0, pi, [&](double t) {
    const double w = std::hypot(std::cos(t), c * std::sin(t)), area_t = std::sin(t) * w;
    if (c * c > w * w * w) corners += area_t, radii += area_t * w * w * w / c;
    return 0.0;
  });
  EXPECT_NEAR(form.roundness, radii / corners / c,
              5 * mesh_error);  // the mesh cuts the border of the corners
}

TEST(FormIndices, MatchIntegralsForAWaistedBodyOfRevolution) {
  // Radius^2 of the dumbbell at x is (1 - x^2 - 0.65 (1 - (x/0.55)^2)^2) / 4, with the last term for |x| <
  // 0.55 only; its hull fills the waist with a cylinder of the largest radius.
  const auto squared = [](double x) {
    const double q = std::max(0.0, 1.0 - x * x / (0.55 * 0.55));
    return 0.25 * (1.0 - x * x - 0.65 * q * q);
  };
  double at = 0.0;
  for (int k = 0; k <= 10000; ++k) {
    const double x = k * 1e-4;
    if (squared(x) > squared(at)) at = x;
  }
  const double volume = 2.0 * pi * integral(0.0, 1.0, squared);
  const double hull = 2.0 * pi * (at * squared(at) + integral(at, 1.0, squared));
  const ImplicitShape shape = made(test::dumbbell());
  EXPECT_NEAR(shape.volume / volume, 1.0, 1e-6);
  const FormIndices form = form_indices(shape);
  EXPECT_NEAR(form.convexity, volume / hull, mesh_error);
  EXPECT_LT(form.convexity, 0.9);
  EXPECT_NEAR(form.elongation, std::sqrt(squared(at)), mesh_error);
  EXPECT_NEAR(form.inscribed_radius, form_indices(shape, 36).inscribed_radius, mesh_error);
}

TEST(FormIndices, AreIndependentOfTheFrame) {
  const FormIndices a = form_indices(made(test::kidney()));
  const Pose pose{Vec3(0.1, -0.05, 0.08), Quat(0.3, 0.5, -0.2, 0.7).normalized()};
  const FormIndices b = form_indices(made(in_frame(test::kidney(), pose)));
  EXPECT_LT(a.convexity, 0.98);
  EXPECT_NEAR(a.elongation, b.elongation, mesh_error);
  EXPECT_NEAR(a.flatness, b.flatness, mesh_error);
  EXPECT_NEAR(a.sphericity, b.sphericity, mesh_error);
  EXPECT_NEAR(a.roundness, b.roundness, 5 * mesh_error);
  EXPECT_NEAR(a.convexity, b.convexity, mesh_error);
}

// For any thickness: areas of spheroids of semi-axes 1, 1, c in closed form.
TEST(FormIndices, MatchClosedFormsOfNeedlesAndFlakes) {
  for (const double c : {100.0, 1e6, 1e-2, 1e-6}) {
    const double e = std::sqrt(1.0 - std::min(c * c, 1.0 / (c * c)));
    const double area =
        c > 1.0 ? 2.0 * pi * (1.0 + c / e * std::asin(e)) : 2.0 * pi * (1.0 + c * c / e * std::atanh(e));
    const FormIndices form = form_indices(made(perturbed({1.0, 1.0, c})));
    EXPECT_NEAR(form.area / area, 1.0, mesh_error) << c;
    EXPECT_NEAR(form.convexity, 1.0, mesh_error) << c;
    EXPECT_NEAR(form.elongation, c > 1.0 ? 1.0 / c : 1.0, mesh_error) << c;
    EXPECT_NEAR(form.flatness, c > 1.0 ? 1.0 : c, mesh_error) << c;
    EXPECT_NEAR(form.inscribed_radius / std::min(c, 1.0), 1.0, 0.01) << c;
  }
}

TEST(FormIndices, HullOfAStretchedCube) {
  std::vector<Vec3> points;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 5; ++k) points.emplace_back(1e-20 * i, 1e20 * j, k);
  EXPECT_NEAR(convex_hull(points).volume, 64.0, 1e-6);
  EXPECT_TRUE(convex_hull({}).triangles.empty());
  EXPECT_TRUE(convex_hull(std::vector<Vec3>(5, Vec3::Ones())).triangles.empty());
  points.front()[0] = std::nan("");
  EXPECT_TRUE(convex_hull(points).triangles.empty());
}

TEST(FormIndices, HullOfACubeContainsAllPoints) {
  std::vector<Vec3> points;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 5; ++k) points.emplace_back(i, j, k);
    }
  }
  const ConvexHull hull = convex_hull(points);
  EXPECT_NEAR(hull.volume, 64.0, 1e-6);
  // Euler: corners - edges + triangles = 2 with three edges to two triangles.
  EXPECT_EQ(hull.triangles.size(), 2 * hull.corners.size() - 4);
  Random random(4);
  points.clear();
  for (int i = 0; i < 1000; ++i) points.push_back(random.direction() * random.uniform());
  const ConvexHull ball = convex_hull(points);
  for (const auto& t : ball.triangles) {
    const auto at = [&](std::size_t k) { return points[t[k]]; };
    const Vec3 n = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
    for (const Vec3& p : points) ASSERT_LT(n.dot(p - at(0)), 1e-6);
  }
}

}  // namespace
}  // namespace scree
