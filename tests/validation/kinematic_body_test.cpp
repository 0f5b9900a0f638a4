// Kinematic bodies: exact positions, effects of contacts, the energy balance, and release.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/overrides.h"
#include "engine/simulation/subsystems/parts.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81;

/// A new part carries some bodies, with a prescribed motion.
void hold(World& world, std::initializer_list<std::size_t> bodies, const PrescribedMotion& motion = {}) {
  const auto part = static_cast<std::int32_t>(world.model.parts.size());
  world.model.parts.push_back({.name = "held", .motion = motion});
  for (const std::size_t i : bodies) carry_body(part, i, world.state);
}

MotionStage turning(const Vec3& axis, const Vec3& point, double rate) {
  MotionStage stage{MotionStage::Kind::rotation, axis.normalized(), point, {}};
  stage.law.rate = rate;
  return stage;
}
MotionStage shaking(const Vec3& axis, double amplitude, double frequency) {
  MotionStage stage{MotionStage::Kind::translation, axis.normalized(), Vec3::Zero(), {}};
  stage.law.amplitude = amplitude;
  stage.law.frequency = frequency;
  return stage;
}

TEST(CarriedBodies, CarryTheWeightOfRestingBodies) {
  World world;
  world.add(Vec3(0.2, 0.15, 0.1), {Vec3(0, 0, 1), Quat::Identity()});
  const BodyIndex top = world.add_sphere(0.05, Vec3(0, 0, 1.15));
  hold(world, {0});
  world.run(0.2);
  const Bodies& bodies = world.state.bodies;
  EXPECT_EQ(bodies.position[0], Vec3(0, 0, 1));
  EXPECT_EQ(bodies.linear_velocity[0], Vec3(0, 0, 0));
  const double weight = bodies.mass[top] * g * 1e-3;
  EXPECT_NEAR(world.result.parts[0].impulse.z(), -weight, 1e-9 * weight);
  EXPECT_NEAR(world.result.report.boundary_impulse.z(), weight, 1e-9 * weight);
  EXPECT_NEAR(bodies.position[top].z(), 1.15, 1e-6);
}

// A ball falls onto a held one, across the seam of a periodic cell, in both orders in memory.
TEST(CarriedBodies, MomentumClosesAcrossTheSeamOfAPeriodicCell) {
  for (const bool held_first : {true, false}) {
    World world({.friction = 0.5});
    world.model.cell.periodic = {true, false, false};
    world.model.cell.low = Vec3(0, -10, -10);
    world.model.cell.high = Vec3(1, 10, 10);
    world.model.settings.gravity = Vec3(2, 1, -g);
    const Vec3 of_held(0.05, 0, 0), of_free(0.97, 0.02, 0.19);
    world.add_sphere(0.1, held_first ? of_held : of_free);
    world.add_sphere(0.1, held_first ? of_free : of_held);
    hold(world, {held_first ? 0u : 1u});
    double pressed = 0.0;
    world.run(0.1, [&](const StepReport& report) {
      EXPECT_LT(report.angular_momentum_error_relative, 1e-12) << held_first << " " << report.step;
      EXPECT_LT(report.momentum_error_relative, 1e-12);
      pressed += report.boundary_impulse.z();
    });
    EXPECT_GT(pressed, 0.0);
  }
}

// Two held bodies cannot move: they have no contact, for any overlap with each other or a wall.
TEST(CarriedBodies, MembersHaveNoContactsWithEachOtherOrWalls) {
  World world;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.02));
  world.add_sphere(0.1, Vec3(0.1, 0, 0.02));
  hold(world, {0, 1});
  world.step();
  EXPECT_EQ(world.result.report.contacts, 0);
  EXPECT_EQ(world.state.bodies.position[1], Vec3(0.1, 0, 0.02));
}

