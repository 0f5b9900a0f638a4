#include "engine/geometry/implicit/implicit_revolved.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_revolved.h"
#include "engine/geometry/implicit/implicit_mesh.h"
#include "engine/geometry/implicit/line_contact.h"
#include "engine/geometry/revolved_mesh.h"
#include "tests/support/implicit_pairs.h"
#include "tests/support/meshes.h"

namespace scree {
namespace {

using test::found;
using test::made;

PlacedRevolved placed(const std::vector<Vec2>& corners, bool closed = false, double rounding = 0.0,
                      const Pose& pose = {}) {
  return {std::make_shared<RevolvedSurface>(revolved_surface(corners, closed, rounding)), pose};
}

struct Named {
  const char* name;
  PlacedRevolved wall;
};

/// A drum, a hopper with an outlet, a closed cone, discs, rounded ones, balls; in poses of their own.
std::vector<Named> walls() {
  const Pose pose{Vec3(0.1, -0.2, 0.3), Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()))};
  const auto hollow = [&](double radius) {
    return PlacedRevolved{std::make_shared<RevolvedSurface>(hollow_sphere(radius)), pose};
  };
  return {{"drum", placed({{0.0, -0.4}, {0.5, -0.4}, {0.5, 0.4}, {0.0, 0.4}}, false, 0.0, pose)},
          {"hopper", placed({{0.1, -0.3}, {0.5, 0.1}, {0.5, 0.5}}, false, 0.0, pose)},
          {"cone", placed({{0.0, 0.4}, {0.4, 0.0}, {0.0, 0.0}}, false, 0.0, pose)},
          {"annulus", placed({{0.15, 0.0}, {0.5, 0.0}}, false, 0.0, pose)},
          {"rounded hopper", placed({{0.25, -0.15}, {0.5, 0.1}, {0.5, 0.5}}, false, 0.05, pose)},
          {"torus", placed({{0.4, 0.0}}, false, 0.1, pose)},
          {"ball", placed({{0.0, 0.0}}, false, 0.4, pose)},
          {"hollow sphere", hollow(0.6)}};
}

/// A pose whose centre is at most `reach` from some place of the wall, and not within it.
Pose near_wall(const PlacedRevolved& wall, double reach, Random& random) {
  for (;;) {
    const Vec3 x =
        wall.pose.position + 1.2 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const double d = distance(wall, x);
    if (d > 0.03 && d < reach) return {x, random.rotation()};
  }
}

// An ellipsoid as a function has the contacts of the ellipsoid's own search, on cones, discs, circles,
// corners on the axis, rounded ones and spheres.
TEST(ImplicitRevolved, EllipsoidsTouchAsEllipsoids) {
  const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
  const ImplicitShape s = made(perturbed(shape.semi_axes));
  Random random(3);
  for (const auto& [name, wall] : walls()) {
    int compared = 0, on_corners = 0;
    for (int i = 0; i < 800; ++i) {
      const Pose pose = near_wall(wall, 0.11, random);
      std::vector<Gap> exact;
      contacts(shape, pose, wall, 0.01, exact);
      const std::vector<Gap> got = found(place(s, pose), wall, 0.01);
      for (const Gap& e : exact) {
        if (e.distance < -0.01)
          continue;  // so deep that a thin grain may reach through the wall, or past its axis
        const bool is_there = std::ranges::any_of(got, [&](const Gap& g) {
          return std::abs(g.distance - e.distance) < 1e-9 && (g.point - e.point).norm() < 1e-6 &&
                 (g.normal - e.normal).norm() < 1e-6 && g.is_sharp == e.is_sharp;
        });
        EXPECT_TRUE(is_there) << name << ' ' << i << ' ' << e.distance << " sharp " << e.is_sharp;
        ++compared;
        if (e.is_sharp) ++on_corners;
      }
      for (const Gap& g : got) {                                     // and no others that are nearer
        if (g.distance < -0.02 || (g.feature & 15u) != 0) continue;  // or an end of a flat part
        const bool is_there =
            std::ranges::any_of(exact, [&](const Gap& e) { return (g.point - e.point).norm() < 1e-6; });
        EXPECT_TRUE(is_there) << name << ' ' << i << ' ' << g.distance << " only by the function";
      }
    }
    EXPECT_GT(compared, 60) << name;
    std::printf("%s: %d contacts, %d on sharp corners\n", name, compared, on_corners);
  }
}

