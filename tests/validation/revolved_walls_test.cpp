// Bodies in and on surfaces of revolution.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/simulation/placement.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double pi = std::numbers::pi;

Boundary wall(const World& world, RevolvedSurface surface, const Pose& pose = {}) {
  return {"wall", world.material,
          PlacedRevolved{std::make_shared<RevolvedSurface>(std::move(surface)), pose}};
}

// A ball of radius r that rolls without slipping about the bottom of a hollow sphere of radius R swings with
// the period 2 pi sqrt(7 (R - r) / (5 g)), longer by a^2 / 16 at the amplitude a; steps of dt shift it by dt
// / T.
TEST(RevolvedWalls, ABallRollsInABowlWithItsPeriod) {
  PairLaw law;
  law.friction = 1.0;
  const double dt = 2.5e-4, radius = 0.5, r = 0.05, amplitude = 0.05;
  World world(law, dt);
  world.model.boundaries.push_back(wall(world, hollow_sphere(radius)));
  world.add_sphere(r, (radius - r) * Vec3(std::sin(amplitude), 0.0, -std::cos(amplitude)));
  std::vector<double> crossings;
  double last = world.state.bodies.position[BodyIndex(0)][0];
  world.run(4.0, [&](const StepReport&) {
    const double x = world.state.bodies.position[BodyIndex(0)][0], t = world.state.time_s;
    if (last > 0.0 && x <= 0.0) crossings.push_back(t - dt * x / (x - last));
    last = x;
  });
  ASSERT_GE(crossings.size(), 3u);
  const double period = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  const double expected =
      2.0 * pi * std::sqrt(1.4 * (radius - r) / 9.81) * (1.0 + amplitude * amplitude / 16.0);
  EXPECT_NEAR(period, expected, 1e-3 * expected);
}

// A ball in a funnel of half angle b rests with its centre r / sin b above the tip, supported all round.
// Without friction each row of the ring may press, and the remaining speed is from the fall in a step, g
// dt^2.
TEST(RevolvedWalls, ABallRestsInAFunnel) {
  for (const double friction : {0.0, 0.5}) {
    PairLaw law;
    law.friction = friction;
    World world(law, 1e-3);
    const double half_angle = pi / 6, r = 0.05;
    world.model.boundaries.push_back(
        wall(world, revolved_surface({Vec2(0, 0), Vec2(std::tan(half_angle), 1.0)}, false, 0.0)));
    world.add_sphere(r, Vec3(0, 0, r / std::sin(half_angle) + 0.02));
    world.run(1.0);
    const Vec3& x = world.state.bodies.position[BodyIndex(0)];
    EXPECT_NEAR(x[2], r / std::sin(half_angle), 1e-5) << friction;
    EXPECT_LT(x.head<2>().norm(), 1e-5) << friction;
    EXPECT_LT(world.state.bodies.linear_velocity[BodyIndex(0)].norm(), 1e-5) << friction;
    double weight = 9.81 * world.state.bodies.mass[BodyIndex(0)] * 1e-3;
    EXPECT_NEAR(world.result.boundaries[0].impulse[2], -weight, 1e-6 * weight) << friction;
  }
}

// A ball rests in a round hole of radius a that is smaller than itself, sqrt(r^2 - a^2) above its plane.
TEST(RevolvedWalls, BallRestsInAHole) {
  World world({}, 1e-3);
  world.model.boundaries.push_back(wall(world, revolved_surface({Vec2(0.03, 0), Vec2(1, 0)}, false, 0.0)));
  world.add_sphere(0.05, Vec3(0.001, 0.0, 0.05));
  world.run(1.0);
  EXPECT_NEAR(world.state.bodies.position[BodyIndex(0)][2], 0.04, 1e-5);
  EXPECT_LT(world.state.bodies.position[BodyIndex(0)].head<2>().norm(), 1e-4);
}

/// Fast and thin grains in a closed drum with a conical bottom that rotates about its axis and tumbles.
World tumbling_drum() {
  PairLaw law;
  law.friction = 0.5;
  law.restitution = 0.3;
  World world(law, 1e-3);
  world.model.settings.solver.tolerance = 1e-5;
  world.model.settings.solver.max_sweeps = 100;
  const std::vector<Vec2> profile{Vec2(0, -0.3), Vec2(0.25, -0.3), Vec2(0.35, 0), Vec2(0.35, 0.3),
                                  Vec2(0, 0.3)};
  world.model.boundaries.push_back(wall(world, revolved_surface(profile, false, 0.0)));
  test::give_motion(world.model, 0, steady_motion({Vec3::Zero(), Vec3(3.0, 0.0, 8.0)}, Vec3::Zero()));
  Random random(11);
  for (int k = 0; k < 8; ++k) {
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 5; ++i) {
        const Vec3 at(0.09 * (i - 2), 0.09 * (j - 2), 0.06 * (k - 3.5));
        const BodyIndex body = world.add(Vec3(0.03, 0.02, 0.004), {at, random.rotation()});
        world.state.bodies.linear_velocity[body] = 20.0 * random.direction();  // 5 semi-axes per step
      }
    }
  }
  return world;
}

// None gets out, and the energy that they gain is the drum's work.
TEST(RevolvedWalls, GrainsStayInsideATumblingDrum) {
  World world = tumbling_drum();
  double worst = 0.0;
  world.run(0.25, [&](const StepReport& r) { worst = std::max(worst, std::abs(r.energy.remainder)); });
  const Pose now = world.model.parts[0].motion.at(world.state.time_s);
  for (const Vec3& x : world.state.bodies.position) {
    const Vec3 local = now.orientation.conjugate() * x;
    const double r = std::hypot(local[0], local[1]);
    EXPECT_LT(std::abs(local[2]), 0.3);
    EXPECT_LT(r, local[2] > 0.0 ? 0.35 : 0.35 + local[2] / 3.0);
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(RevolvedWalls, AreTheSameOnEveryNumberOfThreads) {
  const auto hash_on = [](int threads) {
    set_thread_count(threads);
    World world = tumbling_drum();
    world.run(0.03);
    return state_hash(world.state.bodies);
  };
  const std::uint64_t one = hash_on(1);
  EXPECT_EQ(hash_on(2), one);
  EXPECT_EQ(hash_on(3), one);
  set_thread_count(0);
}

// A body outside a hollow sphere by more than its own size is lost; a body inside a solid one is misplaced.
TEST(RevolvedWalls, DetectLostAndMisplacedBodies) {
  World world;
  world.model.boundaries.push_back(wall(world, hollow_sphere(0.5)));
  world.add_sphere(0.05, Vec3(0.3, 0.0, 0.0));
  world.add_sphere(0.05, Vec3(0.53, 0.0, 0.0));
  world.add_sphere(0.05, Vec3(0.0, 0.6, 0.0));
  EXPECT_EQ(count_lost_bodies(world.model, world.state.bodies, 0.0), 1);
  auto misplaced = misplaced_bodies(world.model, world.state.bodies, 0.05);
  ASSERT_EQ(misplaced.size(), 2u);
  EXPECT_EQ(misplaced[0].how, Misplaced::How::behind);
  world.model.boundaries[0] = wall(world, revolved_surface({Vec2(0.3, 0.0)}, false, 0.1));
  misplaced = misplaced_bodies(world.model, world.state.bodies, 0.05);
  ASSERT_EQ(misplaced.size(), 1u);  // the first is in the torus, the others are not near it
  EXPECT_EQ(misplaced[0].body, 0u);
  EXPECT_EQ(misplaced[0].how, Misplaced::How::in_the_wall);
}

}  // namespace
}  // namespace scree
