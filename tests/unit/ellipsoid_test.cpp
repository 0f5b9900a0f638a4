#include "engine/geometry/ellipsoid.h"

#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/shapes.h"

namespace scree {
namespace {

Vec3 random_axes(Random& random, double ratio) {
  return Vec3(std::pow(ratio, random.uniform()), std::pow(ratio, random.uniform()),
              std::pow(ratio, random.uniform()));
}

TEST(Ellipsoid, MassPropertiesAreThoseOfASphere) {
  const Ellipsoid sphere{Vec3::Constant(2.0)};
  EXPECT_DOUBLE_EQ(volume(sphere), 4.0 / 3.0 * std::numbers::pi * 8.0);
  EXPECT_TRUE(inertia_per_mass(sphere).isApprox(Vec3::Constant(0.4 * 4.0), 1e-15));
}

TEST(Ellipsoid, InertiaByMonteCarlo) {
  // 400,000 uniform points: statistical error about 2e-3.
  const Ellipsoid shape{Vec3(1.0, 2.0, 3.0)};
  Random random(1);
  Vec3 sum = Vec3::Zero();
  int inside = 0;
  while (inside < 400000) {
    const Vec3 u(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    if (u.squaredNorm() > 1.0) continue;
    ++inside;
    const Vec3 s = u.cwiseProduct(shape.semi_axes).cwiseAbs2();
    sum += Vec3(s[1] + s[2], s[2] + s[0], s[0] + s[1]);
  }
  EXPECT_TRUE((sum / inside).isApprox(inertia_per_mass(shape), 5e-3));
}

TEST(Ellipsoid, ClosestPoint) {
  // Conditions of the closest point: on the surface, and the difference along the normal there; inside and
  // outside, aspect ratios to 1000.
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const Ellipsoid shape{random_axes(random, i % 2 ? 10.0 : 1000.0)};
    const Vec3 point = 2.0 * random.uniform() * shape.semi_axes.cwiseProduct(random.direction());
    const Vec3 x = closest_surface_point(shape, point);
    ASSERT_NEAR(x.cwiseQuotient(shape.semi_axes).norm(), 1.0, 1e-14);
    const Vec3 normal = x.cwiseQuotient(shape.semi_axes.cwiseAbs2()).normalized();
    ASSERT_LT((point - x).cross(normal).norm(), 1e-11 * shape.semi_axes.maxCoeff()) << i;
  }
}

TEST(Ellipsoid, ClosestPointBeatsEverySample) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Ellipsoid shape{random_axes(random, 5.0)};
    const Vec3 point = 3.0 * random.uniform() * shape.semi_axes.cwiseProduct(random.direction());
    const double distance = (point - closest_surface_point(shape, point)).norm();
    for (int k = 0; k < 1000; ++k) {
      ASSERT_LE(distance, (point - shape.semi_axes.cwiseProduct(random.direction())).norm() + 1e-12);
    }
  }
}

TEST(Ellipsoid, ClosestPointOfSpecialPoints) {
  const Ellipsoid shape{Vec3(3.0, 2.0, 1.0)};
  EXPECT_NEAR(closest_surface_point(shape, Vec3::Zero()).norm(), 1.0, 1e-15);
  EXPECT_TRUE(closest_surface_point(shape, Vec3(5, 0, 0)).isApprox(Vec3(3, 0, 0), 1e-15));
  EXPECT_TRUE(closest_surface_point(shape, Vec3(0, 0, -0.5)).isApprox(Vec3(0, 0, -1), 1e-15));
}

TEST(Ellipsoid, HalfExtentHoldsTheSurface) {
  Shapes shapes;
  const ShapeIndex s = shapes.add(Ellipsoid{Vec3(3.0, 2.0, 1.0)});
  Random random(4);
  const Quat q = random.rotation();
  const Vec3 half = half_extent(shapes, s, q);
  Vec3 seen = Vec3::Zero();
  for (int i = 0; i < 200000; ++i) {
    seen = seen.cwiseMax((q * Vec3(3.0, 2.0, 1.0).cwiseProduct(random.direction())).cwiseAbs());
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(seen[k], half[k] * (1 + 1e-14));
    EXPECT_GE(seen[k], half[k] * 0.999);
  }
}

// The outside queries of a shape: the farthest point, intersections with rays, and its numbers there and
// back.
TEST(Shapes, SupportRaysAndDescriptionAgree) {
  Random random(21);
  Shapes shapes;
  for (int i = 0; i < 200; ++i) {
    const ShapeIndex s = shapes.add(Ellipsoid{random_axes(random, 5.0)});
    const Vec3 direction = 3.0 * random.direction(), farthest = support(shapes, s, direction);
    // The normal there is the direction, and a ray from far outside along the normal meets the surface there.
    EXPECT_LT(outward(shapes, s, farthest).normalized().cross(direction.normalized()).norm(), 1e-13);
    EXPECT_NEAR(ray_hit(shapes, s, farthest + direction, -direction, 0.0, infinity), 1.0, 1e-9);
    EXPECT_EQ(ray_hit(shapes, s, farthest + direction, -direction, 0.0, 0.5), infinity);
    EXPECT_EQ(ray_hit(shapes, s, farthest + direction, direction, 0.0, infinity), infinity);
    const ShapeIndex again = shapes.add(description(shapes, s));
    EXPECT_EQ(enclosing_ellipsoid(shapes, again).semi_axes, enclosing_ellipsoid(shapes, s).semi_axes);
    EXPECT_EQ(shapes.bounding_radius(again), shapes.bounding_radius(s));
  }
}

TEST(EllipsoidPlane, GapIsTheLowestPoint) {
  Random random(5);
  const Plane plane{Vec3(0.1, 0.2, 0.3), random.direction()};
  const Ellipsoid shape{Vec3(3.0, 2.0, 1.0)};
  const Pose pose{Vec3(1, 2, 3), random.rotation()};
  const Gap g = gap(place(shape, pose), plane);
  double lowest = infinity;
  for (int i = 0; i < 200000; ++i) {
    const Vec3 x = pose.position + pose.orientation * shape.semi_axes.cwiseProduct(random.direction());
    lowest = std::min(lowest, plane.normal.dot(x - plane.point));
  }
  EXPECT_LE(g.distance, lowest + 1e-14);
  EXPECT_NEAR(g.distance, lowest, 1e-4);  // sampling: about radius / number of samples
  // The point lies midway between the plane and the surface.
  EXPECT_NEAR(plane.normal.dot(g.point - plane.point), 0.5 * g.distance, 1e-14);
}

}  // namespace
}  // namespace scree
