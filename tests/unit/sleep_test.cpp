// Sleep: which bodies fall asleep, what wakes them, and that momentum and energy balances close.
#include "engine/simulation/subsystems/sleep.h"

#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr SleepSettings soon{.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};

double energy(const World& world) {
  return kinetic_energy(world.state.bodies) +
         potential_energy(world.state.bodies, world.model.settings.gravity);
}

/// A column of spheres at rest on the floor.
World column(int spheres) {
  World world;
  world.add_floor();
  for (int i = 0; i < spheres; ++i) world.add_sphere(0.1, Vec3(0, 0, 0.1 + 0.2 * i));
  return world;
}

/// Adds a sphere to a state after some steps.
void add_later(World& world, double radius, const Vec3& position, const Twist& twist = {}) {
  const ShapeIndex shape = world.model.shapes.add(Ellipsoid{Vec3::Constant(radius)});
  insert(world.model, world.state, {shape, world.material, {position, Quat::Identity()}, twist});
}

/// A bed that has come to rest, and mostly sleeps.
World make_sleeping_bed() {
  PairLaw law;
  law.rolling_friction_m = law.torsional_friction_m = 2e-3;  // otherwise loose grains keep rocking
  World world = test::loose_heap(5, 4, law, 2e-3, 2);
  world.model.settings.solver.tolerance = 1e-4;
  world.model.settings.solver.max_sweeps = 100;
  world.run(2.0);
  world.model.settings.sleep = soon;
  world.run(2.5);
  return world;
}

World sleeping_bed() {
  static const World bed = make_sleeping_bed();
  return bed;
}

TEST(Sleep, IsOffByDefault) {
  World world = column(3);
  const StepReport report = world.run(1.0);
  EXPECT_EQ(report.asleep, 0);
  EXPECT_TRUE(world.state.bodies.asleep.empty());
  EXPECT_TRUE(world.state.sleepers.still.empty());
}

// Twenty steps of 1 ms, not earlier. The floor still carries the column.
TEST(Sleep, SleepsAfterDurationAndRemainsSupported) {
  World world = column(3);
  world.model.settings.sleep = soon;
  const double weight_step = 3 * world.state.bodies.mass[0] * 9.81 * 1e-3;
  world.run(0.019, [](const StepReport& r) { EXPECT_EQ(r.asleep, 0) << r.step; });
  const StepReport awake = world.step();
  EXPECT_EQ(awake.asleep, 3);
  const std::vector<Vec3> before = world.state.bodies.position;
  world.run(0.1, [&](const StepReport& r) {
    EXPECT_EQ(r.asleep, 3);
    EXPECT_EQ(r.contacts, awake.contacts);
    EXPECT_EQ(r.active_contacts, 3);
    EXPECT_EQ(r.bodies_in_collision, 3);
    EXPECT_EQ(r.touching, awake.touching);
    EXPECT_DOUBLE_EQ(r.penetration_max, awake.penetration_max);
    EXPECT_NEAR(r.boundary_impulse[2], weight_step, 1e-6 * weight_step);
    EXPECT_EQ(r.energy.kinetic, 0.0);
  });
  EXPECT_EQ(world.state.bodies.position, before);
}

// A body that flies, even if it stands still for a moment, or rests without contacts, does not sleep.
TEST(Sleep, RequiresContacts) {
  World world;
  world.model.settings.sleep = {.speed_m_s = 10.0, .duration_s = 0.0, .tolerance = 0.05};
  world.add_sphere(0.1, Vec3(0, 0, 5), {Vec3(0, 0, 0.5), Vec3::Zero()});
  world.run(0.1, [](const StepReport& r) { EXPECT_EQ(r.asleep, 0); });
  world.model.settings.gravity.setZero();
  world.run(0.2, [](const StepReport& r) { EXPECT_EQ(r.asleep, 0); });
}

