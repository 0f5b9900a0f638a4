#include "engine/geometry/ellipsoid_revolved.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "engine/geometry/revolved_mesh.h"
#include "tests/support/slender_bodies.h"

namespace scree {
namespace {

using test::slender_bodies;
using test::touching;

constexpr double pi = std::numbers::pi;

PlacedRevolved placed(const std::vector<Vec2>& corners, bool closed = false, double rounding = 0.0,
                      const Pose& pose = {}) {
  return {std::make_shared<RevolvedSurface>(revolved_surface(corners, closed, rounding)), pose};
}

std::vector<Gap> found(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall, double margin) {
  std::vector<Gap> gaps;
  contacts(shape, pose, wall, margin, gaps);
  return gaps;
}

double least(const std::vector<Gap>& gaps) {
  double d = infinity;
  for (const Gap& g : gaps) d = std::min(d, g.distance);
  return d;
}

/// Minimum of f over a square of parameters: on a grid, then refined about the best points.
template <class F>
double least_on_square(F&& f, int along, int round) {
  struct Place {
    double s, phi, value;
  };
  std::vector<Place> places;
  for (int i = 0; i <= along; ++i) {
    for (int k = 0; k < round; ++k) {
      const double s = static_cast<double>(i) / along, phi = 2.0 * pi * k / round;
      places.push_back({s, phi, f(s, phi)});
    }
  }
  std::ranges::partial_sort(places, places.begin() + 8, {}, &Place::value);
  double best = infinity;
  for (std::size_t p = 0; p < 8; ++p) {
    Place at = places[p];
    for (double step = 1.0; step > 1e-7; step *= 0.5) {
      for (bool better = true; better;) {
        better = false;
        for (const auto& [ds, dphi] :
             {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}}) {
          const double s = std::clamp(at.s + step * ds / along, 0.0, 1.0),
                       phi = at.phi + step * dphi * 2.0 * pi / round;
          const double value = f(s, phi);
          if (!(value < at.value)) continue;
          at = {s, phi, value};
          better = true;
        }
      }
    }
    best = std::min(best, at.value);
  }
  return best;
}

/// The distance from the ellipsoid to the wall by points of the wall, m.
double brute_force(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall) {
  const RevolvedSurface& s = *wall.surface;
  const auto from = [&](const Vec2& profile, double phi) {
    const Vec3 at(profile[0] * std::cos(phi), profile[0] * std::sin(phi), profile[1]);
    const Vec3 world = wall.pose.position + wall.pose.orientation * at;
    const Vec3 p = pose.orientation.conjugate() * (world - pose.position);
    const Vec3 x = closest_surface_point(shape, p);
    return x.cwiseQuotient(shape.semi_axes.cwiseAbs2()).normalized().dot(p - x);
  };
  double d = infinity;
  for (const RevolvedSurface::Segment& segment : s.segments)
    d = std::min(d, least_on_square(
                        [&](double t, double phi) {
                          return from(segment.from + t * segment.length * segment.along, phi);
                        },
                        20, 48));
  if (s.segments.empty())
    d = least_on_square([&](double, double phi) { return from(s.corners[0], phi); }, 1, 48);
  return d - s.rounding;
}

struct Kind {
  const char* name;
  PlacedRevolved wall;
};

std::vector<Kind> kinds(const Pose& pose) {
  return {{"disc", placed({{0, 0}, {0.5, 0}}, false, 0.0, pose)},
          {"annulus", placed({{0.2, 0}, {0.6, 0}}, false, 0.0, pose)},
          {"open cylinder", placed({{0.4, -0.5}, {0.4, 0.5}}, false, 0.0, pose)},
          {"closed drum", placed({{0, -0.3}, {0.5, -0.3}, {0.5, 0.3}, {0, 0.3}}, false, 0.0, pose)},
          {"cone", placed({{0, -0.4}, {0.6, 0.4}}, false, 0.0, pose)},
          {"capped frustum", placed({{0, -0.4}, {0.2, -0.4}, {0.5, 0.4}, {0, 0.4}}, false, 0.0, pose)},
          {"ball", placed({{0, 0.1}}, false, 0.4, pose)},
          {"torus", placed({{0.5, 0}}, false, 0.1, pose)},
          {"capsule", placed({{0, -0.3}, {0, 0.3}}, false, 0.2, pose)},
          {"hopper", placed({{0.1, -0.6}, {0.1, -0.4}, {0.5, 0.1}, {0.5, 0.6}}, false, 0.0, pose)},
          {"rounded ring", placed({{0.3, -0.1}, {0.6, -0.1}, {0.5, 0.2}}, true, 0.03, pose)}};
}

TEST(EllipsoidRevolved, NothingIsDeeperThanTheSegmentBesideAnObtuseRidge) {
  // A body that a round table holds, next to its rim, from where a cone goes down by 45 degrees.
  Random random(14);
  for (const double rounding : {0.0, 5e-4}) {
    const PlacedRevolved table =
        placed({Vec2(0.0, 0.0), Vec2(0.05, 0.0), Vec2(0.12, -0.07)}, false, rounding);
    for (const Ellipsoid& shape : slender_bodies(0.012)) {
      for (int k = 0; k < 1000; ++k) {
        const double overlap = std::pow(10.0, random.uniform(-8.0, -4.5));
        Pose pose{Vec3::Zero(), random.rotation()};
        const Gap at = gap(place(shape, pose), Plane{Vec3::Zero(), Vec3::UnitZ()});
        const double within = std::pow(10.0, random.uniform(-6.0, -2.5)),
                     angle = random.uniform(0.0, 2.0 * pi);
        pose.position = (0.05 - within) * Vec3(std::cos(angle), std::sin(angle), 0.0) -
                        Vec3(at.point.x(), at.point.y(), at.distance + overlap - rounding);
        const std::vector<Gap> g = found(shape, pose, table, 0.0);
        ASSERT_FALSE(g.empty()) << k;
        ASSERT_GE(least(g), -1.01 * overlap) << k << ' ' << overlap;
      }
    }
  }
}

TEST(EllipsoidRevolved, LeastGapIsThatOfBruteForce) {
  // Points of the sharp surface, each with its distance from the ellipsoid, to 1e-7 rad and 1e-7 of lengths.
  Random random(3);
  const Pose stands{Vec3(1.0, 2.0, -0.5), random.rotation()};
  for (const Kind& kind : kinds(stands)) {
    int compared = 0;
    for (int trial = 0; trial < 30; ++trial) {
      const Ellipsoid shape{
          {random.uniform(0.05, 0.3), random.uniform(0.05, 0.2), random.uniform(0.02, 0.1)}};
      const Vec3 at(random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7));
      const Pose pose{stands.position + stands.orientation * at, random.rotation()};
      const double expected = brute_force(shape, pose, kind.wall);
      if (expected + kind.wall.surface->rounding < 0.0) continue;  // across the sheet
      ++compared;
      EXPECT_NEAR(least(found(shape, pose, kind.wall, 2.0)), expected, 1e-10) << kind.name << ' ' << trial;
    }
    EXPECT_GT(compared, 10) << kind.name;
  }
}

