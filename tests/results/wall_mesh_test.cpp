#include "io/results/wall_mesh.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

double polygon_area(const io::WallMesh& mesh, std::size_t p) {
  const std::vector<std::int32_t>& corners = mesh.polygon[p];
  Vec3 sum = Vec3::Zero();
  const Vec3& origin = mesh.point[corners[0]];
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    sum += (mesh.point[corners[i]] - origin).cross(mesh.point[corners[i + 1]] - origin);
  }
  return 0.5 * sum.norm();
}

}  // namespace

TEST(WallMesh, PlanesOfAClosedBoxBecomeItsFaces) {
  const Boundaries box = box_walls("box", MaterialIndex(0), {0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}, {});
  const io::WallMesh mesh = io::wall_mesh(box, {{-1.0, -1.0, -1.0}, {4.0, 4.0, 4.0}});
  ASSERT_EQ(mesh.polygon.size(), 6u);
  double area = 0.0;
  for (std::size_t p = 0; p < 6; ++p) area += polygon_area(mesh, p);
  EXPECT_NEAR(area, 2.0 * (2.0 + 3.0 + 6.0), 1e-12);
}

TEST(WallMesh, ALonePlaneFillsTheRegion) {
  const Boundaries floor{{"floor", MaterialIndex(0), Plane{{5.0, 5.0, 0.0}, Vec3::UnitZ()}}};
  const io::WallMesh mesh = io::wall_mesh(floor, {{-1.0, -2.0, -1.0}, {1.0, 2.0, 1.0}});
  ASSERT_EQ(mesh.polygon.size(), 1u);
  EXPECT_NEAR(polygon_area(mesh, 0), 8.0, 1e-12);
}

TEST(WallMesh, TheRegionHoldsBodiesTubesAndTheFloorUnderThem) {
  const io::Scene scene = example_scene(10);
  const io::ViewBox region =
      io::scene_region(scene.initial.bodies, scene.model.shapes, scene.model.boundaries);
  for (const Vec3& position : scene.initial.bodies.position) {
    EXPECT_TRUE((position.array() > region.low.array()).all() &&
                (position.array() < region.high.array()).all());
  }
  EXPECT_LT(region.low.z(), 0.0);
  EXPECT_GT(region.high.z(), 3.0);
}

TEST(WallMesh, RegionFollowsBodiesAndIgnoresLostOnes) {
  Bodies bodies = example_scene(2000).initial.bodies;
  for (Vec3& position : bodies.position) position.x() += 10.0;
  bodies.position[17].y() = -1e6;
  bodies.position[18].z() = std::nan("");
  const io::ViewBox region = io::grown_region({{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}}, bodies);
  EXPECT_EQ(region.low.x(), -1.0);
  EXPECT_GT(region.high.x(), 10.8);
  EXPECT_LT(region.high.x(), 12.0);
  EXPECT_GT(region.low.y(), -2.0);
  EXPECT_GT(region.high.z(), 1.8);
}

TEST(WallMesh, TubeIsClosedWithTheCorrectArea) {
  const Tube tube{{0.0, 0.0, 1.0}, {0.0, 2.0, 1.0}, 0.5, 0.1};
  const io::WallMesh mesh = io::wall_mesh({{"tube", MaterialIndex(0), tube}}, {});
  double area = 0.0;
  for (std::size_t p = 0; p < mesh.polygon.size(); ++p) area += polygon_area(mesh, p);
  // Two cylinders and two half tori, which together make one torus (area by Pappus).
  const double pi = std::numbers::pi;
  const double exact = 2.0 * pi * 2.0 * (0.5 + 0.6) + 2.0 * pi * 0.55 * 2.0 * pi * 0.05;
  // 96 flat segments around: 1 - cos(pi / 96) is 5e-4; 8 around a rim: 2e-2 of its small share.
  EXPECT_NEAR(area / exact, 1.0, 3e-3);
  for (std::size_t i = 0; i < mesh.point.size(); ++i) {
    // Every point is half a thickness from the middle surface, and its normal points away from it.
    const Vec3 x = mesh.point[i] - tube.start;
    const double height = std::clamp(x.y(), 0.0, 2.0), radius = std::hypot(x.x(), x.z());
    const Vec3 nearest(x.x() / radius * 0.55, height, x.z() / radius * 0.55);
    EXPECT_NEAR((x - nearest).norm(), 0.05, 1e-12);
    EXPECT_NEAR((x - nearest).normalized().dot(mesh.normal[i]), 1.0, 1e-12);
  }
}

