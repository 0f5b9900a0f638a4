#include "engine/geometry/ellipsoid_mesh.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "tests/support/meshes.h"
#include "tests/support/slender_bodies.h"

namespace scree {
namespace {

using test::box;
using test::floor_of_triangles;
using test::placed;
using test::slender_bodies;
using test::touching;
using test::Triangles;

std::vector<Gap> found(const Ellipsoid& shape, const Pose& pose, const PlacedMesh& mesh, double margin) {
  std::vector<Gap> gaps;
  contacts(shape, pose, mesh, margin, gaps);
  return gaps;
}

TEST(EllipsoidMesh, AFlatFloorOfTrianglesIsThePlane) {
  // Also over its inner edges and vertices: one contact, always with the same name, at the plane's point.
  Random random(1);
  const Ellipsoid shape{{0.1, 0.07, 0.05}};
  const Pose where{Vec3(3, -2, 1), random.rotation()};
  const PlacedMesh mesh = floor_of_triangles(16, random, where);
  EXPECT_EQ(mesh.mesh->triangle_of_patch.size(), 1u);
  const Plane plane{where.position, where.orientation * Vec3::UnitZ()};
  for (int i = 0; i < 2000; ++i) {
    // Half of them exactly over corners of squares.
    const double x = i % 2 == 0 ? random.uniform(-0.3, 0.3)
                                : (std::floor(random.uniform(4, 12)) / 16.0 - 0.5),
                 y = i % 2 == 0 ? random.uniform(-0.3, 0.3)
                                : (std::floor(random.uniform(4, 12)) / 16.0 - 0.5);
    const Pose pose{where.position + where.orientation * Vec3(x, y, random.uniform(0.03, 0.12)),
                    i % 4 == 1 ? where.orientation : random.rotation()};
    const Gap exact = gap(place(shape, pose), plane);
    const std::vector<Gap> g = found(shape, pose, mesh, 0.02);
    ASSERT_EQ(g.size(), exact.distance <= 0.02 ? 1u : 0u) << i;
    if (g.empty()) continue;
    EXPECT_NEAR(g[0].distance, exact.distance, 1e-14);
    EXPECT_LT((g[0].point - exact.point).norm(), 1e-13);
    EXPECT_LT((g[0].normal - exact.normal).norm(), 1e-13);
    EXPECT_EQ(g[0].feature, 0u);
  }
}

TEST(EllipsoidMesh, InsideABoxGapsAreThoseOfItsPlanes) {
  Random random(2);
  const Vec3 half(0.5, 0.4, 0.3);
  MeshFindings findings;
  const PlacedMesh mesh = box(half, {}, &findings);
  EXPECT_TRUE(findings.is_closed());
  EXPECT_EQ(mesh.mesh->edges.size(), 18u);
  EXPECT_EQ(std::ranges::count_if(mesh.mesh->edges, &MeshSurface::Edge::is_sharp), 12);
  EXPECT_EQ(mesh.mesh->triangle_of_patch.size(), 6u);
  const Ellipsoid shape{{0.12, 0.1, 0.08}};
  std::size_t contacts_seen = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 inner = half - Vec3::Constant(0.095);
    const Pose pose{
        inner.cwiseProduct(Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1))),
        random.rotation()};
    std::vector<Gap> planes;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        const Gap g = gap(place(shape, pose), Plane{side * half, -side * Vec3::Unit(axis)});
        if (g.distance <= 0.03) planes.push_back(g);
      }
    }
    const std::vector<Gap> g = found(shape, pose, mesh, 0.03);
    // If a deepest point is also outside another wall, no face is under it: then the corner has the contact.
    for (const Gap& exact : planes) {
      const Vec3 on_wall = exact.point - 0.5 * exact.distance * exact.normal;
      if (!((on_wall.cwiseAbs() - half).maxCoeff() < 1e-12)) continue;
      const bool there = std::ranges::any_of(g, [&](const Gap& c) {
        return std::abs(c.distance - exact.distance) < 1e-13 && (c.point - exact.point).norm() < 1e-12 &&
               (c.normal - exact.normal).norm() < 1e-12;
      });
      EXPECT_TRUE(there) << i;
      ++contacts_seen;
    }
    EXPECT_LE(g.size(), planes.size());
  }
  EXPECT_GT(contacts_seen, 500u);
}