TEST(EllipsoidRevolved, SlenderBodyOnARimTouchesOnlyThere) {
  // On the rim of a convex surface with a normal that points away from all of it: a plane is between both. So
  // no contact is closer, also if the deepest place of the body is over a face. 1e-10: the rim's angle.
  Random random(14);
  struct Rim {
    const char* name;
    PlacedRevolved wall;
    Vec2 corner, from, to;  // normals at the corner are between these
  };
  const std::vector<Rim> rims{
      {"disc", placed({{0, 0}, {1, 0}}), {1, 0}, {0, -1}, {0, 1}},
      {"annulus", placed({{0.5, 0}, {1, 0}}), {1, 0}, {0, -1}, {0, 1}},
      {"cylinder", placed({{1, -1}, {1, 1}}), {1, 1}, {1, 0}, {0, 1}},
      {"drum", placed({{0, -1}, {1, -1}, {1, 1}, {0, 1}}), {1, 1}, {1, 0}, {0, 1}},
      {"cone", placed({{0, 1}, {1, 0}}), {1, 0}, {0, -1}, {1, 1}},
      {"rounded hopper", placed({{0.3, -1}, {1, 0}}, false, 0.05), {1, 0}, {1, -0.7}, {0, 1}}};
  for (const Rim& rim : rims) {
    for (const double size : {0.2, 0.9}) {
      for (const Ellipsoid& shape : slender_bodies(size)) {
        for (int k = 0; k < 60; ++k) {
          const double phi = random.uniform(0.0, 2.0 * pi), part = random.uniform(0.02, 0.98),
                       gap = 0.02 * shape.semi_axes.minCoeff();
          const double low = std::atan2(rim.from[1], rim.from[0]), high = std::atan2(rim.to[1], rim.to[0]),
                       tilt = low + part * (high - low);
          const Vec3 out(std::cos(phi), std::sin(phi), 0.0),
              up = Vec3::UnitZ(), normal = std::cos(tilt) * out + std::sin(tilt) * up;
          const Vec3 place = rim.corner[0] * out + rim.corner[1] * up + rim.wall.surface->rounding * normal;
          const Pose pose = touching(shape, random.rotation(), place, normal, gap);
          EXPECT_NEAR(least(found(shape, pose, rim.wall, 1.5 * gap)), gap, 1e-10)
              << rim.name << ", " << shape.semi_axes.transpose() << ", " << k;
        }
      }
    }
  }
}