// Beans and the like against a fine mesh of the same surface: the least gaps differ by at most the mesh's
// distance from the surface, of 1e-5 m.
TEST(ImplicitRevolved, LeastGapsAreThoseOfAFineMesh) {
  Random random(4);
  for (const auto& [name, wall] : walls()) {
    if (wall.surface->hollow || wall.surface->rounding > 0.2) continue;
    constexpr double sagitta = 2e-4;  // m
    MeshFindings findings;
    const PlacedMesh mesh{
        std::make_shared<MeshSurface>(mesh_surface(mesh_of(*wall.surface, sagitta), findings)), wall.pose};
    int compared = 0;
    for (const PerturbedQuadric& f : {test::bean(), test::dumbbell(), test::rounded_cube()}) {
      const ImplicitShape s = made(f);
      for (int i = 0; i < 20; ++i) {
        const PlacedImplicit body = place(s, near_wall(wall, 0.12, random), 0.1);
        const std::vector<Gap> a = found(body, wall, 0.02), b = found(body, mesh, 0.02);
        const auto least = [](const std::vector<Gap>& gaps) {
          return gaps.empty() ? infinity : std::ranges::min_element(gaps, {}, &Gap::distance)->distance;
        };
        if (!(least(b) < 0.019 && least(b) > -0.01)) continue;
        EXPECT_NEAR(least(a), least(b), 1.1 * sagitta) << name << ' ' << i;
        ++compared;
      }
    }
    EXPECT_GT(compared, 8) << name;
  }
}

// On the axis all directions are equal: one contact, with the curvature of the sphere.
TEST(ImplicitRevolved, BodiesOnTheAxis) {
  const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
  const ImplicitShape s = made(perturbed(shape.semi_axes));
  const PlacedRevolved ball = placed({{0.0, 0.0}}, false, 0.4);
  const PlacedRevolved hollow{std::make_shared<RevolvedSurface>(hollow_sphere(0.6)), {}};
  for (const auto& [wall, z] : {std::pair{ball, 0.4 + 0.05 + 0.002}, {hollow, -0.6 + 0.05 + 0.002}}) {
    const PlacedImplicit body = place(s, {Vec3(0, 0, z), Quat::Identity()});
    PairMemory memory;
    for (int again = 0; again < 3; ++again) {
      std::vector<Gap> gaps;
      contacts(body, wall, 0.01, memory, gaps);
      ASSERT_EQ(gaps.size(), 1u) << z << ' ' << again;
      EXPECT_NEAR(gaps[0].distance, 0.002, 1e-12);
      EXPECT_LT((gaps[0].normal - Vec3::UnitZ()).norm(), 1e-9);
    }
  }
}

// A lens in a round hole touches its rim all around: by a few contacts that balance each other, not by one at
// each sample.
TEST(ImplicitRevolved, ABodyOfRevolutionInAHole) {
  const ImplicitShape s = made(test::lentil());
  const PlacedRevolved wall = placed({{0.88, 0.0}, {3.0, 0.0}});
  for (const double z : {0.27, 0.28, 0.29, 0.30}) {
    PairMemory memory;
    for (int again = 0; again < 3; ++again) {
      std::vector<Gap> gaps;
      contacts(place(s, {Vec3(0, 0, z), Quat::Identity()}), wall, 0.05, memory, gaps);
      std::erase_if(gaps, [](const Gap& g) { return !g.is_sharp; });
      ASSERT_GE(gaps.size(), 3u) << z << ' ' << again;
      ASSERT_LE(gaps.size(), 16u) << z << ' ' << again;
      Vec3 sum = Vec3::Zero();
      for (const Gap& g : gaps) {
        sum += g.normal;
        EXPECT_NEAR(g.distance, gaps[0].distance, 1e-9);
      }
      EXPECT_LT(sum.head<2>().norm(), 0.1 * static_cast<double>(gaps.size()))
          << z;  // samples are half a step off
    }
  }
}

// A ball with a lug under a plate, whose centre rises past the level of the plate beyond its edge: the lug is
// below the plate all the time, so no face pushes it up, on a mesh and on a disc.
TEST(ImplicitRevolved, ABodyBesideAPlate) {
  const ImplicitShape s =
      made(perturbed(Vec3::Constant(0.5), {{ellipsoid_quadric({0.7, 0.25, 0.15}, {-0.5, 0.0, 0.15}), 8.0}}));
  const PlacedMesh plate =
      test::placed({{-3, -3, 0}, {0, -3, 0}, {0, 3, 0}, {-3, 3, 0}}, {{0, 1, 2}, {0, 2, 3}});
  const PlacedRevolved disc =
      placed({{0.0, 0.0}, {30.0, 0.0}}, false, 0.0, {Vec3(-30.0, 0.0, 0.0), Quat::Identity()});
  for (const double z : {-0.02, -0.001, 0.001, 0.02, 0.04}) {
    const PlacedImplicit body = place(s, {Vec3(0.56, 0, z), Quat(Eigen::AngleAxisd(-0.6, Vec3::UnitY()))});
    for (const std::vector<Gap>& gaps : {found(body, plate, 0.1), found(body, disc, 0.1)})
      for (const Gap& g : gaps) EXPECT_GT(g.distance, -0.02) << z << ' ' << g.normal.transpose();
  }
}