TEST(EllipsoidMesh, OutsideOfABoxTheGapIsTheLeastDistance) {
  // Brute force: the nearest of many points of the box's surface; its error comes from the distance between
  // them.
  Random random(3);
  const Vec3 half(0.2, 0.15, 0.1);
  const PlacedMesh mesh = box(half);
  const Ellipsoid shape{{0.12, 0.09, 0.05}};
  std::vector<Vec3> points;
  constexpr int n = 60;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
          Vec3 p;
          p[axis] = side * half[axis];
          p[(axis + 1) % 3] = half[(axis + 1) % 3] * (2.0 * i / n - 1.0);
          p[(axis + 2) % 3] = half[(axis + 2) % 3] * (2.0 * j / n - 1.0);
          points.push_back(p);
        }
      }
    }
  }
  int faces = 0, edges = 0, vertices = 0;
  for (int i = 0; i < 300; ++i) {
    const Pose pose{0.33 * random.direction(), random.rotation()};
    double least = infinity;
    for (const Vec3& p : points) {
      const Vec3 local = pose.orientation.conjugate() * (p - pose.position),
                 x = closest_surface_point(shape, local), n_x = x.cwiseQuotient(shape.semi_axes.cwiseAbs2());
      least = std::min(least, n_x.normalized().dot(local - x));
    }
    if (!(least > 0.0)) continue;
    const std::vector<Gap> g = found(shape, pose, mesh, 0.3);
    ASSERT_FALSE(g.empty());
    const Gap nearest = *std::ranges::min_element(g, {}, &Gap::distance);
    EXPECT_LE(nearest.distance, least + 1e-12);
    EXPECT_GT(nearest.distance, least - 1e-3);  // points are 7 mm apart
    (nearest.feature >> 30 == 0 ? faces : (nearest.feature >> 30 == 1 ? edges : vertices)) += 1;
    // The contact's two points are on the surfaces.
    const Vec3 on_grain = nearest.point + 0.5 * nearest.distance * nearest.normal,
               local = pose.orientation.conjugate() * (on_grain - pose.position),
               on_box = nearest.point - 0.5 * nearest.distance * nearest.normal;
    EXPECT_NEAR(local.cwiseQuotient(shape.semi_axes).norm(), 1.0, 1e-10);
    EXPECT_NEAR((on_box.cwiseAbs() - half).maxCoeff(), 0.0, 1e-12);
  }
  EXPECT_GT(faces, 20);
  EXPECT_GT(edges, 20);
  EXPECT_GT(vertices, 5);
}