// Acceleration by gravity from rest: slow at first, but never in equilibrium.
TEST(Sleep, AcceleratingBodyStaysAwakeAtAnySpeed) {
  PairLaw law;
  law.friction = 0.1;
  World world(law);
  world.model.settings.gravity = 9.81 * Vec3(std::sin(0.2), 0, -std::cos(0.2));  // a slope of tan 0.2 > 0.1
  world.add_floor();
  world.add(Vec3(0.2, 0.2, 0.05), {Vec3(0, 0, 0.05), Quat::Identity()});
  world.model.settings.sleep = {.speed_m_s = 100.0, .duration_s = 0.0, .tolerance = 0.05};
  world.run(0.5, [](const StepReport& r) { EXPECT_EQ(r.asleep, 0) << r.step; });
  EXPECT_GT(world.state.bodies.linear_velocity[0][0], 0.4);
}

// A stone that hits a sleeping column meets the same bodies as without sleep: the step is solved with awake
// bodies.
class SleepingImpact : public ::testing::TestWithParam<RestitutionLaw> {};
TEST_P(SleepingImpact, MatchesTheImpactOnAwakeBodies) {
  const auto hit = [](bool sleep) {
    PairLaw law;
    law.restitution = 0.3;
    World world(law);
    world.model.settings.restitution_law = GetParam();
    world.add_floor();
    for (int i = 0; i < 4; ++i) world.add_sphere(0.1, Vec3(0, 0, 0.1 + 0.2 * i));
    if (sleep) world.model.settings.sleep = soon;
    world.add_sphere(0.1, Vec3(0.05, 0, 2.0));
    world.run(0.4, [&](const StepReport& r) {
      if (r.step == 100) {
        EXPECT_EQ(r.asleep, sleep ? 4 : 0);
      }
    });
    world.run(0.56);
    return world;
  };
  const World with = hit(true), without = hit(false);
  for (std::size_t i = 0; i < 5; ++i) {
    // Sleeping bodies did not move, while the others crept by rounding and the slop.
    EXPECT_LT((with.state.bodies.position[i] - without.state.bodies.position[i]).norm(), 1e-5) << i;
    EXPECT_LT((with.state.bodies.linear_velocity[i] - without.state.bodies.linear_velocity[i]).norm(), 1e-3);
  }
  EXPECT_GT(without.state.bodies.linear_velocity[3].norm(), 0.1);  // the impact had an effect
}

INSTANTIATE_TEST_SUITE_P(Laws, SleepingImpact,
                         ::testing::Values(RestitutionLaw::newton, RestitutionLaw::energetic));

// Extreme settings: a body that must wake stays awake for at least one step, and no step is endless.
TEST(Sleep, WakesAndSleepsAtLimitsOfSettings) {
  for (const double tolerance : {1.0, 5.0}) {
    World world = column(2);
    world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.0, .tolerance = tolerance};
    world.run(0.05);
    ASSERT_EQ(world.state.sleepers.sums.bodies, 2);
    add_later(world, 0.1, Vec3(0, 0, 0.7));
    std::int64_t woken = 0;
    world.run(1.0, [&](const StepReport& r) { woken += r.woken; });
    EXPECT_GE(woken, 2) << tolerance;
    EXPECT_EQ(world.state.sleepers.sums.bodies, 3);
  }
}

// The lowest of three is pushed away from below: a body that rested on it falls as without sleep.
TEST(Sleep, BodyThatLosesItsSupportWakes) {
  const auto push = [](bool sleep) {
    World world = column(3);
    if (sleep) world.model.settings.sleep = soon;
    world.add_sphere(0.1, Vec3(-2.0, 0, 0.1), {Vec3(8.0, 0, 0), Vec3(0, 80.0, 0)});  // rolls against it
    world.run(0.2);
    EXPECT_EQ(world.state.sleepers.sums.bodies, sleep ? 3 : 0);
    world.run(0.45);
    return world;
  };
  const World with = push(true), without = push(false);
  EXPECT_EQ(with.state.sleepers.sums.bodies, 0);
  EXPECT_LT(without.state.bodies.position[2][2], 0.4);  // it fell
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_LT((with.state.bodies.position[i] - without.state.bodies.position[i]).norm(), 1e-4) << i;
}

