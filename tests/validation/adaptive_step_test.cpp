// Steps that choose their own length (A6).
#include "engine/simulation/adaptive_step.h"

#include <gtest/gtest.h>

#include "engine/core/state_hash.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81;

World adaptive(World world, double largest_s = 0.02) {
  world.model.settings.adaptive_step = true;
  world.model.settings.time_step_s = largest_s;
  return world;
}

/// Steps until a time, ending a step at every multiple of an interval.
void run(
    World& world, double interval_s, int intervals,
    const std::function<void(const StepReport&)>& look = [](const StepReport&) {}) {
  for (int k = 1; k <= intervals; ++k) {
    const double landing = k * interval_s;
    while (world.state.time_s < landing) {
      look(step(world.model, world.state, world.workspace, world.result, landing));
      ASSERT_LE(world.state.time_s, landing);
    }
    ASSERT_EQ(world.state.time_s, landing);  // to the last bit
  }
}

TEST(AdaptiveStep, FixedStepIgnoresTheLandingTime) {
  World world({}, 2e-3);
  world.add_sphere(0.1, Vec3(0, 0, 5));
  for (int k = 1; k <= 5; ++k) {
    const StepReport& r = step(world.model, world.state, world.workspace, world.result, 3.1e-3);
    EXPECT_EQ(r.time_step_s, 2e-3);
    EXPECT_EQ(r.time_s, k * 2e-3);
  }
}

TEST(AdaptiveStep, TimeIsExactAfterChangeOfStepLength) {
  World world({}, 4e-3);
  world.add_sphere(0.1, Vec3(0, 0, 5));
  const auto time_after = [&](double h) {
    world.model.settings.time_step_s = h;
    return step(world.model, world.state, world.workspace, world.result).time_s;
  };
  for (int k = 1; k <= 62; ++k) EXPECT_EQ(time_after(4e-3), k * 4e-3);
  for (int k = 249; k <= 251; ++k) EXPECT_EQ(time_after(1e-3), k * 1e-3);
  EXPECT_DOUBLE_EQ(time_after(4e-3), 0.255);  // not a multiple of it
}

TEST(AdaptiveStep, FreeFallAndRestMatchClosedFormWithClosedLedger) {
  World world = adaptive(World());
  world.add_floor();
  const double height = 2.0, radius = 0.1;
  const BodyIndex ball = world.add_sphere(radius, Vec3(0, 0, height + radius));
  const double mass = world.state.bodies.mass[ball], weight = mass * g,
               impact_s = std::sqrt(2.0 * height / g);
  EnergyLedger sums;
  run(world, 0.05, 40, [&](const StepReport& r) {
    sums.dissipated_by_impact += r.energy.dissipated_by_impact;
    sums.position_correction += r.energy.position_correction;
    EXPECT_LT(std::abs(r.energy.remainder), 1e-12 * weight * height);
    if (r.time_s < impact_s - 0.02) {  // the scheme is exact for constant forces, for any steps
      EXPECT_NEAR(world.state.bodies.position[ball].z(), height + radius - 0.5 * g * r.time_s * r.time_s,
                  1e-12);
      EXPECT_NEAR(world.state.bodies.linear_velocity[ball].z(), -g * r.time_s, 1e-12);
    }
    if (r.time_s > impact_s + 0.2) {  // the floor's impulse is the weight times any step
      EXPECT_NEAR(r.boundary_impulse.z(), weight * r.time_step_s, 1e-4 * weight * r.time_step_s);
      EXPECT_NEAR(world.state.contacts[0].impulse.z(), weight * r.time_step_s, 1e-4 * weight * r.time_step_s);
    }
  });
  EXPECT_NEAR(world.state.bodies.position[ball].z(), radius, 2e-3 * radius);  // twice the slop
  EXPECT_NEAR(world.state.bodies.linear_velocity[ball].z(), 0.0, 1e-9);
  EXPECT_NEAR(sums.dissipated_by_impact, weight * height, 1e-2 * weight * height);
}

TEST(AdaptiveStep, LeavesNoShortStepBeforeALanding) {
  // Only the ends of intervals, at which steps are shortened, change steps of free flight at constant speed.
  World world = adaptive(World());
  world.model.settings.gravity.setZero();
  world.add_sphere(0.1, Vec3::Zero(), {Vec3(10, 0, 0), Vec3::Zero()});
  const double longest = first_step(world.model, world.state.bodies);
  EXPECT_DOUBLE_EQ(longest, 0.5 * 0.1 / 10.0);
  run(world, 3.3 * longest, 20,
      [&](const StepReport& r) { EXPECT_NEAR(r.time_step_s, 3.3 / 4.0 * longest, 1e-12); });
}

TEST(AdaptiveStep, StaysWithinItsBounds) {
  World world = adaptive(World(), 4e-3);
  world.model.settings.least_time_step_s = 1e-3;
  world.add_floor();
  world.add_sphere(0.05, Vec3(0, 0, 0.3), {Vec3(0, 0, -40), Vec3::Zero()});  // it requires 0.6 ms and less
  double least = 1.0, largest = 0.0;
  for (int k = 0; k < 400; ++k) {
    const double h = world.step().time_step_s;
    least = std::min(least, h);
    largest = std::max(largest, h);
  }
  EXPECT_EQ(least, 1e-3);
  EXPECT_EQ(largest, 4e-3);
}