TEST(EllipsoidMesh, GapAcceleration) {
  // Against second differences of the whole search, on faces, edges and vertices.
  Random random(4);
  const Ellipsoid shape{{0.12, 0.09, 0.05}};
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const PlacedMesh mesh = box({0.2, 0.15, 0.1}, {random.direction(), random.rotation()});
    const Pose pose{mesh.pose.position + 0.3 * random.direction(), random.rotation()};
    const Twist v{random.direction(), 2.0 * random.direction()};
    const WallMotion wall{mesh.pose.position, {random.direction(), random.direction()}};
    const auto at = [&](double t, std::uint32_t feature) {
      const auto turned = [&](const Twist& w, const Quat& q) {
        return Quat(Eigen::AngleAxisd(w.angular.norm() * t, w.angular.normalized())) * q;
      };
      const PlacedMesh then{
          mesh.mesh, {mesh.pose.position + t * wall.twist.linear, turned(wall.twist, mesh.pose.orientation)}};
      for (const Gap& g :
           found(shape, {pose.position + t * v.linear, turned(v, pose.orientation)}, then, 0.3))
        if (g.feature == feature) return g.distance;
      return infinity;
    };
    constexpr double dt = 1e-3;
    for (const Gap& g : found(shape, pose, mesh, 0.1)) {
      const double second = (at(dt, g.feature) - 2.0 * g.distance + at(-dt, g.feature)) / (dt * dt);
      if (!(second < infinity)) continue;
      EXPECT_NEAR(gap_acceleration(shape, pose, mesh, g, {v, dt, wall}), second,
                  1e-6 * (1.0 + std::abs(second)));
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

TEST(EllipsoidMesh, SheetHasContactsOnBothSides) {
  Random random(5);
  const PlacedMesh sheet = floor_of_triangles(2, random);
  for (const double side : {-1.0, 1.0}) {
    const std::vector<Gap> g =
        found({{0.05, 0.05, 0.05}}, {Vec3(0.1, 0.05, 0.049 * side), Quat::Identity()}, sheet, 0.01);
    ASSERT_EQ(g.size(), 1u);
    EXPECT_NEAR(g[0].distance, -0.001, 1e-15);
    EXPECT_LT((g[0].normal - side * Vec3::UnitZ()).norm(), 1e-15);
  }
  // Beside its rim: the open edge, 3-4-5.
  const std::vector<Gap> g =
      found({{0.05, 0.05, 0.05}}, {Vec3(0.53, 0.1, 0.04), Quat::Identity()}, sheet, 0.01);
  ASSERT_EQ(g.size(), 1u);
  EXPECT_NEAR(g[0].distance, 0.0, 1e-15);
  EXPECT_LT((g[0].normal - Vec3(0.6, 0.0, 0.8)).norm(), 1e-12);
}

TEST(EllipsoidMesh, BodyLeaningOnAnEdgeTouchesOnlyThere) {
  // At an edge or a corner of a box, with a normal between those of the faces that meet there: a plane
  // between the body and the box. So no contact is closer, also if the body's centre is below a face and its
  // end above it. 1e-12: rounding, and the accuracy of edges.
  Random random(11);
  const Vec3 half(1.0, 1.0, 1.0);
  const PlacedMesh mesh = box(half);
  for (const double size : {0.1, 0.7}) {
    for (const Ellipsoid& shape : slender_bodies(size)) {
      const double gap = 0.02 * shape.semi_axes.minCoeff();
      for (int k = 0; k < 300; ++k) {
        Vec3 normal = random.direction().cwiseAbs(), place = half;
        if (k % 2 == 0) {
          normal[1] = 0.0;
          place[1] = random.uniform(-0.9, 0.9);
        }
        normal.normalize();
        const Pose pose = touching(shape, random.rotation(), place, normal, gap);
        const std::vector<Gap> g = found(shape, pose, mesh, 2.0 * gap);
        ASSERT_FALSE(g.empty());
        EXPECT_NEAR(std::ranges::min_element(g, {}, &Gap::distance)->distance, gap, 1e-12)
            << shape.semi_axes.transpose() << ", " << k;
      }
    }
  }
}

TEST(EllipsoidMesh, NoOverlapWhereNoTriangleReachesIn) {
  // Against the independent search of triangles in the body, near a single triangle and in an open wedge. The
  // deepest places of bodies at any angle are often over faces that do not reach in.
  Random random(12);
  const std::vector<PlacedMesh> walls{
      placed({{0, 0, 0}, {1, 0, 0}, {0.3, 0.8, 0}}, {{0, 1, 2}}),
      placed({{-1, 0, 0}, {1, 0, 0}, {0, 1, 0.7}, {0, -1, 0.7}}, {{0, 1, 2}, {1, 0, 3}})};
  int free = 0;
  for (const PlacedMesh& wall : walls) {
    for (const double size : {0.2, 0.7}) {
      for (const Ellipsoid& shape : slender_bodies(size)) {
        for (int k = 0; k < 400; ++k) {
          const MeshSurface& m = *wall.mesh;
          const auto& corner = m.triangles[static_cast<std::size_t>(k) % m.triangles.size()];
          const Vec3 place =
              m.points[corner[0]] + random.uniform() * (m.points[corner[1]] - m.points[corner[0]]);
          const Pose pose{place + random.uniform(0.0, 1.1) * size * random.direction(), random.rotation()};
          if (reaches_into(shape, pose, wall)) continue;
          ++free;
          for (const Gap& g : found(shape, pose, wall, 0.0)) EXPECT_GT(g.distance, -1e-12) << k;
        }
      }
    }
  }
  EXPECT_GT(free, 2500);
}

TEST(EllipsoidMesh, ThinBodyKeepsItsContactAtAnEdge) {
  // Deeper than its rim is curved: the nearest side of the body is the one that the wall does not allow. The
  // contact is right if a shift by its depth along its normal, and by rounding, sets the body free.
  const PlacedMesh triangle = placed({{0, 0, 0}, {1, 0, 0}, {0.3, 0.8, 0}}, {{0, 1, 2}});
  const Vec3 rod(0.7, 0.0875, 0.0875), disc(0.7, 0.7, 0.0875);
  struct Case {
    Vec3 semi_axes, position;
    Quat turn;
  };
  const std::vector<Case> cases{
      {rod, {0.688841, -0.261325, 0.329099}, {-0.0594867, -0.670962, 0.661665, -0.329349}},
      {rod, {0.546883, -0.0538849, 0.455229}, {0.617922, 0.478976, 0.62195, 0.0439489}},
      {rod, {0.828317, 0.394487, -0.221794}, {-0.347777, 0.159752, 0.0787774, 0.920502}},
      {rod, {-0.0404837, 0.424927, -0.312841}, {-0.233152, -0.129054, -0.638001, 0.722454}},
      {disc, {1.32744, 0.413595, -0.420989}, {-0.299497, -0.729488, 0.566165, 0.240014}},
      {disc, {-0.341415, 0.540115, 0.184154}, {0.427642, -0.0575164, 0.843778, 0.319144}},
      {disc, {0.618599, 0.502956, -0.493722}, {0.507345, 0.409188, -0.0602972, 0.755996}},
      {disc, {0.132605, 0.173536, 0.623668}, {0.0257173, 0.768799, -0.0100362, 0.638895}}};
  for (const Case& c : cases) {
    const Ellipsoid shape{c.semi_axes};
    Pose pose{c.position, c.turn.normalized()};
    ASSERT_TRUE(reaches_into(shape, pose, triangle));
    const std::vector<Gap> g = found(shape, pose, triangle, 0.0);
    ASSERT_EQ(g.size(), 1u) << c.position.transpose();
    EXPECT_LT(g[0].distance, 0.0);
    EXPECT_GT(g[0].distance, -0.5 * shape.semi_axes.minCoeff());
    // The acceleration follows the same side: at rest it is zero, to rounding over the squared time.
    EXPECT_NEAR(gap_acceleration(shape, pose, triangle, g[0], {{}, 1e-3}), 0.0, 1e-8);
    pose.position -= (g[0].distance * (1.0 + 1e-9)) * g[0].normal;
    EXPECT_FALSE(reaches_into(shape, pose, triangle)) << c.position.transpose();
  }
}

TEST(EllipsoidMesh, BodyPushedThroughAFaceKeepsItsContact) {
  // Far from all edges, at any angle and down to its centre: the gap is that of the plane.
  Random random(13);
  const PlacedMesh mesh = floor_of_triangles(8, random);
  for (const Ellipsoid& shape : slender_bodies(0.2)) {
    for (int k = 0; k < 100; ++k) {
      const Pose pose{Vec3(0.0, 0.0, random.uniform(0.001, 0.05)), random.rotation()};
      const Gap exact = gap(place(shape, pose), Plane{Vec3::Zero(), Vec3::UnitZ()});
      if (exact.distance > 0.0) continue;
      const std::vector<Gap> g = found(shape, pose, mesh, 0.0);
      ASSERT_EQ(g.size(), 1u) << k;
      EXPECT_NEAR(g[0].distance, exact.distance, 1e-14);
    }
  }
}

TEST(EllipsoidMesh, NothingIsDeeperThanTheFaceBesideAnObtuseRidge) {
  // A body that a table holds, next to the ridge where it slopes down by 45 degrees: pushed back by its small
  // overlap it touches nothing.
  Random random(14);
  const PlacedMesh mesh = placed(
      {{-0.1, -0.1, 0}, {0, -0.1, 0}, {0, 0.1, 0}, {-0.1, 0.1, 0}, {0.07, -0.1, -0.07}, {0.07, 0.1, -0.07}},
      {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}});
  for (const Ellipsoid& shape : slender_bodies(0.012)) {
    for (int k = 0; k < 2000; ++k) {
      const double overlap = std::pow(10.0, random.uniform(-8.0, -4.5));
      Pose pose{Vec3::Zero(), random.rotation()};
      const Gap at = gap(place(shape, pose), Plane{Vec3::Zero(), Vec3::UnitZ()});
      const Vec3 lowest = at.point + 0.5 * at.distance * at.normal;  // up to sides, only x and y count
      pose.position =
          Vec3(-std::pow(10.0, random.uniform(-6.0, -2.5)) - lowest.x(), -lowest.y(), -at.distance - overlap);
      const std::vector<Gap> g = found(shape, pose, mesh, 0.0);
      ASSERT_FALSE(g.empty()) << k;
      for (const Gap& c : g) ASSERT_GE(c.distance, -1.01 * overlap) << k << ' ' << overlap;
    }
  }
}

TEST(EllipsoidMesh, HollowCornersKeepBothFacesWhateverTheirWinding) {
  // A fin that stands on a floor, with its vertices: their windings cannot agree on both sides. And a valley
  // of two faces that are wound in opposite directions.
  for (const bool turned : {false, true}) {
    const std::array<std::int32_t, 3> fin_a = turned ? std::array{1, 4, 5} : std::array{1, 5, 4},
                                      fin_b = turned ? std::array{1, 5, 2} : std::array{1, 2, 5};
    const PlacedMesh mesh =
        placed({{-1, -1, 0}, {0, -1, 0}, {0, 1, 0}, {-1, 1, 0}, {0, -1, 1}, {0, 1, 1}, {1, -1, 0}, {1, 1, 0}},
               {{0, 1, 2}, {0, 2, 3}, {1, 6, 7}, {1, 7, 2}, fin_a, fin_b});
    const PlacedMesh valley = placed({{-1, -1, 1}, {0, -1, 0}, {0, 1, 0}, {-1, 1, 1}, {1, -1, 1}, {1, 1, 1}},
                                     {{0, 1, 2},
                                      {0, 2, 3},
                                      turned ? std::array{1, 4, 5} : std::array{1, 5, 4},
                                      turned ? std::array{1, 5, 2} : std::array{1, 2, 5}});
    for (const Ellipsoid& shape : {Ellipsoid{Vec3::Constant(0.1)}, Ellipsoid{{0.1, 0.08, 0.07}}}) {
      const Vec3 half = shape.semi_axes;
      for (const double side : {-1.0, 1.0}) {
        for (const double deeper : {1e-3, 3e-3}) {
          const std::vector<Gap> g = found(
              shape, {Vec3(side * (half[0] - deeper), 0.1, half[2] - 2e-3), Quat::Identity()}, mesh, 0.0);
          EXPECT_EQ(g.size(), 2u) << turned << side << deeper;
        }
      }
      const std::vector<Gap> g =
          found(shape, {Vec3(0.01, 0.1, std::sqrt(2.0) * 0.098), Quat::Identity()}, valley, 0.05);
      EXPECT_EQ(g.size(), 2u) << turned;
    }
  }
}

TEST(MeshSurface, ReportsDefectsOfAMesh) {
  MeshFindings f;
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 1e-12, 0}};
  placed(square, {{0, 1, 2}, {0, 2, 3}, {2, 0, 1}, {0, 1, 4}}, {}, &f);
  EXPECT_EQ(f.triangles, 2u);
  EXPECT_EQ(f.dropped, 2u);  // one is a duplicate, one has no area
  EXPECT_EQ(f.open_edges, 4u);
  EXPECT_EQ(f.turned_edges, 0u);
  MeshFindings turned;
  placed(square, {{0, 1, 2}, {0, 3, 2}}, {}, &turned);
  EXPECT_EQ(turned.turned_edges, 1u);
  MeshFindings needle;
  placed({{0, 0, 0}, {1, 0, 0}, {0.5, 1e-3, 0}}, {{0, 1, 2}}, {}, &needle);
  EXPECT_EQ(needle.needles, 1u);
}

