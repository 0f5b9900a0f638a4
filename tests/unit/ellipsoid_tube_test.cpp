#include "engine/geometry/ellipsoid_tube.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/random.h"
#include "tests/support/slender_bodies.h"

namespace scree {
namespace {

using test::slender_bodies;
using test::touching;

constexpr double pi = std::numbers::pi;
const Tube tube{Vec3(0, 0, -1), Vec3(0, 0, 1), 0.5, 0.04};

/// Distance of a point to the tube's wall: to its middle surface, minus half the thickness.
double wall_distance(const Vec3& x) {
  const double radial = std::hypot(x[0], x[1]) - tube.middle_radius();
  const double beyond = std::max(0.0, std::abs(x[2]) - 1.0);
  return std::hypot(radial, beyond) - 0.5 * tube.thickness;
}

double sampled_distance(const Ellipsoid& shape, const Pose& pose, Random& random, int samples) {
  double least = infinity;
  for (int i = 0; i < samples; ++i) {
    least = std::min(
        least,
        wall_distance(pose.position + pose.orientation * shape.semi_axes.cwiseProduct(random.direction())));
  }
  return least;
}

double smallest_gap(const Ellipsoid& shape, const Pose& pose) {
  Gap found[max_tube_contacts];
  const int count = gaps(shape, pose, tube, 10.0, found);
  double least = infinity;
  for (int i = 0; i < count; ++i) least = std::min(least, found[i].distance);
  return least;
}

TEST(EllipsoidTube, SmallestGapIsTheSampledDistance) {
  // Inside, outside, across the rims, beyond the ends; grains at some distance from the wall, so that
  // sampling resolves the distance.
  Random random(1);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
    const Pose pose{Vec3(random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), random.uniform(-1.3, 1.3)),
                    random.rotation()};
    const double sampled = sampled_distance(shape, pose, random, 4000);
    if (sampled < 0.005 || sampled > 0.3) continue;
    const double exact = smallest_gap(shape, pose);
    ASSERT_LE(exact, sampled + 1e-9) << i;
    ASSERT_NEAR(exact, sampled, 2e-3)
        << i << " at " << pose.position.transpose();  // 4000 samples: spacing 5e-3, squared / size
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(EllipsoidTube, LargeGrainInTheBore) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Ellipsoid shape{Vec3(0.45, 0.3, 0.2)};
    const Pose pose{Vec3(0.02 * random.normal(), 0.02 * random.normal(), random.uniform(-1.4, 1.4)),
                    random.rotation()};
    const double sampled = sampled_distance(shape, pose, random, 20000);
    if (sampled < 0.005) continue;
    ASSERT_NEAR(smallest_gap(shape, pose), sampled, 4e-3) << i;
  }
}

TEST(EllipsoidTube, SphereInsideOutsideAndOnTheRim) {
  const Ellipsoid sphere{Vec3::Constant(0.1)};
  Gap g[max_tube_contacts];
  ASSERT_EQ(gaps(sphere, {Vec3(0.39, 0, 0), Quat::Identity()}, tube, 0.05, g), 1);
  EXPECT_NEAR(g[0].distance, 0.01, 1e-12);
  EXPECT_TRUE(g[0].normal.isApprox(Vec3(-1, 0, 0), 1e-9));
  ASSERT_EQ(gaps(sphere, {Vec3(0, 0.65, 0), Quat::Identity()}, tube, 0.05, g), 1);
  EXPECT_NEAR(g[0].distance, 0.01, 1e-12);
  EXPECT_TRUE(g[0].normal.isApprox(Vec3(0, 1, 0), 1e-9));
  ASSERT_EQ(gaps(sphere, {Vec3(0, 0.52, 1.13), Quat::Identity()}, tube, 0.05, g),
            1);  // straight above the rim
  EXPECT_NEAR(g[0].distance, 0.01, 1e-12);
  EXPECT_TRUE(g[0].normal.isApprox(Vec3(0, 0, 1), 1e-9));
}