TEST(AdaptiveStep, KeepsOverlapsBelowThoseOfEqualStepsOfItsMeanLength) {
  const auto deepest = [](World& world, double until_s) {
    double most = 0.0;
    while (world.state.time_s < until_s) most = std::max(most, world.step().penetration_max);
    return most;
  };
  PairLaw law;
  law.friction = 0.5;
  World heap = adaptive(test::loose_heap(4, 5, law, 1e-3));
  heap.model.settings.solver = SolverSettings{};
  const double of_adaptive = deepest(heap, 1.0);
  World equal = test::loose_heap(4, 5, law, 1.0 / static_cast<double>(heap.state.step));
  equal.model.settings.solver = SolverSettings{};
  EXPECT_LT(of_adaptive, 0.75 * deepest(equal, 1.0));
}

TEST(AdaptiveStep, KeepsItsLengthWhenToleranceIsUnattainable) {
  PairLaw law;
  law.friction = 0.5;
  World heap = adaptive(test::loose_heap(3, 3, law, 1e-3));
  heap.model.settings.solver = SolverSettings{};
  heap.model.settings.solver.tolerance = 1e-12;
  heap.model.settings.solver.max_sweeps = 20;
  int missed = 0;
  while (heap.state.time_s < 2.0) missed += heap.step().status == SolveStatus::converged ? 0 : 1;
  EXPECT_GT(missed, heap.state.step / 2);
  EXPECT_GT(heap.step().time_step_s, 2e-3);  // at rest
}

TEST(AdaptiveStep, CopiedStateContinuesWithSameBits) {
  PairLaw law;
  law.friction = 0.5;
  World world = adaptive(test::loose_heap(3, 4, law, 1e-3));
  world.model.settings.solver = SolverSettings{};
  run(world, 0.05, 6);
  State copy = world.state;
  Workspace fresh;
  StepResult result;
  for (int k = 0; k < 30; ++k) {
    const double landing = world.state.time_s + 0.01;
    const double h = step(world.model, world.state, world.workspace, world.result, landing).time_step_s;
    ASSERT_EQ(step(world.model, copy, fresh, result, landing).time_step_s, h);
    ASSERT_EQ(state_hash(copy.bodies), state_hash(world.state.bodies));
  }
}

TEST(AdaptiveStep, BallRestsOnRisingFloor) {
  // The floor's position is exact at any time; a ball that rests on it moves with it.
  World world = adaptive(World());
  world.add_floor();
  test::give_motion(world.model, 0, steady_motion({Vec3(0, 0, 0.5), Vec3::Zero()}, Vec3::Zero()));
  const BodyIndex ball = world.add_sphere(0.1, Vec3(0, 0, 0.1), {Vec3(0, 0, 0.5), Vec3::Zero()});
  double work = 0.0;
  run(world, 0.013, 100, [&](const StepReport& r) { work += r.energy.boundary_work; });
  const double risen = 0.5 * world.state.time_s;
  EXPECT_NEAR(world.state.bodies.position[ball].z(), 0.1 + risen, 2e-3 * 0.1);
  EXPECT_NEAR(work, world.state.bodies.mass[ball] * g * risen, 1e-6 * work);
}

TEST(AdaptiveStep, SleepsAfterDurationAndCarriesSleepingWeight) {
  World world = adaptive(World());
  world.model.settings.sleep = {.speed_m_s = 0.01, .duration_s = 0.2, .tolerance = 0.1};
  world.add_floor();
  const BodyIndex ball = world.add_sphere(0.1, Vec3(0, 0, 0.1));
  const double weight = world.state.bodies.mass[ball] * g;
  double asleep_at = 0.0, least = 1.0, largest = 0.0;
  for (int k = 1; k <= 100; ++k) {
    const double landing = 0.01 * k + 0.004 * (k % 2);  // 14 ms and 6 ms in turn
    while (world.state.time_s < landing) {
      const StepReport& r = step(world.model, world.state, world.workspace, world.result, landing);
      if (r.asleep > 0 && asleep_at == 0.0) asleep_at = r.time_s;
      least = std::min(least, r.time_step_s);
      largest = std::max(largest, r.time_step_s);
      EXPECT_NEAR(r.boundary_impulse.z() + r.sleep_impulse.z(), weight * r.time_step_s, 1e-9 * weight);
      EXPECT_NEAR(r.boundary_impulse.z(), weight * r.time_step_s, 1e-3 * weight * r.time_step_s);
    }
  }
  EXPECT_GT(largest, 1.2 * least);
  EXPECT_EQ(world.state.sleepers.sums.bodies, 1);
  EXPECT_NEAR(asleep_at, 0.2, 0.01);  // to one step
}

TEST(AdaptiveStep, TakesSubstepsAndBothLawsOfImpact) {
  // Between two walls without friction, gravity and loss the speed is constant, for any step length.
  PairLaw law;
  law.friction = 0.0;
  law.restitution = 1.0;
  for (const RestitutionLaw how : {RestitutionLaw::newton, RestitutionLaw::energetic}) {
    for (const int substeps : {1, 4}) {
      World world = adaptive(World(law));
      world.model.settings.gravity.setZero();
      world.model.settings.substeps = substeps;
      world.model.settings.restitution_law = how;
      world.add_floor();
      world.model.boundaries.push_back({"ceiling", world.material, Plane{Vec3(0, 0, 1), -Vec3::UnitZ()}});
      world.add_sphere(0.1, Vec3(0, 0, 0.5), {Vec3(1, 0, -3), Vec3::Zero()});
      const double energy = kinetic_energy(world.state.bodies);
      double least = 1.0, largest = 0.0;
      run(world, 0.04, 50, [&](const StepReport& r) {
        EXPECT_NEAR(r.energy.kinetic, energy, 1e-9 * energy);
        least = std::min(least, r.time_step_s);
        largest = std::max(largest, r.time_step_s);
      });
      EXPECT_GT(largest, 1.5 * least);
    }
  }
}

}  // namespace
}  // namespace scree
