// Steps in which a body rotates further than predicted are divided into halves (A5).
#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// A needle close to a wall, and a ball that flies at its upper end: the needle rotates, and its lower end
/// moves towards the wall. The speeds before the impact do not show this.
World needle_at_a_wall(double time_step_s) {
  PairLaw law;
  law.friction = 0.3;
  World world(law, time_step_s);
  world.model.settings.gravity.setZero();
  world.model.settings.solver = SolverSettings{};
  world.model.settings.solver.correction_sweeps = 0;  // so that overlaps are visible
  world.model.boundaries.push_back({"wall", world.material, Plane{Vec3::Zero(), Vec3::UnitX()}});
  world.add(Vec3(0.03, 0.03, 0.3), {Vec3(0.0302, 0, 0), Quat::Identity()});
  world.add_sphere(0.05, Vec3(0.15, 0, 0.2), {Vec3(-8.0, 0, 0), Vec3::Zero()});
  return world;
}

struct Outcome {
  double deepest = 0.0, remainder = 0.0, momentum_error = 0.0, created = 0.0;
  int halvings = 0;
};
Outcome run(World& world, double until_s) {
  Outcome out;
  world.run(until_s, [&](const StepReport& r) {
    out.deepest = std::max(out.deepest, r.penetration_max);
    out.remainder = std::max(out.remainder, std::abs(r.energy.remainder));
    out.momentum_error =
        std::max({out.momentum_error, r.momentum_error_relative, r.angular_momentum_error_relative});
    out.created += r.energy_injected_J;
    out.halvings += r.halvings;
  });
  return out;
}

TEST(Halving, KeepsACollidingNeedleOutOfTheWall) {
  World world = needle_at_a_wall(4e-3);
  const double energy = 0.5 * world.state.bodies.mass[1] * 64.0;
  const Outcome out = run(world, 0.2);
  EXPECT_GT(out.halvings, 0);
  EXPECT_LT(out.deepest, 0.02);  // of the needle's radius
  EXPECT_LT(out.remainder, 1e-12 * energy);
  EXPECT_LT(out.momentum_error, 1e-12);
  EXPECT_LT(out.created, 1e-6 * energy);
}

TEST(Halving, IsNotAppliedToSpheresOrSmallRotations) {
  World world = needle_at_a_wall(2e-4);
  EXPECT_EQ(run(world, 0.05).halvings, 0);
  World balls({}, 4e-3);
  balls.model.settings.solver = SolverSettings{};
  balls.add_floor();
  for (int i = 0; i < 5; ++i)
    balls.add_sphere(0.05, Vec3(0.01 * i, 0, 0.06 + 0.11 * i), {Vec3(3, 0, -2), Vec3(0, 90, 0)});
  EXPECT_EQ(run(balls, 0.5).halvings, 0);
}

TEST(Halving, RestingContactCarriesWeightOfFullStep) {
  // A grain rests on a floor while a needle near it causes the step to be halved: afterwards its contact
  // carries its weight times the whole step, and the grain does not move.
  World world = needle_at_a_wall(4e-3);
  world.model.settings.gravity = Vec3(0, 0, -9.81);
  world.model.boundaries.push_back({"floor", world.material, Plane{Vec3(0, 0, -1.0), Vec3::UnitZ()}});
  const BodyIndex resting = world.add_sphere(0.1, Vec3(3, 0, -0.9));
  const double weight = world.state.bodies.mass[resting] * 9.81;
  bool halved = false;
  world.run(0.2, [&](const StepReport& r) {
    halved |= r.halvings > 0;
    for (const Contact& c : world.state.contacts.list)
      if (c.key.a == resting.value && r.step > 1) {
        EXPECT_NEAR(double{c.impulse[2]}, weight * 4e-3, 1e-3 * weight * 4e-3);
      }
  });
  EXPECT_TRUE(halved);
  EXPECT_NEAR(world.state.bodies.position[resting][2], -0.9, 1e-5);
}

}  // namespace
}  // namespace scree
