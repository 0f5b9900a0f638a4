// Pipes and troughs of elliptic section: against the round tube, brute force, meshes, and each other's
// symmetry.
#include "engine/geometry/elliptic_cylinder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "tests/support/slender_bodies.h"

namespace scree {
namespace {

using test::slender_bodies;
using test::touching;

constexpr double pi = std::numbers::pi;

Vec3 uniform(Random& random, double low, double high) {
  return {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)};
}
Quat any_orientation(Random& random) {
  Quat q(random.normal(), random.normal(), random.normal(), random.normal());
  return q.normalized();
}

/// Points of the sheet in world axes, evenly spaced in the eccentric angle.
std::vector<Vec3> sheet_points(const EllipticCylinder& w, int around, int along) {
  const Vec3 z = (w.end - w.start).normalized(), y = (w.up - w.up.dot(z) * z).normalized(), x = y.cross(z);
  std::vector<Vec3> points;
  for (int i = 0; i <= around; ++i) {
    const double t = w.trough ? pi + pi * i / around : 2.0 * pi * i / around;
    for (int k = 0; k <= along; ++k)
      points.push_back(w.start + (w.end - w.start) * k / along + w.half_width * std::cos(t) * x +
                       w.half_height * std::sin(t) * y);
  }
  return points;
}

/// The distance from the ellipsoid's surface to the wall, by the nearest of many points of the sheet.
double by_force(const Ellipsoid& shape, const Pose& pose, const EllipticCylinder& w) {
  double least = infinity;
  for (const Vec3& p : sheet_points(w, 480, 120)) {
    const Vec3 local = pose.orientation.conjugate() * (p - pose.position);
    const Vec3 on = closest_surface_point(shape, local);
    const bool within = local.cwiseQuotient(shape.semi_axes).squaredNorm() < 1.0;
    least = std::min(least, (within ? -1.0 : 1.0) * (on - local).norm());
  }
  return least - 0.5 * w.thickness;
}

// A round section gives the same results as the tube of the same wall, except for the numbers of features.
TEST(EllipticCylinder, RoundSectionMatchesTheTube) {
  Random random(7);
  const Tube tube{Vec3(0.1, -0.2, 0.3), Vec3(0.6, 0.9, 0.1), 0.35, 0.1};
  EllipticCylinder wall{tube.start, tube.end, Vec3(0.3, 0.1, 1.0)};
  wall.half_width = wall.half_height = tube.middle_radius();
  wall.thickness = tube.thickness;
  int met = 0;
  for (int k = 0; k < 3000; ++k) {
    const Ellipsoid shape{uniform(random, 0.05, 0.15)};
    const Pose pose{Vec3(0.35, 0.35, 0.2) + uniform(random, -1.0, 1.0), any_orientation(random)};
    Gap of_tube[max_tube_contacts];
    const int count = gaps(shape, pose, tube, 0.02, of_tube);
    std::vector<Gap> found;
    contacts(shape, pose, wall, 0.02, found);
    // Deep in the wall each finds contacts which the other does not find: such positions do not occur in
    // runs.
    if (room(wall, pose.position).how == WallRoom::How::in_the_wall) continue;
    ASSERT_EQ(found.size(), static_cast<std::size_t>(count)) << k;
    for (int i = 0; i < count; ++i) {
      const bool same = std::ranges::any_of(found, [&](const Gap& g) {
        return std::abs(g.distance - of_tube[i].distance) < 1e-9 &&
               (g.normal - of_tube[i].normal).norm() < 1e-7 && (g.point - of_tube[i].point).norm() < 1e-8;
      });
      EXPECT_TRUE(same) << k << ' ' << of_tube[i].distance << ' ' << of_tube[i].feature;
      ++met;
    }
  }
  EXPECT_GT(met, 300);
}

// The least distance equals the distance to the nearest of 58,000 points of the sheet, from inside, outside,
// at rims and edges.
TEST(EllipticCylinder, LeastDistanceMatchesBruteForce) {
  Random random(11);
  int met = 0;
  for (int k = 0; k < 400; ++k) {
    EllipticCylinder wall{Vec3::Zero(), Vec3(1.0, 0.3, -0.2), Vec3(0.2, -0.1, 1.0)};
    wall.half_width = random.uniform(0.15, 0.6);
    wall.half_height = random.uniform(0.15, 0.6);
    wall.thickness = 0.06;
    wall.trough = k % 2 == 1;
    const Ellipsoid shape{uniform(random, 0.06, 0.2)};
    const Pose pose{Vec3(0.5, 0.15, -0.1) + uniform(random, -0.9, 0.9), any_orientation(random)};
    const double expected = by_force(shape, pose, wall);
    if (expected < -0.03) continue;  // through the sheet: no distance to compare
    std::vector<Gap> found;
    contacts(shape, pose, wall, 2.0, found);
    ASSERT_FALSE(found.empty()) << k;
    const double least = std::ranges::min_element(found, {}, &Gap::distance)->distance;
    EXPECT_NEAR(least, expected, 1e-3) << k;  // points 9 mm apart, a grain's curvature radius 20 mm
    ++met;
  }
  EXPECT_GT(met, 250);
}

// Contact points: midway between a point of the body's surface and one of the wall's, along the normal.
TEST(EllipticCylinder, ContactsAreMidwayAlongTheirNormals) {
  Random random(3);
  int met = 0;
  for (int k = 0; k < 2000; ++k) {
    EllipticCylinder wall{Vec3::Zero(), Vec3::UnitX() * 1.5};
    wall.half_width = 0.5;
    wall.half_height = 0.3;
    wall.trough = k % 3 == 0;
    wall.thickness = 0.05;
    const Ellipsoid shape{uniform(random, 0.04, 0.15)};
    const Pose pose{Vec3(0.75, 0, 0) + uniform(random, -1.0, 1.0), any_orientation(random)};
    std::vector<Gap> found;
    contacts(shape, pose, wall, 0.03, found);
    for (const Gap& g : found) {
      EXPECT_NEAR(g.normal.norm(), 1.0, 1e-12);
      const Vec3 on_wall = g.point - 0.5 * g.distance * g.normal,
                 on_body = g.point + 0.5 * g.distance * g.normal;
      EXPECT_NEAR(distance(wall, on_wall), 0.0, 1e-9)
          << k << ' ' << g.feature << ' ' << g.distance << ' ' << shape.semi_axes.transpose();
      const Vec3 local = pose.orientation.conjugate() * (on_body - pose.position);
      EXPECT_NEAR(local.cwiseQuotient(shape.semi_axes).norm(), 1.0, 1e-8) << k << ' ' << g.feature;
      const Vec3 outward = pose.orientation * local.cwiseQuotient(shape.semi_axes.cwiseAbs2()).normalized();
      EXPECT_NEAR(outward.dot(g.normal), -1.0, 1e-8) << k << ' ' << g.feature;
      ++met;
    }
  }
  EXPECT_GT(met, 200);
}

// A ball in a trough swings as on the curve of its section: the second derivative of its gap.
TEST(EllipticCylinder, GapAccelerationMatchesSectionCurvature) {
  EllipticCylinder wall{Vec3(-1, 0, 0), Vec3(1, 0, 0)};
  wall.half_width = 0.8;
  wall.half_height = 0.5;
  wall.thickness = 0.02;
  wall.trough = true;
  const double r = 0.1, bore = 0.01;
  const Ellipsoid ball{Vec3::Constant(r)};
  const Pose pose{Vec3(0.0, 0.0, -0.5 + bore + r + 1e-4), Quat::Identity()};
  std::vector<Gap> found;
  contacts(ball, pose, wall, 0.01, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].distance, 1e-4, 1e-12);
  const double speed =
      0.3;  // along the width: at the bottom the wall's section has a radius of curvature of 0.8^2/0.5
  const double a = gap_acceleration(ball, pose, wall, found[0], {{Vec3(0, speed, 0), Vec3::Zero()}, 1e-4});
  const double radius = 0.8 * 0.8 / 0.5 - bore - r - 1e-4;  // of the centre's path at this distance
  EXPECT_NEAR(a, -speed * speed / radius, 1e-4);
}