TEST(EllipsoidRevolved, HollowSphereByPointsOfTheGrain) {
  Random random(4);
  const PlacedRevolved wall{std::make_shared<RevolvedSurface>(hollow_sphere(0.5)),
                            {Vec3(1.0, -1.0, 2.0), random.rotation()}};
  for (int trial = 0; trial < 60; ++trial) {
    const Ellipsoid shape{{random.uniform(0.05, 0.4), random.uniform(0.05, 0.3), random.uniform(0.02, 0.1)}};
    const Vec3 at(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3));
    const Pose pose{wall.pose.position + at, random.rotation()};
    const double expected = least_on_square(
        [&](double s, double phi) {
          const Vec3 x(std::cos(phi) * std::sin(pi * s), std::sin(phi) * std::sin(pi * s), std::cos(pi * s));
          return 0.5 - (at + pose.orientation * x.cwiseProduct(shape.semi_axes)).norm();
        },
        24, 48);
    const std::vector<Gap> gaps = found(shape, pose, wall, 2.0);
    EXPECT_NEAR(least(gaps), expected, 1e-10) << trial;
    EXPECT_LE(gaps.size(), 2u) << trial;
    for (const Gap& g : gaps)
      EXPECT_NEAR((g.point - 0.5 * g.distance * g.normal - wall.pose.position).norm(), 0.5, 1e-10);
  }
}

TEST(EllipsoidRevolved, InteriorOfDiscMatchesThePlane) {
  Random random(5);
  const Pose stands{Vec3(0.3, 0.1, 0.2), random.rotation()};
  const PlacedRevolved disc = placed({{0, 0}, {1, 0}}, false, 0.0, stands);
  const Vec3 normal = stands.orientation * Vec3::UnitZ();
  for (int trial = 0; trial < 100; ++trial) {
    const Ellipsoid shape{{random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), random.uniform(0.05, 0.2)}};
    const double height = random.uniform(-0.3, 0.3);
    const Pose pose{stands.position + stands.orientation *
                                          Vec3(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), height),
                    random.rotation()};
    const Plane plane{stands.position, height < 0.0 ? Vec3(-normal) : normal};
    const Gap expected = gap(place(shape, pose), plane);
    const std::vector<Gap> gaps = found(shape, pose, disc, 1.0);
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_NEAR(gaps[0].distance, expected.distance, 1e-12);
    EXPECT_LT((gaps[0].normal - expected.normal).norm(), 1e-12);
    EXPECT_LT((gaps[0].point - expected.point).norm(), 1e-12);
    const Twist twist{random.direction(), 5.0 * random.direction()};
    EXPECT_NEAR(gap_acceleration(shape, pose, disc, gaps[0], {twist, 1e-4}),
                gap_acceleration(place(shape, pose), plane, twist, {}), 1e-4);
  }
}

TEST(EllipsoidRevolved, CylinderAwayFromRimsMatchesTubeBore) {
  // And its outside, with one plane between them. Second differences over 1e-4 s are accurate to 1e-4.
  Random random(6);
  const Pose stands{Vec3(0.3, 0.1, 0.2), random.rotation()};
  const PlacedRevolved wall = placed({{0.5, -3}, {0.5, 3}}, false, 0.05, stands);
  const Vec3 axis = stands.orientation * Vec3::UnitZ();
  const Tube tube{stands.position - 3.0 * axis, stands.position + 3.0 * axis, 0.45, 0.1};
  int twice = 0, unequal = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Ellipsoid shape{{random.uniform(0.1, 0.44), random.uniform(0.05, 0.4), random.uniform(0.02, 0.1)}};
    const Pose pose{
        stands.position + stands.orientation * Vec3(random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8),
                                                    random.uniform(-1, 1)),
        random.rotation()};
    Gap of_tube[max_tube_contacts];
    const double margin = 0.2;
    const int count = gaps(shape, pose, tube, margin, of_tube);
    const std::vector<Gap> of_wall = found(shape, pose, wall, margin);
    const Vec3 r = pose.position - stands.position;
    if ((r - r.dot(axis) * axis).norm() > 0.5) {
      double d = infinity;
      for (int k = 0; k < count; ++k) d = std::min(d, of_tube[k].distance);
      if (d > 0.0 && d < infinity) {
        EXPECT_NEAR(least(of_wall), d, 1e-9);
      }
      continue;
    }
    if (std::ranges::count_if(of_wall, [](const Gap& g) { return g.feature % 16 < 8; }) != count) {
      ++unequal;
      continue;
    }
    twice += count == 2 ? 1 : 0;
    for (const Gap& g : of_wall) {
      if (g.feature % 16 >= 8) continue;  // a full circle
      const Gap* same = std::min_element(of_tube, of_tube + count, [&](const Gap& a, const Gap& b) {
        return (a.point - g.point).norm() < (b.point - g.point).norm();
      });
      EXPECT_NEAR(g.distance, same->distance, 1e-9);
      EXPECT_LT((g.normal - same->normal).norm(), 1e-8);
      EXPECT_LT((g.point - same->point).norm(), 1e-8);
      const Twist twist{random.direction(), 5.0 * random.direction()};
      const double expected = gap_acceleration(shape, pose, tube, *same, {twist, 1e-4});
      EXPECT_NEAR(gap_acceleration(shape, pose, wall, g, {twist, 1e-4}), expected,
                  1e-4 * (1.0 + std::abs(expected)));
    }
  }
  EXPECT_GT(twice, 10);
  EXPECT_LE(unequal, 3);  // only one of them has samples on both sides of a shallow second maximum
}