TEST(WallMesh, SurfacesOfRevolutionHaveTheirAreas) {
  const double pi = std::numbers::pi;
  const Pose tilted{Vec3(0.0, 0.1, 1.0), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()))};
  const auto area_of = [&](RevolvedSurface s) {
    const PlacedRevolved placed{std::make_shared<RevolvedSurface>(std::move(s)), tilted};
    const io::WallMesh mesh = io::wall_mesh({{"wall", MaterialIndex(0), placed}}, {});
    for (std::size_t i = 0; i < mesh.point.size(); ++i) {
      EXPECT_NEAR(distance(placed, mesh.point[i]), 0.0, 1e-12);
      EXPECT_NEAR(mesh.normal[i].norm(), 1.0, 1e-12);
      // Towards the free side; for sheets to either side.
      const double beyond = distance(placed, mesh.point[i] + 1e-3 * mesh.normal[i]);
      EXPECT_NEAR(beyond, 1e-3, 1e-9) << i;
    }
    double area = 0.0;
    for (std::size_t p = 0; p < mesh.polygon.size(); ++p) area += polygon_area(mesh, p);
    return area;
  };
  // Chords: 96 around and arcs of pi / 24 take less than 3e-3.
  EXPECT_NEAR(area_of(hollow_sphere(0.5)) / pi, 1.0, 3e-3);
  EXPECT_NEAR(area_of(revolved_surface({Vec2(0, 0)}, false, 0.5)) / pi, 1.0, 3e-3);
  EXPECT_NEAR(area_of(revolved_surface({Vec2(0.5, 0)}, false, 0.1)) / (4.0 * pi * pi * 0.5 * 0.1), 1.0, 3e-3);
  EXPECT_NEAR(
      area_of(revolved_surface({Vec2(0, 0), Vec2(0, 1)}, false, 0.2)) / (2.0 * pi * 0.2 * (1.0 + 0.4)), 1.0,
      3e-3);
  EXPECT_NEAR(area_of(revolved_surface({Vec2(0, 0), Vec2(1, 1)}, false, 0.0)) / (pi * std::sqrt(2.0)), 1.0,
              3e-3);
  // A round post: its sides and ends, with quarter rounds by Pappus.
  const double post = 2.0 * pi * 0.6 * 1.0 + 2.0 * pi * 0.25 + pi * pi * 0.1 + 4.0 * pi * 0.01;
  RevolvedSurface s = revolved_surface({Vec2(0, 0), Vec2(0.5, 0), Vec2(0.5, 1), Vec2(0, 1)}, false, 0.1);
  const PlacedRevolved placed{std::make_shared<RevolvedSurface>(s), {}};
  const io::WallMesh mesh = io::wall_mesh({{"wall", MaterialIndex(0), placed}}, {});
  double outside = 0.0;
  for (std::size_t p = 0; p < mesh.polygon.size(); ++p) {
    const Vec3& x = mesh.point[mesh.polygon[p][0]];
    if (x[2] < -1e-9 || x[2] > 1.0 + 1e-9 || std::hypot(x[0], x[1]) > 0.5 + 1e-9)
      outside += polygon_area(mesh, p);
  }
  EXPECT_NEAR(outside / post, 1.0, 5e-3);
}

}  // namespace scree::test