// Bodies in the planes of symmetry, where slopes are exactly zero: each finds its contacts.
TEST(EllipticCylinder, FindsContactsInPlanesOfSymmetry) {
  for (const double angle : {0.0, 0.5 * pi, pi, 1.5 * pi}) {
    for (const double side : {-1.0, 1.0}) {
      EllipticCylinder wall{Vec3::Zero(), Vec3(0, 0, 1)};
      wall.up = Vec3::UnitY();
      wall.half_width = 0.5;
      wall.half_height = 0.6;
      wall.thickness = 0.02;
      const Vec3 out(std::cos(angle), std::sin(angle), 0.0), exact = out.array().round();
      const double radius = std::abs(exact.x()) > 0.5 ? 0.5 : 0.6;
      const Ellipsoid ball{Vec3::Constant(0.05)};
      std::vector<Gap> found;
      contacts(ball, {exact * (radius + side * 0.07) + Vec3(0, 0, 0.5), Quat::Identity()}, wall, 0.03, found);
      ASSERT_EQ(found.size(), 1u) << angle << ' ' << side;
      EXPECT_NEAR(found[0].distance, 0.01, 1e-12);
      EXPECT_LT((found[0].normal - side * exact).norm(), 1e-9);
      found.clear();  // and at the rim
      contacts(ball, {exact * radius + Vec3(0, 0, -0.07), Quat::Identity()}, wall, 0.03, found);
      ASSERT_EQ(found.size(), 1u) << angle;
      EXPECT_NEAR(found[0].distance, 0.01, 1e-12);
    }
  }
}