TEST(EllipsoidTube, NormalTurnsSteadilyOverTheRim) {
  // A small sphere moves round the rim at a constant distance: one contact, with its normal from the axis
  // outwards.
  const Ellipsoid sphere{Vec3::Constant(0.05)};
  const double reach = 0.02 + 0.05 + 0.001;
  for (int k = 0; k <= 180; ++k) {
    const double angle = k * 3.14159265358979 / 180.0;
    const Vec3 normal(-std::cos(angle), 0, std::sin(angle));
    const Vec3 centre = Vec3(0.52, 0, 1.0) + reach * normal;
    Gap g[max_tube_contacts];
    const int count = gaps(sphere, {centre, Quat::Identity()}, tube, 0.005, g);
    ASSERT_GE(count, 1) << k;
    EXPECT_NEAR(g[0].distance, 0.001, 1e-10) << k;
    EXPECT_LT((g[0].normal - normal).norm(), 1e-6) << k;
  }
}

TEST(EllipsoidTube, GrainAcrossTheBoreTouchesWithBothEnds) {
  const Ellipsoid shape{Vec3(0.495, 0.1, 0.1)};
  Gap g[max_tube_contacts];
  ASSERT_EQ(gaps(shape, {Vec3::Zero(), Quat::Identity()}, tube, 0.01, g), 2);
  EXPECT_NEAR(g[0].distance, 0.005, 1e-12);
  EXPECT_NEAR(g[1].distance, 0.005, 1e-12);
  EXPECT_NE(g[0].feature, g[1].feature);
  EXPECT_NEAR(g[0].normal.dot(g[1].normal), -1.0, 1e-9);
}

TEST(EllipsoidTube, FeaturesSurviveSmallMotions) {
  Random random(3);
  const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
  for (int i = 0; i < 500; ++i) {
    const double angle = random.uniform(0, 6.28);
    const Pose pose{Vec3(0.4 * std::cos(angle), 0.4 * std::sin(angle), random.uniform(-0.5, 0.5)),
                    random.rotation()};
    Pose next = pose;
    next.position += 1e-6 * random.direction();
    Gap g[max_tube_contacts], h[max_tube_contacts];
    const int count = gaps(shape, pose, tube, 0.2, g);
    ASSERT_EQ(gaps(shape, next, tube, 0.2, h), count);
    for (int k = 0; k < count; ++k) {
      EXPECT_EQ(g[k].feature, h[k].feature);
      EXPECT_NEAR(g[k].distance, h[k].distance, 2e-6);
    }
  }
}