TEST(MeshSurface, TheTreeFindsAllTrianglesOfABox) {
  Random random(6);
  const PlacedMesh mesh = floor_of_triangles(20, random);
  for (int i = 0; i < 200; ++i) {
    const Vec3 middle(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.02, 0.02)),
        half = random.uniform(0.001, 0.1) * Vec3::Ones(), low = middle - half, high = middle + half;
    std::vector<std::int32_t> all, expected;
    triangles_near(*mesh.mesh, low, high, [&](std::int32_t t) { all.push_back(t); });
    std::ranges::sort(all);
    for (std::size_t t = 0; t < mesh.mesh->triangles.size(); ++t) {
      Vec3 a = Vec3::Constant(infinity), b = -a;
      for (const std::int32_t v : mesh.mesh->triangles[t]) {
        a = a.cwiseMin(mesh.mesh->points[v]);
        b = b.cwiseMax(mesh.mesh->points[v]);
      }
      if ((a.array() <= high.array()).all() && (b.array() >= low.array()).all())
        expected.push_back(static_cast<std::int32_t>(t));
    }
    EXPECT_TRUE(std::ranges::includes(all, expected));
    EXPECT_LE(all.size(), expected.size() + 60);  // leaves contain up to four
  }
}

}  // namespace
}  // namespace scree