// A ball that nearly fills a flat trough, with its centre above the edges, is still held by its sides.
TEST(EllipticCylinder, TroughHoldsABallWhoseCentreIsAboveItsEdges) {
  EllipticCylinder wall{Vec3(-1, 0, 0), Vec3(1, 0, 0)};
  wall.half_width = 1.0;
  wall.half_height = 0.3;
  wall.thickness = 0.02;
  wall.trough = true;
  EXPECT_NEAR(distance(wall, Vec3(0, 0, 0.06)), 0.36 - 0.01, 1e-9);
  std::vector<Gap> found;
  contacts(Ellipsoid{Vec3::Constant(0.35)}, {Vec3(0, 0, 0.06), Quat::Identity()}, wall, 0.01, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].distance, 0.0, 1e-12);
  EXPECT_NEAR(found[0].normal.z(), 1.0, 1e-12);
}

// On the outer rim of the lower half with a normal that points away from the whole wall: a plane is between
// both. So no contact is closer, also if the deepest place of the body is over the sheet. 1e-9: the rim's
// angle.
TEST(EllipticCylinder, SlenderBodyOnTheRimTouchesOnlyThere) {
  Random random(15);
  for (const bool trough : {false, true}) {
    for (const double half_height : {1.0, 0.3}) {
      EllipticCylinder wall{Vec3(0, 0, -1), Vec3(0, 0, 1), Vec3(0, 1, 0)};
      wall.half_width = 1.0;
      wall.half_height = half_height;
      wall.thickness = 0.1;
      wall.trough = trough;
      for (const double size : {0.2, 1.2}) {
        for (const Ellipsoid& shape : slender_bodies(size)) {
          for (int k = 0; k < 60; ++k) {
            const double t = pi * (1.0 + random.uniform(0.05, 0.95)), tilt = random.uniform(0.1, 1.5),
                         gap = 0.02 * shape.semi_axes.minCoeff();
            const Vec3 on(std::cos(t), half_height * std::sin(t), 1.0),
                up = Vec3::UnitZ(), out = Vec3(half_height * std::cos(t), std::sin(t), 0.0).normalized(),
                normal = std::cos(tilt) * out + std::sin(tilt) * up;
            std::vector<Gap> found;
            contacts(shape, touching(shape, random.rotation(), on + 0.05 * normal, normal, gap), wall,
                     1.5 * gap, found);
            ASSERT_FALSE(found.empty()) << trough << ", " << shape.semi_axes.transpose() << ", " << k;
            EXPECT_NEAR(std::ranges::min_element(found, {}, &Gap::distance)->distance, gap, 1e-9)
                << trough << ", " << half_height << ", " << shape.semi_axes.transpose() << ", " << k;
          }
        }
      }
    }
  }
}

// All points of the mesh are on the surface, patches face outwards, and a closed mesh has the wall's volume.
TEST(EllipticCylinder, MeshLiesOnIt) {
  for (const bool trough : {false, true}) {
    EllipticCylinder wall{Vec3(0.2, 0.1, 0), Vec3(1.0, 0.5, 0.3)};
    wall.half_width = 0.5;
    wall.half_height = 0.3;
    wall.thickness = 0.08;
    wall.trough = trough;
    const SurfacePatches patches = patches_of(wall, 1e-4);
    for (std::size_t k = 0; k < patches.points.size(); ++k) {
      EXPECT_NEAR(distance(wall, patches.points[k]), 0.0, 1e-12);
      EXPECT_NEAR(distance(wall, patches.points[k] + 1e-3 * patches.normals[k]), 1e-3, 1e-9);
    }
    const auto [middle, half] = *extent_of(wall);
    for (const Vec3& p : patches.points) EXPECT_LE((((p - middle).cwiseAbs() - half).maxCoeff()), 1e-12);
    // By Pappus: the section's line times the thickness, and half a circle round the ends.
    double perimeter = 0.0;
    constexpr int pieces = 100000;
    for (int k = 0; k < pieces; ++k) {
      const double t = pi + pi * (k + 0.5) / pieces;
      perimeter += std::hypot(0.5 * std::sin(t), 0.3 * std::cos(t)) * pi / pieces;
    }
    if (!trough) perimeter *= 2.0;
    const double length = (wall.end - wall.start).norm(), r = 0.04;
    double volume = perimeter * (2.0 * r * length + pi * r * r);
    if (trough) volume += pi * r * r * length + 4.0 / 3.0 * pi * r * r * r;
    const MeshMass mass = mesh_mass(mesh_of(wall, 1e-5));
    EXPECT_NEAR(mass.volume, volume, 2e-3 * volume) << trough;
  }
}

}  // namespace
}  // namespace scree
