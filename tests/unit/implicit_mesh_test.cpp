#include "engine/geometry/implicit/implicit_mesh.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>

#include "engine/geometry/ellipsoid_mesh.h"
#include "engine/geometry/implicit/implicit_walls.h"
#include "engine/geometry/implicit/line_contact.h"
#include "tests/support/implicit_pairs.h"
#include "tests/support/meshes.h"

namespace scree {
namespace {

using test::found;
using test::made;

bool has(const std::vector<Gap>& gaps, const Gap& g, double point, double normal) {
  return std::ranges::any_of(gaps, [&](const Gap& o) {
    return std::abs(o.distance - g.distance) < point && (o.point - g.point).norm() < point &&
           (o.normal - g.normal).norm() < normal;
  });
}

TEST(ImplicitMesh, EllipsoidsTouchAsEllipsoids) {
  // About a box, from inside and from outside: on faces, edges and vertices, apart and overlapping.
  Random random(1);
  const Ellipsoid shape{Vec3(0.12, 0.09, 0.06)};
  const ImplicitShape s = made(perturbed(shape.semi_axes));
  const Pose where{Vec3(1, 2, 3), random.rotation()};
  const PlacedMesh mesh = test::box(Vec3(0.5, 0.4, 0.3), where);
  int edges = 0, vertices = 0, faces = 0;
  for (int i = 0; i < 2000; ++i) {
    Vec3 at(random.uniform(-0.6, 0.6), random.uniform(-0.5, 0.5), random.uniform(-0.4, 0.4));
    if (i % 4 == 0) at = Vec3(0.5, 0.4, 0.3) + 0.08 * random.direction().cwiseAbs();  // about a corner
    const Pose pose{where.position + where.orientation * at, random.rotation()};
    std::vector<Gap> exact;
    contacts(shape, pose, mesh, 0.02, exact);
    const std::vector<Gap> g = found(place(s, pose), mesh, 0.02);
    for (const Gap& e : exact) {
      if (e.distance < -0.02) continue;
      EXPECT_TRUE(has(g, e, 1e-8, 1e-7)) << i << " feature " << e.feature << " distance " << e.distance;
      ++(e.feature >= mesh_vertex ? vertices : (e.feature >= mesh_edge ? edges : faces));
    }
    for (const Gap& o : g) {
      if (o.distance > -0.02) {
        EXPECT_TRUE(has(exact, o, 1e-8, 1e-7)) << i << " feature " << o.feature << " distance " << o.distance;
      }
    }
  }
  EXPECT_GT(faces, 50);
  EXPECT_GT(edges, 50);
  EXPECT_GT(vertices, 10);
}

TEST(ImplicitMesh, AFlatFloorOfTrianglesIsThePlane) {
  // Also over inner edges and vertices: the contacts of the plane, under names of one patch.
  Random random(2);
  const Pose where{Vec3(3, -2, 1), random.rotation()};
  const PlacedMesh mesh = test::floor_of_triangles(16, random, where);
  const Plane plane{where.position, where.orientation * Vec3::UnitZ()};
  std::size_t seen = 0, several = 0;
  for (const PerturbedQuadric& f : {test::kidney(), test::dumbbell(), test::pebble(), test::tablet()}) {
    const ImplicitShape s = made(f);
    for (int i = 0; i < 150; ++i) {
      const Vec3 at(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(0.02, 0.1));
      const PlacedImplicit body =
          place(s, {where.position + where.orientation * at, random.rotation()}, 0.08);
      PairMemory memory;
      std::vector<Gap> exact;
      contacts(body, plane, 0.02, memory, exact);
      const std::vector<Gap> g = found(body, mesh, 0.02);
      ASSERT_EQ(g.size(), exact.size()) << i;
      for (const Gap& e : exact) EXPECT_TRUE(has(g, e, 1e-9, 1e-9)) << i;
      for (const Gap& o : g) EXPECT_LT(o.feature, 1u << 10);
      seen += g.size();
      if (g.size() > 1) ++several;
    }
  }
  EXPECT_GT(seen, 200u);
  EXPECT_GT(several, 10u);
}

/// Least distance of a point from a triangle.
double distance_to(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto to_segment = [&](const Vec3& u, const Vec3& v) {
    const Vec3 e = v - u;
    return (p - u - std::clamp((p - u).dot(e) / e.squaredNorm(), 0.0, 1.0) * e).norm();
  };
  const Vec3 n = (b - a).cross(c - a).normalized(), foot = p - n.dot(p - a) * n;
  const bool over = n.dot((b - a).cross(foot - a)) >= 0 && n.dot((c - b).cross(foot - b)) >= 0 &&
                    n.dot((a - c).cross(foot - c)) >= 0;
  return over ? std::abs(n.dot(p - a)) : std::min({to_segment(a, b), to_segment(b, c), to_segment(c, a)});
}

TEST(ImplicitMesh, OutsideOfABoxTheGapIsTheLeastDistance) {
  Random random(3);
  const PlacedMesh mesh = test::box(Vec3(0.5, 0.4, 0.3));
  int compared = 0, on_lines = 0;
  for (const PerturbedQuadric& f : {test::kidney(), test::dumbbell(), test::pebble()}) {
    const ImplicitShape s = made(f);
    std::vector<Vec3> points;
    for (int i = 0; i < 6000; ++i) {
      const Vec3 d = random.direction();
      points.push_back(ray_hit(s, Vec3::Zero(), d, 0.0, infinity) * d);
    }
    for (int i = 0; i < 150; ++i) {
      const Vec3 d = random.direction();
      const PlacedImplicit body = place(s, {random.uniform(0.5, 0.85) * d, random.rotation()}, 0.2);
      double least = infinity;
      for (const Vec3& x : points) {
        const Vec3 p = body.position + body.rotation * (body.scale * x);
        const bool inside = (p.cwiseAbs() - Vec3(0.5, 0.4, 0.3)).maxCoeff() < 0.0;
        if (inside) least = -infinity;
        for (const auto& t : mesh.mesh->triangles) {
          const auto at = [&](std::size_t k) { return mesh.mesh->points[t[k]]; };
          least = std::min(least, distance_to(p, at(0), at(1), at(2)));
        }
      }
      if (!(least > 0.002) || least > 0.04) continue;
      const std::vector<Gap> g = found(body, mesh, 0.05);
      ASSERT_FALSE(g.empty()) << i;
      const Gap nearest = *std::ranges::min_element(g, {}, &Gap::distance);
      // 6000 points on 0.2 m: a spacing of 7 mm; the error is its square times the curvature.
      EXPECT_LE(nearest.distance, least + 1e-9) << i;
      EXPECT_GT(nearest.distance, least - 2e-3) << i;
      ++compared;
      if (nearest.feature >= mesh_edge) ++on_lines;
    }
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(on_lines, 10);
}

TEST(ImplicitMesh, FlatFaceOverATableEdgeIsSupportedOnTheTable) {
  // A tablet that is half over the edge of a table: ends of its flat face on the table, and no contacts in
  // the air.
  const PlacedMesh table = test::box(Vec3(0.5, 0.5, 0.25), {Vec3(0, 0, -0.25), Quat::Identity()});
  const ImplicitShape s = made(test::tablet());
  const double lower = -support(s, -Vec3::UnitZ()).z() * 0.1;
  const PlacedImplicit body = place(s, {Vec3(0.49, 0.1, lower - 1e-4), Quat::Identity()}, 0.1);
  const std::vector<Gap> g = found(body, table, 0.002);
  ASSERT_GE(g.size(), 3u);
  double low_x = infinity, high_x = -infinity, low_y = infinity, high_y = -infinity;
  for (const Gap& c : g) {
    EXPECT_LE(c.point.x(), 0.5 + 1e-9);
    EXPECT_GT(c.normal.z(), 0.99);
    EXPECT_LT(c.distance, 2e-4);  // the tolerance for a flat face
    low_x = std::min(low_x, c.point.x());
    high_x = std::max(high_x, c.point.x());
    low_y = std::min(low_y, c.point.y());
    high_y = std::max(high_y, c.point.y());
  }
  EXPECT_LT(low_x, 0.48);
  EXPECT_GT(high_x, 0.489);
  EXPECT_GT(high_y - low_y, 0.03);
}

TEST(ImplicitMesh, CachedContactsMatchANewSearch) {
  // A pebble that rolls over the edge and past the corner of a box in small steps.
  const PlacedMesh mesh = test::box(Vec3(0.5, 0.4, 0.3));
  const ImplicitShape s = made(test::pebble());
  PairMemory memory;
  Pose pose{Vec3(0.35, 0.3, 0.36), Quat::Identity()};
  std::map<std::uint32_t, Vec3> last;
  int kept = 0, all = 0;
  for (int k = 0; k < 600; ++k) {
    pose.position += 4e-4 * Vec3(1.0, 0.6, -0.25);
    pose.orientation = Quat(Eigen::AngleAxisd(4e-3, Vec3(0.4, 0.5, 0.2).normalized())) * pose.orientation;
    const PlacedImplicit body = place(s, pose, 0.1);
    std::vector<Gap> g;
    contacts(body, mesh, 0.01, memory, g);
    const std::vector<Gap> fresh = found(body, mesh, 0.01);
    // Points of a line contact keep the places where they were found first.
    const auto is_point = [](const Gap& c) { return is_line_point(c.feature); };
    for (const Gap& f : fresh)
      EXPECT_TRUE(is_point(f) || has(g, f, 1e-8, 1e-6)) << k << ' ' << f.feature << ' ' << f.distance;
    EXPECT_EQ(std::ranges::count_if(g, std::not_fn(is_point)),
              std::ranges::count_if(fresh, std::not_fn(is_point)))
        << k;
    std::map<std::uint32_t, Vec3> now;
    for (const Gap& c : g) {
      EXPECT_TRUE(now.emplace(c.feature, c.point).second) << "one name twice";
      ++all;
      const auto before = last.find(c.feature);
      if (before != last.end() && (before->second - c.point).norm() < 0.01) ++kept;
    }
    last = now;
  }
  EXPECT_GT(all, 200);
  EXPECT_GT(kept, all - 30);  // names remain with their contacts from step to step
}

/// Second difference of a gap's distance over +-dt, with a new search; none if the gap has disappeared.
std::optional<double> second_difference(const auto& body_at, const PlacedMesh& mesh, const Gap& c,
                                        double dt) {
  double sum = -2.0 * c.distance;
  for (const double t : {-dt, dt}) {
    const std::vector<Gap> g = found(body_at(t), mesh, 0.04);
    const auto same = std::ranges::min_element(
        g, {}, [&](const Gap& o) { return (o.point - c.point).norm() + (o.normal - c.normal).norm(); });
    if (same == g.end() || (same->point - c.point).norm() > 5e-3) return std::nullopt;
    sum += same->distance;
  }
  return sum / (dt * dt);
}

TEST(ImplicitMesh, GapAcceleration) {
  // Against the second difference of the gap with new searches, on faces, edges and vertices.
  Random random(5);
  const PlacedMesh mesh = test::box(Vec3(0.5, 0.4, 0.3));
  int compared = 0, on_lines = 0;
  for (const PerturbedQuadric& f : {test::kidney(), test::pebble()}) {
    const ImplicitShape s = made(f);
    for (int i = 0; i < 200; ++i) {
      const Pose pose{random.uniform(0.4, 0.8) * random.direction(), random.rotation()};
      const PlacedImplicit body = place(s, pose, 0.2);
      const Twist twist{random.direction(), 5.0 * random.direction()};
      for (const Gap& c : found(body, mesh, 0.03)) {
        if (c.distance < -0.02) continue;
        const auto body_at = [&](double t) {
          return place(s, moved(pose, WallMotion{pose.position, twist}, t), 0.2);
        };
        const std::optional<double> coarse = second_difference(body_at, mesh, c, 4e-4),
                                    fine = second_difference(body_at, mesh, c, 1e-4);
        // Where the two differ, the contact moves along a flat part, and higher derivatives count.
        if (!coarse || !fine || std::abs(*coarse - *fine) > 0.02 * std::abs(*fine) + 0.02) continue;
        const double exact = *fine, got = gap_acceleration(body, mesh, c, twist);
        EXPECT_NEAR(got, exact, 0.02 * std::abs(exact) + 0.05) << i << ' ' << c.feature;
        ++compared;
        if (c.feature >= mesh_edge) ++on_lines;
      }
    }
  }
  EXPECT_GT(compared, 60);
  EXPECT_GT(on_lines, 10);
}

TEST(ImplicitMesh, GapAccelerationIsBoundedWhereContactsAreFlat) {
  // Over (speed of the bodies)^2 / size: at most 2.5 here. Where a difference was taken between two positions
  // of a contact it was 9.
  Random random(6);
  const PlacedMesh mesh = test::box(Vec3(0.5, 0.4, 0.3));
  const double size = 0.05;
  int seen = 0;
  double worst = 0.0;
  for (const PerturbedQuadric& f :
       {test::pebble(), test::tablet(), test::coffee_bean(), test::rounded_cube()}) {
    const ImplicitShape s = made(f);
    for (int i = 0; i < 3000; ++i) {
      const Vec3 aside(random.uniform(-0.5, 0.5), random.uniform(-0.4, 0.4), random.uniform(0.32, 0.36));
      const PlacedImplicit body = place(s, {aside, random.rotation()}, size);
      const Twist twist{7.0 * random.direction(), 100.0 * random.direction()};
      const double speed = 7.0 + 100.0 * size * s.bounding_radius;
      for (const Gap& c : found(body, mesh, 0.01)) {
        worst = std::max(worst, std::abs(gap_acceleration(body, mesh, c, twist)) * size / (speed * speed));
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 1000);
  EXPECT_LT(worst, 5.0);
}

}  // namespace
}  // namespace scree