// A weight put down slowly, above the tolerance, wakes a sleeping body; a smaller weight does not.
TEST(Sleep, ToleranceIsRelativeToTheWeight) {
  const auto put = [](double radius) {
    World world = column(1);
    world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};
    world.run(0.05);
    EXPECT_EQ(world.state.sleepers.sums.bodies, 1);
    add_later(world, radius, Vec3(0, 0, 0.2 + radius));
    std::int64_t woken = 0;
    world.run(0.06, [&](const StepReport& r) { woken += r.woken; });
    return woken;
  };
  EXPECT_EQ(put(0.1 * std::cbrt(0.08)), 1);
  EXPECT_EQ(put(0.1 * std::cbrt(0.03)), 0);
}

// In every step, with sleeping bodies: momentum changes by gravity, boundaries and the report's values of
// sleep; energy changes by the flows of the energy balance.
TEST(Sleep, BalancesCloseWhileBodiesFallAsleepAndWake) {
  World world = sleeping_bed();
  Settings& settings = world.model.settings;
  settings.solver.correction_fraction =
      0.0;  // moves bodies, and with them their angular momentum about the origin
  ASSERT_GT(world.state.sleepers.sums.bodies, 50);
  add_later(world, 0.08, Vec3(0.5, 0.6, 2.0), {Vec3(0.3, 0.1, -1.0), Vec3(1, 2, 3)});
  double mass = 0.0;
  for (const double m : world.state.bodies.mass) mass += m;
  std::int64_t woken = 0, most_asleep = 0, fewest_asleep = 1000;
  double taken = 0.0;
  for (int k = 0; k < 800; ++k) {
    const Vec3 p = linear_momentum(world.state.bodies), l = angular_momentum(world.state.bodies);
    Vec3 weight_moment = Vec3::Zero();  // gravity acts after half a step of free flight
    const Bodies& b = world.state.bodies;
    for (std::size_t i = 0; i < b.size(); ++i)
      weight_moment += (b.position[i] + 0.5 * settings.time_step_s * b.linear_velocity[i])
                           .cross(b.mass[i] * settings.time_step_s * settings.gravity);
    const double e = energy(world);
    const StepReport r = world.step();
    const Vec3 gained = linear_momentum(world.state.bodies) - p;
    const Vec3 given = mass * settings.time_step_s * settings.gravity + r.boundary_impulse + r.sleep_impulse;
    EXPECT_LT((gained - given).norm(), 1e-10) << k;
    const Vec3 turned = angular_momentum(world.state.bodies) - l;
    EXPECT_LT((turned - weight_moment - r.boundary_angular_impulse - r.sleep_angular_impulse).norm(),
              1e-9);  // the iteration of free rotation
    EXPECT_LT(r.momentum_error_relative, 1e-12);
    EXPECT_LT(r.angular_momentum_error_relative, 1e-12);
    EXPECT_LT(std::abs(r.energy.remainder), 1e-12 * e) << k;
    EXPECT_EQ(r.narrow_phase_failures, 0);
    woken += r.woken;
    most_asleep = std::max(most_asleep, r.asleep);
    fewest_asleep = std::min(fewest_asleep, r.asleep);
    taken += r.sleep_impulse.norm();
  }
  EXPECT_GT(woken, 5);
  EXPECT_LT(fewest_asleep + 5, most_asleep);
  // In total, sleep changed the momentum by less than a thousandth of the floor's impulse.
  EXPECT_LT(taken, 1e-3 * mass * 9.81 * 800 * settings.time_step_s);
}

