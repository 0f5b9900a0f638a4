#include "engine/geometry/implicit/implicit_walls.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "engine/core/random.h"
#include "engine/core/rotation.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "engine/geometry/implicit/surface_mesh.h"
#include "tests/support/implicit_pairs.h"
#include "tests/support/long_tests.h"

namespace scree {
namespace {

using test::found;
using test::made;

double least(const std::vector<Gap>& gaps) {
  double r = infinity;
  for (const Gap& g : gaps) r = std::min(r, g.distance);
  return r;
}

TEST(ImplicitWalls, EllipsoidOnAPlane) {
  Random random(1);
  const ImplicitShape s = made(perturbed({1.0, 0.75, 0.5}));
  for (int i = 0; i < 200; ++i) {
    const Pose pose{random.uniform(0.3, 1.1) * Vec3::UnitZ(), random.rotation()};
    const Plane plane{Vec3(0.3, 0.2, 0.0), Vec3::UnitZ()};
    const Gap exact = gap(place(Ellipsoid{{1.0, 0.75, 0.5}}, pose), plane);
    if (exact.distance > 0.2 || exact.distance < -0.4) continue;
    const std::vector<Gap> g = found(place(s, pose), plane, 0.2);
    ASSERT_EQ(g.size(), 1u);
    EXPECT_NEAR(g[0].distance, exact.distance, 1e-12);
    EXPECT_LT((g[0].point - exact.point).norm(), 1e-7);
    EXPECT_LT((g[0].normal - exact.normal).norm(), 1e-12);
  }
}

TEST(ImplicitWalls, LeastDistanceIsTheSampledOne) {
  Random random(2);
  const Plane plane{Vec3::Zero(), Vec3(1.0, 2.0, 2.0) / 3.0};
  const Tube tube{Vec3(0, 0, -3), Vec3(0, 0, 3), 1.4, 0.2};
  const auto tube_distance = [&](const Vec3& x) {
    const double aside = std::hypot(x[0], x[1]) - tube.middle_radius(),
                 beyond = std::max(0.0, std::abs(x[2]) - 3.0);
    return std::hypot(aside, beyond) - 0.5 * tube.thickness;
  };
  int compared = 0;
  for (const PerturbedQuadric& f : {test::kidney(), test::dumbbell(), test::pebble()}) {
    const ImplicitShape s = made(f);
    std::vector<Vec3> points;
    for (int i = 0; i < 4000; ++i) {
      const Vec3 d = random.direction();
      points.push_back(ray_hit(s, Vec3::Zero(), d, 0.0, infinity) * d);
    }
    for (int i = 0; i < 60; ++i) {
      const PlacedImplicit on_plane = place(s, {random.uniform(0.3, 1.2) * plane.normal, random.rotation()});
      const PlacedImplicit in_tube =
          place(s, {Vec3(random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), random.uniform(-4, 4)),
                    random.rotation()});
      double to_plane = infinity, to_tube = infinity;
      for (const Vec3& x : points) {
        to_plane = std::min(to_plane, plane.normal.dot(on_plane.position + on_plane.rotation * x));
        to_tube = std::min(to_tube, tube_distance(in_tube.position + in_tube.rotation * x));
      }
      // 4000 points: a spacing of 0.045 m; the error is its square times the curvature.
      if (to_plane > -0.2) {
        const double exact = least(found(on_plane, plane, 2.0));
        ASSERT_LE(exact, to_plane + 1e-12) << i;
        ASSERT_GT(exact, to_plane - 0.03) << i;
        ++compared;
      }
      if (to_tube > 0.0) {
        const double exact = least(found(in_tube, tube, 2.0));
        ASSERT_LE(exact, to_tube + 1e-12) << i;
        ASSERT_GT(exact, to_tube - 0.03) << i;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 150);
}

TEST(ImplicitWalls, EllipsoidInATube) {
  // The same contacts as the ellipsoid's own search, on the surface and on the rims.
  Random random(3);
  const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
  const ImplicitShape s = made(perturbed(shape.semi_axes));
  const Tube tube{Vec3(0, 0, -1), Vec3(0, 0, 1), 0.5, 0.04};
  int compared = 0;
  for (int i = 0; i < 500; ++i) {
    const Pose pose{Vec3(random.uniform(-0.65, 0.65), random.uniform(-0.65, 0.65), random.uniform(-1.1, 1.1)),
                    random.rotation()};
    Gap exact[max_tube_contacts];
    const int count = gaps(shape, pose, tube, 0.01, exact);
    const std::vector<Gap> g = found(place(s, pose), tube, 0.01);
    for (int k = 0; k < count; ++k) {
      if (exact[k].distance < -0.015) continue;  // beyond the middle of the wall both sides are possible
      ASSERT_TRUE(std::ranges::any_of(g,
                                      [&](const Gap& o) {
                                        return std::abs(o.distance - exact[k].distance) < 1e-9 &&
                                               (o.point - exact[k].point).norm() < 1e-6;
                                      }))
          << i << ' ' << exact[k].distance;
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

TEST(ImplicitWalls, GapAcceleration) {
  // Against the second difference, for a fixed plane and a moving one, and for a tube that rotates about its
  // axis.
  Random random(4);
  const ImplicitShape s = made(test::kidney());
  constexpr double h = 1e-4;
  const auto moved = [](PlacedImplicit b, const Twist& v, double t) {
    b.position += t * v.linear;
    b.rotation =
        Eigen::AngleAxisd(t * v.angular.norm(), v.angular.normalized()).toRotationMatrix() * b.rotation;
    return b;
  };
  int compared = 0;
  const auto compare = [&](const PlacedImplicit& body, auto&& wall_at, const Twist& v,
                           const WallMotion& motion) {
    PairMemory memory;
    std::vector<Gap> now;
    contacts(body, wall_at(0.0), 0.05, memory, now);
    for (const Gap& g : now) {
      double sum = -2.0 * g.distance;
      bool both = g.feature % 16 == 0;
      for (const double t : {-h, h}) {
        PairMemory follow = memory;
        std::vector<Gap> then;
        contacts(moved(body, v, t), wall_at(t), 0.06, follow, then);
        const auto same = std::ranges::find(then, g.feature, &Gap::feature);
        both = both && same != then.end();
        if (both) sum += same->distance;
      }
      const double exact = gap_acceleration(body, wall_at(0.0), g, v, motion);
      if (!both || std::abs(exact) > 200.0) continue;
      EXPECT_NEAR(sum / (h * h), exact, 2e-3 * (std::abs(exact) + 5.0));
      ++compared;
    }
  };
  for (int i = 0; i < 60; ++i) {
    const Twist v{random.direction(), 2.0 * random.direction()};
    const PlacedImplicit on_plane = place(s, {random.uniform(0.4, 0.9) * Vec3::UnitZ(), random.rotation()});
    compare(on_plane, [](double) { return Plane{}; }, v, {});
    const WallMotion swinging{Vec3(0.1, 0.2, -0.3), {0.5 * random.direction(), random.direction()}};
    compare(
        on_plane,
        [&](double t) {
          const Mat3 r =
              Eigen::AngleAxisd(t * swinging.twist.angular.norm(), swinging.twist.angular.normalized())
                  .toRotationMatrix();
          return Plane{swinging.centre + t * swinging.twist.linear + r * (Vec3::Zero() - swinging.centre),
                       r * Vec3::UnitZ()};
        },
        v, swinging);
    const PlacedImplicit in_tube =
        place(s, {Vec3(random.uniform(0.5, 0.9), 0.0, random.uniform(-2.5, 2.5)), random.rotation()});
    const Tube tube{Vec3(0, 0, -2), Vec3(0, 0, 2), 1.4, 0.3};
    compare(in_tube, [&](double) { return tube; }, v, {Vec3::Zero(), {Vec3::Zero(), 1.5 * Vec3::UnitZ()}});
  }
  EXPECT_GT(compared, 60);
}

TEST(ImplicitWalls, FlatFaceRestsOnFourEndsAndTheMiddle) {
  const ImplicitShape cube = made(test::rounded_cube());
  const double half = support(cube, Vec3::UnitZ())[2];
  const std::vector<Gap> g = found(place(cube, {Vec3(0, 0, half - 1e-3), Quat::Identity()}), Plane{}, 0.02);
  ASSERT_EQ(g.size(), 5u);  // the middle and four ends
  std::set<std::uint32_t> features;
  for (const Gap& c : g) {
    features.insert(c.feature);
    if (c.feature % 16 != 0) {
      EXPECT_GT(c.point.head<2>().norm(), 0.15);
    }
    EXPECT_NEAR(c.distance, -1e-3, 5e-3);
  }
  EXPECT_EQ(features.size(), 5u);
}

TEST(ImplicitWalls, BowlStandsOnAllOfItsRim) {
  // Its contacts once were 303 for a tilt of zero, and none from 1e-9 to 1e-5.
  const ImplicitShape bowl = made(test::dented_ball());
  Random random(8);
  std::vector<Vec3> surface;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 d = random.direction();
    surface.push_back(ray_hit(bowl, Vec3::Zero(), d, 0.0, infinity) * d);
  }
  for (const double tilt : {0.0, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.03, 0.1}) {
    const Quat turn = Quat(Eigen::AngleAxisd(tilt, Vec3(0.6, 0.8, 0.0))) * Quat(0.0, 1.0, 0.0, 0.0);
    const PlacedImplicit placed = place(bowl, {Vec3(0.1, 0.2, 0.85), turn});
    const std::vector<Gap> g = found(placed, Plane{}, 0.3);
    ASSERT_FALSE(g.empty()) << tilt;
    EXPECT_LE(g.size(), 7u) << tilt;
    double sampled = infinity;
    for (const Vec3& x : surface) sampled = std::min(sampled, (placed.position + turn * x)[2]);
    EXPECT_NEAR(least(g), sampled, 1e-3) << tilt;
    if (tilt > 1e-3) continue;
    Vec3 low = g[0].point, high = g[0].point;
    for (const Gap& c : g) {
      low = low.cwiseMin(c.point);
      high = high.cwiseMax(c.point);
    }
    EXPECT_LT(low[0], 0.0) << tilt;  // around the middle of the bowl
    EXPECT_GT(high[0], 0.2) << tilt;
    EXPECT_LT(low[1], 0.1) << tilt;
    EXPECT_GT(high[1], 0.3) << tilt;
  }
}

TEST(ImplicitWalls, FeaturesPersistWhileABodyRolls) {
  Random random(5);
  const ImplicitShape s = made(test::pebble());
  int changes = 0;
  PlacedImplicit body = place(s, {Vec3(0, 0, 0.7), random.rotation()});
  const Vec3 spin = random.direction();
  PairMemory memory;
  std::set<std::uint32_t> last;
  for (int k = 0; k < 1000; ++k) {
    body.rotation = Eigen::AngleAxisd(5e-3, spin).toRotationMatrix() * body.rotation;
    std::vector<Gap> g;
    contacts(body, Plane{}, 0.02, memory, g);
    std::set<std::uint32_t> features;
    for (const Gap& c : g) features.insert(c.feature);
    ASSERT_EQ(features.size(), g.size());
    // Except for points kept from earlier steps, which are on the surface too.
    std::erase_if(g, [](const Gap& c) { return c.feature % 16 == 15; });
    std::erase_if(features, [](std::uint32_t f) { return f % 16 == 15; });
    // The cache's answer equals that of a search without cache.
    const std::vector<Gap> afresh = found(body, Plane{}, 0.02);
    ASSERT_EQ(afresh.size(), g.size()) << k;
    for (const Gap& c : g) {
      EXPECT_TRUE(
          std::ranges::any_of(afresh, [&](const Gap& o) { return (o.point - c.point).norm() < 1e-7; }));
    }
    if (k > 0 && features.size() == last.size() && features != last) ++changes;
    last = features;
  }
  EXPECT_LE(changes, 10);
}

TEST(ImplicitWalls, RockingRodHasContactsAtBothEnds) {
  // It tilts to and fro by 0.01: the wall is nearest to one end, then to the other; both are equally near
  // within one step.
  const ImplicitShape rod = made(test::rod());
  Eigen::Index longest = 0;
  rod.box.size().maxCoeff(&longest);
  const Vec3 axis = Vec3::Unit(longest);
  const Mat3 level = turn_between(axis, Vec3::UnitX()).toRotationMatrix();
  PairMemory memory;
  for (int k = 0; k < 6; ++k) {
    const double tilt = k % 2 == 0 ? 0.01 : -0.01;
    const Mat3 rotation = Eigen::AngleAxisd(tilt, Vec3::UnitY()).toRotationMatrix() * level;
    PlacedImplicit body{&rod, Vec3::Zero(), rotation, 1.0};
    body.position[2] = -(rotation * support(rod, rotation.transpose() * -Vec3::UnitZ()))[2];
    std::vector<Gap> g;
    contacts(body, Plane{}, 0.05, memory, g);
    double left = infinity, right = infinity;
    for (const Gap& c : g)
      (c.point[0] < 0.0 ? left : right) = std::min(c.point[0] < 0.0 ? left : right, c.distance);
    EXPECT_NEAR(std::min(left, right), 0.0, 1e-9) << k;
    if (k == 0) {
      EXPECT_EQ(std::max(left, right), infinity);
    } else {
      EXPECT_NEAR(std::max(left, right), 0.01 * 2.0 * 0.7, 0.007) << k;
    }
  }
}

TEST(ImplicitWalls, NoPointOfARollingBodyIsNearerThanItsContacts) {
  // Every shape of the library rolls on a plane and in a tube, close to contact, by 0.2 to 2 % of its size
  // per step; three times with SCREE_LONG_TESTS. No point of its surface is nearer than the nearest contact,
  // neither for a new search nor with the cache.
  const Plane plane;
  const Tube tube{Vec3(0, 0, -30), Vec3(0, 0, 30), 4.0, 0.2};
  const double within = tube.middle_radius() - 0.5 * tube.thickness;
  const double margin = 0.02;
  std::uint64_t seed = 1;
  const auto roll = [&](const ImplicitShape& s, const std::vector<Vec3>& points, const auto& wall,
                        const auto& distance, const Vec3& away) {
    Random random(seed++);
    PlacedImplicit body = place(s, {Vec3::Zero(), random.rotation()});
    PairMemory memory;
    Vec3 spin;
    for (int k = 0; k < 100; ++k) {
      if (k % 25 == 0) spin = random.uniform(0.002, 0.02) * random.direction();
      body.rotation = Eigen::AngleAxisd(spin.norm(), spin.normalized()).toRotationMatrix() * body.rotation;
      const auto nearest = [&] {
        double nearer = infinity;
        for (const Vec3& x : points)
          nearer = std::min(nearer, distance(Vec3(body.position + body.rotation * x)));
        return nearer;
      };
      body.position = Vec3::Zero();
      for (int i = 0; i < 3; ++i) body.position -= (nearest() - 0.005 * std::sin(0.3 * k)) * away;
      const double sampled = nearest() + 1e-9;
      EXPECT_LE(least(found(body, wall, margin)), sampled) << k;
      std::vector<Gap> cached;
      contacts(body, wall, margin, memory, cached);
      EXPECT_LE(least(cached), sampled) << k;
    }
  };
  for (const auto& [name, f] : test::library()) {
    SCOPED_TRACE(name);
    const ImplicitShape s = made(f);
    const std::vector<Vec3> points = surface_mesh(s, 40).points;
    for (int i = 0; i < test::repeats(1, 3); ++i) {
      roll(
          s, points, plane, [&](const Vec3& x) { return x[2]; }, Vec3::UnitZ());
      roll(
          s, points, tube, [&](const Vec3& x) { return within - std::hypot(x[0], x[1]); }, -Vec3::UnitX());
    }
  }
}

}  // namespace
}  // namespace scree