// A grain that lies across a hole of a sixth of its length touches the rim on both sides.
TEST(ImplicitRevolved, SmallHoles) {
  const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
  const ImplicitShape s = made(perturbed(shape.semi_axes));
  Random random(7);
  int compared = 0;
  for (const double radius : {0.01, 0.02, 0.03}) {
    const PlacedRevolved wall = placed({{radius, 0.0}, {0.5, 0.0}});
    for (int i = 0; i < 100; ++i) {
      const Pose pose{Vec3(0.3 * radius, 0.2 * radius, 0.052 + random.uniform(-1e-3, 1e-3)),
                      Quat(Eigen::AngleAxisd(random.uniform(0, 0.05), random.direction()))};
      std::vector<Gap> exact;
      contacts(shape, pose, wall, 0.004, exact);
      const std::vector<Gap> got = found(place(s, pose), wall, 0.004);
      for (const Gap& e : exact) {
        constexpr std::uint32_t first_of_ring = 8;  // of 16: contacts at fixed angles, which are no minima
        if (!e.is_sharp || e.feature % 16 >= first_of_ring) continue;
        double nearest = infinity;
        for (const Gap& g : got)
          if (g.is_sharp) nearest = std::min(nearest, (g.point - e.point).norm());
        EXPECT_LT(nearest, 1e-6) << radius << ' ' << i << ' ' << e.distance << " of " << exact.size();
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100);
}

// The contacts of a body that moves along are those of a new search, and their features last.
TEST(ImplicitRevolved, CachedContactsMatchANewSearch) {
  Random random(5);
  for (const auto& [name, wall] : walls()) {
    const ImplicitShape s = made(test::bean());
    std::size_t kept = 0, all = 0;
    for (int i = 0; i < 10; ++i) {
      const Pose start = near_wall(wall, 0.09, random);
      const Twist twist{0.3 * random.direction(), 3.0 * random.direction()};
      PairMemory memory;
      std::vector<Gap> before;
      for (int k = 0; k < 40; ++k) {
        const PlacedImplicit body = place(s, moved(start, WallMotion{start.position, twist}, 1e-3 * k), 0.1);
        std::vector<Gap> now;
        contacts(body, wall, 0.01, memory, now);
        for (const Gap& g : found(body, wall, 0.01)) {
          // Points of a line contact keep the places where they were found first.
          if (g.distance > 0.009 || g.distance < -0.02 || is_line_point(g.feature)) continue;
          EXPECT_TRUE(std::ranges::any_of(now,
                                          [&](const Gap& o) {
                                            return std::abs(o.distance - g.distance) < 1e-8 &&
                                                   (o.point - g.point).norm() < 1e-5;
                                          }))
              << name << ' ' << i << ' ' << k << ' ' << g.distance;
        }
        for (const Gap& g : now) {
          all += k > 0 ? 1 : 0;
          kept += std::ranges::any_of(before, [&](const Gap& o) { return o.feature == g.feature; }) ? 1 : 0;
        }
        before = now;
      }
    }
    EXPECT_GT(static_cast<double>(kept), 0.9 * static_cast<double>(all)) << name;
  }
}

// Against the formula of ellipsoids, where a body and the wall move.
TEST(ImplicitRevolved, GapAcceleration) {
  const Ellipsoid shape{Vec3(0.12, 0.08, 0.05)};
  const ImplicitShape s = made(perturbed(shape.semi_axes));
  Random random(6);
  int compared = 0;
  for (const auto& [name, wall] : walls()) {
    for (int i = 0; i < 200; ++i) {
      const Pose pose = near_wall(wall, 0.11, random);
      const Twist twist{random.direction(), 5.0 * random.direction()};
      const WallMotion motion{wall.pose.position, {0.3 * random.direction(), random.direction()}};
      const PlacedImplicit body = place(s, pose);
      for (const Gap& g : found(body, wall, 0.01)) {
        if (g.distance < -0.01) continue;
        // By new searches of the ellipsoid: its gap next to this one, at three times.
        const auto at = [&](double t) {
          const Pose there = moved(pose, WallMotion{pose.position, twist}, t);
          std::vector<Gap> exact;
          contacts(shape, there, PlacedRevolved{wall.surface, moved(wall.pose, motion, t)}, 0.02, exact);
          double best = infinity, gap = std::nan("");
          for (const Gap& e : exact) {
            const double away = (e.point - g.point).norm();
            if (away < std::min(best, 0.01)) {
              best = away;
              gap = e.distance;
            }
          }
          return gap;
        };
        const auto second = [&](double h) { return (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h); };
        const double coarse = second(4e-4), fine = second(2e-4);
        if (!(std::abs(coarse - fine) < 0.01 * std::abs(fine) + 0.01))
          continue;  // lost, or higher derivatives
        EXPECT_NEAR(gap_acceleration(body, wall, g, twist, motion), fine, 0.02 * std::abs(fine) + 0.05)
            << name << ' ' << i << ' ' << g.feature;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace scree