TEST(EllipsoidTube, GapAcceleration) {
  // Against second differences of the gap, inside, outside and on the rims.
  Random random(4);
  const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const double angle = random.uniform(0, 6.28),
                 radius = i % 2 ? random.uniform(0.3, 0.45) : random.uniform(0.6, 0.7);
    const Pose pose{Vec3(radius * std::cos(angle), radius * std::sin(angle), random.uniform(-1.2, 1.2)),
                    random.rotation()};
    const Twist v{random.direction(), 5.0 * random.direction()};
    Gap g[max_tube_contacts];
    const int count = gaps(shape, pose, tube, 0.1, g);
    for (int k = 0; k < count; ++k) {
      constexpr double dt = 1e-4;
      double sum = -2.0 * g[k].distance;
      bool found_both = true;
      for (const double t : {-dt, dt}) {
        const Quat turn(Eigen::AngleAxisd(t * v.angular.norm(), v.angular.normalized()));
        Gap moved[max_tube_contacts];
        const int n = gaps(shape, {pose.position + t * v.linear, turn * pose.orientation}, tube, 1.0, moved);
        const Gap* same =
            std::find_if(moved, moved + n, [&](const Gap& m) { return m.feature == g[k].feature; });
        found_both &= same != moved + n;
        if (same != moved + n) sum += same->distance;
      }
      if (!found_both || std::abs(sum) > 1e-6) continue;  // the contact ended or changed its feature
      const double difference = sum / (dt * dt);
      ASSERT_NEAR(gap_acceleration(shape, pose, tube, g[k], {v, 1e-4}), difference,
                  2e-2 * (1.0 + std::abs(difference)))
          << i << " feature " << g[k].feature;
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(EllipsoidTube, NeedleAcrossTheOutsideTouchesOnce) {
  // Tangentially, with its middle: the gap is known. There is no second contact on the far side of the axis.
  // 1e-12: rounding.
  for (const double aspect : {3.0, 5.0, 10.0, 20.0, 50.0}) {
    for (const double size : {0.15, 0.5}) {
      const Ellipsoid needle{{size, size / aspect, size / aspect}};
      const double gap = 0.02 * size / aspect;
      for (int k = 0; k < 100; ++k) {
        const double angle = 0.0628 * k + 0.001 * k * k;
        const Quat turn(Eigen::AngleAxisd(angle + 0.5 * pi, Vec3::UnitZ()));
        const Vec3 normal(std::cos(angle), std::sin(angle), 0.0);
        Gap g[max_tube_contacts];
        ASSERT_EQ(gaps(needle, touching(needle, turn, tube.outer_radius() * normal, normal, gap), tube,
                       1.5 * gap, g),
                  1)
            << aspect << ", " << k;
        EXPECT_NEAR(g[0].distance, gap, 1e-12);
        EXPECT_LT((g[0].normal - normal).norm(), 1e-9);
      }
    }
  }
}

TEST(EllipsoidTube, SlenderBodyOnTheOuterRimTouchesOnlyThere) {
  // With a normal between that of the outside and the axis a plane is between the body and the tube: no
  // contact is closer, and that one is there. 1e-10: the accuracy of the rim's angle.
  Random random(5);
  for (const double size : {0.1, 0.4}) {
    for (const Ellipsoid& shape : slender_bodies(size)) {
      for (int k = 0; k < 150; ++k) {
        const double phi = random.uniform(0.0, 2.0 * pi), tilt = random.uniform(0.0, 0.5 * pi),
                     gap = 0.02 * shape.semi_axes.minCoeff();
        const Vec3 out(std::cos(phi), std::sin(phi), 0.0),
            up = Vec3::UnitZ(), normal = std::cos(tilt) * out + std::sin(tilt) * up;
        const Vec3 place = tube.middle_radius() * out + up + 0.5 * tube.thickness * normal;
        Gap g[max_tube_contacts];
        const int count =
            gaps(shape, touching(shape, random.rotation(), place, normal, gap), tube, 1.5 * gap, g);
        ASSERT_GE(count, 1) << shape.semi_axes.transpose() << ", " << k;
        EXPECT_NEAR(
            std::min_element(g, g + count, [](const Gap& a, const Gap& b) { return a.distance < b.distance; })
                ->distance,
            gap, 1e-10)
            << shape.semi_axes.transpose() << ", " << k;
      }
    }
  }
}

TEST(EllipsoidTube, FlatBodyOnTheRimKeepsItsContact) {
  // The same with overlaps, also deeper than the body's own rim is curved: the body keeps a contact. Half of
  // the depth: where that is deeper than the curvature, another place of the rim may be less deep.
  Random random(6);
  for (const double aspect : {5.0, 8.0, 20.0}) {
    const Ellipsoid disc{{0.1, 0.1, 0.1 / aspect}};
    for (const double overlap : {0.05, 0.2, 0.5}) {
      for (int k = 0; k < 150; ++k) {
        const double phi = random.uniform(0.0, 2.0 * pi), tilt = random.uniform(0.2, 1.3),
                     gap = -overlap * disc.semi_axes.minCoeff();
        const Vec3 out(std::cos(phi), std::sin(phi), 0.0),
            up = Vec3::UnitZ(), normal = std::cos(tilt) * out + std::sin(tilt) * up;
        const Vec3 place = tube.middle_radius() * out + up + 0.5 * tube.thickness * normal;
        Gap g[max_tube_contacts];
        const int count = gaps(disc, touching(disc, random.rotation(), place, normal, gap), tube, 0.0, g);
        EXPECT_TRUE(std::any_of(g, g + count, [&](const Gap& one) { return one.distance < 0.5 * gap; }))
            << aspect << ", " << overlap << ", " << k << " of " << count;
      }
    }
  }
}

TEST(EllipsoidTube, JammedBallTouchesAllAround) {
  // In the bore and on the rim: with its centre on the axis, all directions are equal to rounding.
  Gap g[max_tube_contacts];
  const Ellipsoid ball{Vec3::Constant(0.5)}, large{Vec3::Constant(0.6)};
  const double height = std::sqrt(0.62 * 0.62 - 0.52 * 0.52);  // the rim is a ring of radius 0.02
  for (const auto& [shape, at] : {std::pair{ball, 0.0}, {large, 1.0 + height}}) {
    ASSERT_EQ(gaps(shape, {Vec3(0.0, 0.0, at), Quat::Identity()}, tube, 1e-6, g), 3) << at;
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(g[k].distance, 0.0, 1e-12);
      sum += g[k].normal;
    }
    EXPECT_LT(sum.head<2>().norm(), 1e-9);
    EXPECT_NEAR(sum[2], at > 1.0 ? 3.0 * height / 0.62 : 0.0, 1e-9);
  }
}

}  // namespace
}  // namespace scree