// A heavy ball shoots two sleeping grains away, which meet others that sleep: such steps are taken back (A5b)
// while bodies wake, and what sleep holds is booked once.
TEST(Sleep, AHeavyBallShootsSleepersAway) {
  for (const bool adaptive : {false, true}) {
    World world({.friction = 0.05, .rolling_friction_m = 2e-3}, 2e-3);
    Settings& settings = world.model.settings;
    settings.solver.correction_fraction = 0.0;
    world.add_floor();
    for (const double x : {-0.05, 0.05, -0.19, 0.19, 2.0, 3.0}) world.add_sphere(0.05, Vec3(x, 0, 0.05));
    settings.sleep = soon;
    world.run(0.2);
    ASSERT_EQ(world.state.sleepers.sums.bodies, 6);
    settings.adaptive_step = adaptive;
    settings.least_time_step_s = 1e-6;
    add_later(world, 0.1, Vec3(0, 0, 0.5), {Vec3(0, 0, -20.0), Vec3::Zero()});
    Bodies& bodies = world.state.bodies;
    bodies.mass.back() *= 1000.0;
    bodies.inertia.back() *= 1000.0;
    double mass = 0.0;
    for (const double m : bodies.mass) mass += m;
    const double impulse = 20.0 * bodies.mass.back(), end = world.state.time_s + 0.05;
    std::int64_t halvings = 0;
    double deepest = 0.0;
    while (world.state.time_s < end) {
      const Vec3 before = linear_momentum(bodies);
      const StepReport r = world.step();
      const Vec3 given = mass * r.time_step_s * settings.gravity + r.boundary_impulse + r.sleep_impulse;
      EXPECT_LT((linear_momentum(bodies) - before - given).norm(), 1e-12 * impulse);
      EXPECT_LT(std::abs(r.energy.remainder), 1e-12 * 10.0 * impulse);
      EXPECT_LE(r.sleep_impulse.norm(),
                1e-3 * static_cast<double>(r.asleep) * bodies.mass[0] * 9.81 * r.time_step_s);
      if (r.halvings > 0) {
        EXPECT_GE(r.asleep, 2);
      }
      halvings += r.halvings;
      deepest = std::max(deepest, r.penetration_max);
    }
    EXPECT_GT(halvings, 0);
    EXPECT_LT(deepest, 0.03) << adaptive;
    EXPECT_GT(bodies.linear_velocity[3].x(), 1.0);  // the grain from the left of it did not fly through it
  }
}

// The stone moves the bodies on which it comes to rest; the far side of the bed keeps sleeping.
TEST(Sleep, WakesOnlyWhereForcesChange) {
  World world = sleeping_bed();
  const std::vector<std::uint8_t> before = world.state.bodies.asleep;
  add_later(world, 0.01, Vec3(0.15, 0.15, 0.6));
  std::vector<std::uint8_t> woke(before.size(), 0);
  world.run(3.0, [&](const StepReport&) {
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != 0 && world.state.bodies.asleep[i] == 0) woke[i] = 1;
  });
  const auto count = std::count(woke.begin(), woke.end(), 1);
  EXPECT_GT(count, 0);
  EXPECT_LT(count, static_cast<std::ptrdiff_t>(before.size() / 2));
  EXPECT_GT(world.state.sleepers.sums.bodies, 50);
}

// The bed keeps its position: no body sinks or creeps, and contacts remain.
TEST(Sleep, ABedKeepsItsHeightAndItsContacts) {
  World awake = sleeping_bed();
  World asleep = awake;
  awake.model.settings.sleep = {};
  for (std::size_t i = 0; i < awake.state.bodies.size(); ++i) awake.state.bodies.asleep[i] = 0;
  awake.state.sleepers = {};
  const StepReport a = awake.run(3.5), s = asleep.run(3.5);
  const auto height = [](const World& w) {
    double sum = 0.0;
    for (const Vec3& x : w.state.bodies.position) sum += x[2];
    return sum / static_cast<double>(w.state.bodies.size());
  };
  EXPECT_NEAR(height(asleep), height(awake), 1e-5);
  EXPECT_NEAR(static_cast<double>(s.active_contacts), static_cast<double>(a.active_contacts),
              0.02 * static_cast<double>(a.active_contacts));
  EXPECT_NEAR(s.boundary_impulse[2], a.boundary_impulse[2], 1e-3 * a.boundary_impulse[2]);
  EXPECT_NEAR(s.penetration_mean, a.penetration_mean, 0.05 * a.penetration_mean);
}