TEST(EllipsoidRevolved, FittingBallTouchesAllAround) {
  const Ellipsoid ball{{0.1, 0.1, 0.1}};
  // In a funnel of half angle 30 degrees, and on the rim of a hole: each holds it with three contacts or
  // more.
  const PlacedRevolved funnel = placed({{0, 0}, {std::tan(pi / 6), 1}});
  const auto in_funnel = found(ball, {Vec3(0, 0, 0.2), Quat::Identity()}, funnel, 1e-3);
  ASSERT_GE(in_funnel.size(), 3u);
  const PlacedRevolved hole = placed({{0.06, 0}, {1, 0}});
  const auto on_hole = found(ball, {Vec3(0, 0, 0.08), Quat::Identity()}, hole, 1e-3);
  ASSERT_GE(on_hole.size(), 3u);
  for (const auto& gaps : {in_funnel, on_hole}) {
    Vec3 sum = Vec3::Zero();
    for (const Gap& g : gaps) {
      EXPECT_NEAR(g.distance, 0.0, 1e-12);
      sum += g.normal;
      for (const Gap& other : gaps) EXPECT_EQ(&g == &other, g.feature == other.feature);
    }
    EXPECT_LT(sum.head<2>().norm(), 1.0 + 1e-9);
  }
  EXPECT_NEAR(in_funnel[0].normal[2], 0.5, 1e-12);
  EXPECT_NEAR(on_hole[0].normal[2], 0.8, 1e-9);
}

TEST(EllipsoidRevolved, SingleContactPassesAroundDrumEdge) {
  // From the flat end over the edge to the round side: the gap does not jump, and no contact counts twice.
  Random random(8);
  const PlacedRevolved drum = placed({{0, -0.3}, {0.5, -0.3}, {0.5, 0.3}, {0, 0.3}});
  const Ellipsoid shape{{0.2, 0.15, 0.07}};
  const Quat turn = random.rotation();
  double last = infinity;
  for (int k = 0; k <= 4000; ++k) {
    const double angle = 0.5 * pi * k / 4000;
    const Vec3 at(0.9 * std::sin(angle), 0.1, 0.7 * std::cos(angle));
    const std::vector<Gap> gaps = found(shape, {at, turn}, drum, 0.35);
    ASSERT_EQ(gaps.size(), 1u) << angle;
    if (k > 0) {
      ASSERT_NEAR(gaps[0].distance, last, 0.9 * pi / 4000) << angle;
    }
    last = gaps[0].distance;
  }
}