// Positions are functions of time: no errors accumulate over 10^5 steps.
TEST(CarriedBodies, FollowPrescribedMotionExactly) {
  World world(PairLaw{}, 1e-3);
  const Pose start{Vec3(0.3, 0.1, 0.5), Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()))};
  world.add(Vec3(0.2, 0.1, 0.05), start);
  PrescribedMotion motion;
  motion.stages = {shaking(Vec3(1, 0, 2), 0.05, 3.0), turning(Vec3(0, 1, 1), Vec3(0.1, 0, 0), 7.0)};
  hold(world, {0}, motion);
  while (world.state.step < 100'000) world.step();
  const Pose at = motion.at(world.state.time_s);
  const Bodies& bodies = world.state.bodies;
  EXPECT_LE((bodies.position[0] - (at.orientation * start.position + at.position)).norm(), 1e-14);
  EXPECT_LE(bodies.orientation[0].angularDistance(at.orientation * start.orientation), 1e-14);
  EXPECT_LE((bodies.linear_velocity[0] - motion.stages[0].axis * 0.05 * 6.0 * std::numbers::pi -
             at.orientation * motion.stages[1].axis.cross(7.0 * (start.position - Vec3(0.1, 0, 0))))
                .norm(),
            0.02);  // the mean over a step
}

// A plate is lifted under a ball: its work is the ball's gain of energy; the energy of the plate itself also
// belongs to its part.
// Bodies on a part whose motion waits are where it begins, at rest.
TEST(CarriedBodies, WaitWhereTheirMotionBegins) {
  World world;
  world.add_sphere(0.05, Vec3(0.2, 0, 0));
  MotionStage stage = shaking(Vec3::UnitZ(), 0.0, 1.0);
  stage.law.function = [](double t) { return 0.4 * std::cos(10.0 * t); };
  hold(world, {0}, {{stage}});
  world.model.parts[0].motion_waits = true;
  begin_motion(world.model.parts[0], 0, world.state.bodies);
  EXPECT_NEAR((world.state.bodies.position[0] - Vec3(0.2, 0, 0.4)).norm(), 0.0, 1e-15);
  double work = 0.0;
  world.run(0.01, [&](const StepReport& r) { work += std::abs(r.energy.boundary_work); });
  EXPECT_NEAR((world.state.bodies.position[0] - Vec3(0.2, 0, 0.4)).norm(), 0.0, 1e-15);
  EXPECT_EQ(world.state.bodies.linear_velocity[0], Vec3(0, 0, 0));
  EXPECT_EQ(work, 0.0);
}

TEST(CarriedBodies, WorkIsForceTimesDisplacement) {
  World world;
  world.add(Vec3(0.3, 0.3, 0.05), {Vec3(0, 0, 0), Quat::Identity()});
  const BodyIndex ball = world.add_sphere(0.1, Vec3(0, 0, 0.15));
  PrescribedMotion motion;
  motion.stages = {{MotionStage::Kind::translation, Vec3::UnitZ(), Vec3::Zero(), {}}};
  motion.stages[0].law.rate = 0.5;
  hold(world, {0}, motion);
  double work = 0.0, of_force = 0.0, remainder = 0.0, boundary = 0.0;
  world.run(1.0, [&](const StepReport& r) {
    work += world.result.parts[0].work;
    of_force += -world.result.parts[0].impulse.z() * 0.5;
    boundary += r.energy.boundary_work;
    remainder = std::max(remainder, std::abs(r.energy.remainder));
  });
  const double mass = world.state.bodies.mass[ball];
  EXPECT_NEAR(work, of_force, 1e-9 * work);
  EXPECT_NEAR(work, mass * (g * 0.5 + 0.5 * 0.25) + 0.5 * mass * 0.25,
              2e-3 * work);  // and the loss of the impact
  const double plate = world.state.bodies.mass[0];
  EXPECT_NEAR(boundary - work, plate * (g * 0.5 + 0.125), 1e-9 * plate);
  EXPECT_LE(remainder, 1e-12 * plate * g);
}

/// A heap stirred by an ellipsoid with prescribed motion, on a rough floor of held spheres.
World stirred() {
  World world = test::loose_heap(5, 4, {.friction = 0.4}, 2e-3);
  world.model.settings.sort_interval = 7;
  world.model.settings.solver.tolerance = 1e-3;
  const std::size_t blade =
      world.add(Vec3(0.35, 0.05, 0.12), {Vec3(0.55, 0.55, 0.14), Quat::Identity()}).value;
  PrescribedMotion motion;
  motion.stages = {turning(Vec3::UnitZ(), Vec3(0.55, 0.55, 0), 3.0)};
  hold(world, {blade}, motion);
  std::vector<std::size_t> rough;
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column) {
      const Vec3 place(0.1 + 0.22 * column, 0.1 + 0.22 * row, 0.0);
      rough.push_back(world.add_sphere(0.03, place).value);
    }
  world.model.parts.push_back({.name = "rough"});
  for (const std::size_t i : rough) carry_body(1, i, world.state);
  return world;
}