// Substeps, and the solver with the exact local solution.
TEST(Sleep, WorksWithSubstepsBiasedCorrectionAndNsgs) {
  for (const int kind : {0, 1, 2}) {
    World world = column(3);
    world.model.settings.sleep = soon;
    if (kind == 0) world.model.settings.substeps = 4;
    if (kind == 1) {
      world.model.settings.substeps = 4;
      world.model.settings.solver.position_correction = PositionCorrection::biased;
      world.model.settings.solver.biased_sweeps = world.model.settings.solver.unbiased_sweeps = 50;
    }
    if (kind == 2) world.model.settings.solver.kind = SolverKind::nsgs;
    const double impulse = 3 * world.state.bodies.mass[0] * 9.81 * 1e-3;
    const StepReport still = world.run(0.1);
    EXPECT_EQ(still.asleep, 3) << kind;
    EXPECT_NEAR(still.boundary_impulse[2], impulse, 1e-3 * impulse);
    add_later(world, 0.1, Vec3(0, 0, 1.0));
    std::int64_t woken = 0;
    const StepReport last = world.run(0.6, [&](const StepReport& r) {
      woken += r.woken;
      EXPECT_LT(std::abs(r.energy.remainder), 1e-11) << kind;
    });
    EXPECT_GE(woken, 3) << kind;
    EXPECT_EQ(last.asleep, 4) << kind;
  }
}

// Bodies sorted again: the same sleeping bodies, held by the same contacts.
TEST(Sleep, SortingBodiesKeepsSleepersAndTheirContacts) {
  const World world = sleeping_bed();
  State sorted = world.state;
  sort(world.model.shapes, sorted);
  const State& plain = world.state;
  ASSERT_NE(sorted.bodies.id, plain.bodies.id);
  std::vector<std::size_t> slot(plain.bodies.size());
  for (std::size_t i = 0; i < slot.size(); ++i) slot[sorted.bodies.id[i]] = i;
  for (std::size_t i = 0; i < slot.size(); ++i) {
    const std::size_t k = slot[plain.bodies.id[i]];
    EXPECT_EQ(sorted.bodies.asleep[k], plain.bodies.asleep[i]);
    EXPECT_EQ(sorted.sleepers.still[k], plain.sleepers.still[i]);
    EXPECT_LT((sorted.sleepers.held[k].linear - plain.sleepers.held[i].linear).norm(), 1e-14);
    EXPECT_LT((sorted.sleepers.held[k].angular - plain.sleepers.held[i].angular).norm(), 1e-14);
  }
  ASSERT_EQ(sorted.sleepers.contacts.size(), plain.sleepers.contacts.size());
  for (std::size_t c = 1; c < sorted.sleepers.contacts.size(); ++c)
    EXPECT_LT(sorted.sleepers.contacts[c - 1].key, sorted.sleepers.contacts[c].key);
  EXPECT_NEAR(sorted.sleepers.sums.overlap_sum, plain.sleepers.sums.overlap_sum, 1e-15);
}

// Part of the state: from a copy, without the workspace, on any number of threads, the same bits.
TEST(Sleep, SameBitsOnAnyNumberOfThreadsAndFromACopyOfTheState) {
  const World bed = sleeping_bed();
  const auto run = [&](int threads, bool fresh_workspace) {
    set_thread_count(threads);
    World world = bed;
    world.model.settings.sort_interval = 60;
    add_later(world, 0.06, Vec3(0.5, 0.6, 1.5));
    std::int64_t woken = 0;
    for (int k = 0; k < 400; ++k) {
      if (fresh_workspace) world.workspace = {};
      woken += world.step().woken;
    }
    EXPECT_GT(woken, 0);
    return state_hash(world.state.bodies);
  };
  const std::uint64_t one = run(1, false);
  EXPECT_EQ(run(1, true), one);
  for (const int threads : {2, 3, 4, 8}) EXPECT_EQ(run(threads, false), one) << threads;
  set_thread_count(0);
}

}  // namespace
}  // namespace scree