TEST(EllipsoidRevolved, GapAccelerationOfRotatingWalls) {
  // The distance of the same feature slightly before and after, with both bodies moved.
  Random random(9);
  const double dt = 1e-4;
  int compared = 0;
  for (int trial = 0; trial < 40; ++trial) {
    for (const Kind& kind : kinds({Vec3(0.2, -0.1, 0.3), random.rotation()})) {
      const Ellipsoid shape{{0.15, 0.1, 0.06}};
      const Pose pose{Vec3(random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6)),
                      random.rotation()};
      const Twist twist{random.direction(), 3.0 * random.direction()};
      const WallMotion motion{Vec3(0.1, 0.5, 0.0), {random.direction(), 2.0 * random.direction()}};
      const auto turned = [](const Vec3& w, double t) {
        return Quat(Eigen::AngleAxisd(t * w.norm(), w.normalized()));
      };
      const auto then = [&](double t) {
        const Quat q = turned(motion.twist.angular, t);
        PlacedRevolved wall = kind.wall;
        wall.pose = {motion.centre + t * motion.twist.linear + q * (wall.pose.position - motion.centre),
                     q * wall.pose.orientation};
        return found(shape, {pose.position + t * twist.linear, turned(twist.angular, t) * pose.orientation},
                     wall, 0.2);
      };
      const auto now = then(0.0), before = then(-dt), after = then(dt);
      if (now.size() != before.size() || now.size() != after.size()) continue;
      for (std::size_t k = 0; k < now.size(); ++k) {
        if (now[k].feature != before[k].feature || now[k].feature != after[k].feature ||
            now[k].distance < 0.0)
          continue;
        const double expected = (after[k].distance - 2.0 * now[k].distance + before[k].distance) / (dt * dt);
        EXPECT_NEAR(gap_acceleration(shape, pose, kind.wall, now[k], {twist, dt, motion}), expected,
                    1e-5 * (1.0 + std::abs(expected)))
            << kind.name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(EllipsoidRevolved, BoxHoldsTheWall) {
  Random random(10);
  for (int trial = 0; trial < 20; ++trial) {
    for (const Kind& kind : kinds({random.direction(), random.rotation()})) {
      const auto [middle, half] = *extent_of(kind.wall);
      for (int k = 0; k < 200; ++k) {
        const Vec3 at = middle + 2.0 * half.norm() * random.direction() * random.uniform();
        if (distance(kind.wall, at) <= 0.0) {
          EXPECT_LT(((at - middle).cwiseAbs() - half).maxCoeff(), 1e-12);
        }
      }
      // And touches its content: the corners' circles reach its faces.
      for (const Vec2& c : kind.wall.surface->corners)
        EXPECT_LT((kind.wall.pose.position + kind.wall.pose.orientation * Vec3(c[0], 0, c[1]) - middle)
                      .cwiseAbs()
                      .maxCoeff(),
                  half.maxCoeff() + 1e-12);
    }
  }
}

// Meshes of discs, cylinders, cones, balls, tori and rounded profiles: their points and the middles of their
// triangles are within the sagitta of the wall, and no point of the wall is farther from all triangles.
TEST(RevolvedMesh, LiesOnTheWall) {
  constexpr double sagitta = 1e-3;
  const std::vector<PlacedRevolved> walls{
      placed({{0, 0}, {0.3, 0}}),
      placed({{0.3, 0}, {0.3, 0.5}}),
      placed({{0.0, 0}, {0.4, 0.5}, {0.4, 0.7}}),
      placed({{0.0, 0.0}}, false, 0.3),
      placed({{0.5, 0.0}}, false, 0.1),
      placed({{0.1, 0}, {0.3, 0.2}, {0.3, 0.6}}, false, 0.05),
      {std::make_shared<RevolvedSurface>(hollow_sphere(0.4)), {}},
  };
  for (std::size_t w = 0; w < walls.size(); ++w) {
    const TriangleMesh mesh = mesh_of(*walls[w].surface, sagitta);
    ASSERT_GT(mesh.triangles.size(), 20u);
    double area = 0.0;
    for (const auto& t : mesh.triangles) {
      const Vec3 &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
      area += 0.5 * (b - a).cross(c - a).norm();
      // Inside the rounded profile, sides of neighbours cross, deep in the wall.
      for (const Vec3& x : {a, Vec3((a + b + c) / 3.0)})
        EXPECT_LT(distance(walls[w], x), 1.01 * sagitta) << w;
      if (w == 5) continue;
      EXPECT_GT(distance(walls[w], Vec3((a + b + c) / 3.0)), -1.01 * sagitta) << w;
    }
    const double exact[] = {
        pi * 0.09,       2.0 * pi * 0.3 * 0.5,      pi * 0.4 * std::hypot(0.4, 0.5) + 2.0 * pi * 0.4 * 0.2,
        4.0 * pi * 0.09, 4.0 * pi * pi * 0.5 * 0.1, 0.0,
        4.0 * pi * 0.16};
    if (w == 5) continue;
    EXPECT_NEAR(area, exact[w], 0.02 * exact[w]) << w;
  }
  // Half the error with half the chord length.
  const auto triangles = [&](double s) {
    return static_cast<double>(mesh_of(*walls[1].surface, s).triangles.size());
  };
  EXPECT_NEAR(triangles(2.5e-4) / triangles(1e-3), 2.0, 0.1);
}

}  // namespace
}  // namespace scree