TEST(CarriedBodies, LedgerAndMomentumCloseWhileStirring) {
  set_thread_count(2);
  World world = stirred();
  const Vec3 gravity = world.model.settings.gravity;
  double energy = 0.0;
  world.run(0.6, [&](const StepReport& r) {
    energy = std::max(energy, std::abs(r.energy.kinetic) + std::abs(r.energy.potential));
    EXPECT_LE(std::abs(r.energy.remainder), 1e-12 * energy);
    EXPECT_LE(r.momentum_error_relative, 1e-12);
    EXPECT_LE(r.angular_momentum_error_relative, 1e-12);
  });
  // Free bodies alone: their gain comes from walls, parts and gravity.
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    double mass = 0.0;
    for (std::size_t i = 0; i < world.state.bodies.size(); ++i) {
      if (world.state.bodies.is_carried(i)) continue;
      sum += world.state.bodies.mass[i] * world.state.bodies.linear_velocity[i];
      mass += world.state.bodies.mass[i];
    }
    return std::pair(sum, mass);
  };
  const auto [before, mass] = momentum();
  world.step();
  const Vec3 gained = momentum().first - before;
  EXPECT_LE((gained - world.result.report.boundary_impulse - mass * 2e-3 * gravity).norm(), 1e-12 * mass);
  Vec3 on_all = Vec3::Zero();
  for (const BoundaryLoad& load : world.result.boundaries) on_all += load.impulse;
  for (const PartLoad& load : world.result.parts) on_all += load.impulse;
  EXPECT_LE((on_all + world.result.report.boundary_impulse).norm(), 1e-12 * mass);
  EXPECT_GT(std::abs(world.result.parts[0].angular_impulse.z()), 0.0);
  set_thread_count(0);
}

TEST(CarriedBodies, SameBitsOnAnyThreadsAndFromACopy) { test::expect_same_bits(stirred, 0.1, 0.2); }

// After its release a body continues with its velocity, and falls.
TEST(CarriedBodies, ReleasedBodiesKeepTheirVelocityAndFall) {
  World world;
  const BodyIndex ball = world.add_sphere(0.1, Vec3(1, 0, 0));
  world.add_sphere(0.1, Vec3(5, 0, 0));
  PrescribedMotion motion;
  motion.stages = {turning(Vec3::UnitZ(), Vec3::Zero(), 2.0)};
  hold(world, {ball.value < 0 ? 0u : static_cast<std::size_t>(ball.value)}, motion);
  hold(world, {1});
  world.run(0.5);
  release_bodies(0, world.state);
  const Vec3 from = world.state.bodies.position[0], v = world.state.bodies.linear_velocity[0];
  EXPECT_NEAR(v.norm(), 2.0, 1e-6);  // the chord's, over the arc's: (0.002)^2 / 24
  EXPECT_NEAR(world.state.bodies.angular_velocity[0].z(), 2.0, 1e-12);
  world.run(1.0);
  EXPECT_LE((world.state.bodies.position[0] - (from + 0.5 * v - Vec3(0, 0, 0.125 * g))).norm(), 1e-12);
  EXPECT_EQ(world.state.bodies.position[1], Vec3(5, 0, 0));  // this one is still held
  release_bodies(1, world.state);
  EXPECT_TRUE(world.state.bodies.part.empty());
}

// For all solvers and shapes: no force moves held bodies.
TEST(CarriedBodies, FixedBodiesStayFixedUnderEverySolver) {
  for (const SolverKind kind : {SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm}) {
    World world({.friction = 0.5});
    world.model.settings.solver.kind = kind;
    world.model.settings.solver.tolerance = 1e-6;
    for (const double y : {0.0, 0.2})
      for (const double x : {0.0, 0.2}) world.add_sphere(0.1, Vec3(x, y, 0));
    const BodyIndex top = world.add_sphere(0.1, Vec3(0.1, 0.1, std::sqrt(0.02)));
    hold(world, {0, 1, 2, 3});
    world.run(0.1);
    const double weight = world.state.bodies.mass[top] * g * 1e-3;
    EXPECT_NEAR(world.result.parts[0].impulse.z(), -weight, 1e-4 * weight) << static_cast<int>(kind);
    EXPECT_NEAR(world.state.bodies.position[top].z(), std::sqrt(0.02), 1e-5);
  }
}

}  // namespace
}  // namespace scree
