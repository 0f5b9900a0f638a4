// Diagnostics of a step: the deepest overlap, and whether the solver reached its tolerance.
#include "engine/simulation/diagnostics.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

#include "engine/core/parallel.h"
#include "engine/core/random.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// Spheres of 0.1 m in a row, without gravity; each overlaps the next by the given part of its radius.
World row(const std::vector<double>& overlaps) {
  World world;
  world.model.settings.gravity.setZero();
  double x = 0.0;
  world.add_sphere(0.1, Vec3::Zero());
  for (const double overlap : overlaps) {
    x += 0.2 - 0.1 * overlap;
    world.add_sphere(0.1, Vec3(x, 0, 0));
  }
  return world;
}

// A step adds up energies alone before it, and energies with momenta after it: both are equal, to the
// rounding of sums over blocks of bodies.
TEST(MechanicalEnergy, MatchesTheSumOfKineticAndPotentialEnergy) {
  World world;
  Random random(5);
  const ShapeIndex shape = world.model.shapes.add(Ellipsoid{Vec3(0.1, 0.07, 0.05)});
  const auto vector = [&](double size) -> Vec3 {
    return Vec3(random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size));
  };
  double kinetic = 0.0, potential = 0.0;
  const Vec3 gravity(1.0, -2.0, -9.0);
  Bodies& bodies = world.state.bodies;
  for (std::size_t i = 0; i < 3000; ++i) {
    add_body(bodies, world.model.shapes, world.model.materials,
             {shape, world.material, {vector(10.0), random.rotation()}, {vector(3.0), vector(20.0)}});
    kinetic += kinetic_energy(bodies, i);
    potential -= bodies.mass[i] * gravity.dot(bodies.position[i]);
  }
  const BodySums sums = body_sums(bodies, gravity);
  EXPECT_NEAR(sums.kinetic, kinetic, 1e-13 * kinetic);
  EXPECT_NEAR(sums.potential, potential, 1e-13 * (std::abs(potential) + kinetic));
  EXPECT_NEAR(mechanical_energy(bodies, gravity), kinetic + potential,
              1e-13 * (std::abs(potential) + kinetic));
}

TEST(DeepestOverlap, NamesTheTwoBodies) {
  World world = row({0.01, 0.03, 0.02});
  const StepReport& report = world.step();
  EXPECT_NEAR(report.penetration_max, 0.03, 1e-6);
  EXPECT_EQ(report.deepest, (Touch{1, 2, -1}));
}

TEST(DeepestOverlap, NamesTheBoundary) {
  World world;
  world.model.boundaries.push_back({"wall", world.material, Plane{Vec3(-5, 0, 0), Vec3::UnitX()}});
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.2));
  world.add_sphere(0.1, Vec3(1, 0, 0.099));
  EXPECT_EQ(world.step().deepest, (Touch{1, -1, 1}));
}

TEST(DeepestOverlap, IsEmptyWithoutContacts) {
  World world;
  world.add_sphere(0.1, Vec3::Zero());
  EXPECT_EQ(world.step().deepest, Touch{});
}

TEST(DeepestOverlap, TiesGoToTheFirstContactOnAnyNumberOfThreads) {
  // Distant pairs, all equal, more than a block of contacts: the first one is reported.
  World world;
  world.model.settings.gravity.setZero();
  for (int i = 0; i < 1500; ++i) {
    world.add_sphere(0.1, Vec3(0.0, i, 0.0));
    world.add_sphere(0.1, Vec3(0.1875, i, 0.0));  // exact numbers, equal gaps
  }
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    World copy = world;
    EXPECT_EQ(copy.step().deepest, (Touch{0, 1, -1})) << threads;
  }
  set_thread_count(0);
}

TEST(DeepestOverlap, ReportsBodyIdsAndNotSlots) {
  World world = row({0.01, 0.02, 0.04});
  const BodyId gone[] = {0};
  remove(world.state, gone);
  EXPECT_EQ(world.step().deepest, (Touch{2, 3, -1}));
}

TEST(DeepestOverlap, IncludesContactsOfSleepingBodies) {
  World world;
  world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};
  world.add_floor();
  for (int i = 0; i < 3; ++i) world.add_sphere(0.1, Vec3(0, 0, 0.1 + 0.2 * i));
  const StepReport report = world.run(1.0);
  ASSERT_EQ(report.asleep, 3);
  EXPECT_GT(report.penetration_max, 0.0);
  // All contacts are at rest; the deepest one is named.
  const std::vector<Contact>& resting = world.state.sleepers.contacts;
  const Contact& deepest =
      *std::ranges::max_element(resting, {}, [](const Contact& c) { return -c.gap / double{c.length}; });
  EXPECT_EQ(report.deepest.a, world.state.bodies.id[deepest.key.a]);
  EXPECT_EQ(report.deepest.boundary, is_boundary(deepest.key.b) ? 0 : -1);
}

TEST(Goal, IsToleranceTimesTheVelocityScale) {
  for (const auto& [tolerance, sweeps, solved] : {std::tuple{1e-3, 1, false}, std::tuple{1e-2, 1000, true}}) {
    World world = test::loose_heap(3, 3, {}, 2e-3);
    world.model.settings.solver.tolerance = tolerance;
    world.model.settings.solver.max_sweeps = sweeps;
    double worst = 0.0;
    world.run(0.4, [&, goal = tolerance](const StepReport& r) {
      const double factor = r.residual_of_scale() / goal;
      EXPECT_NEAR(r.residual_over_goal, factor, 1e-9 * factor);
      EXPECT_EQ(r.status == SolveStatus::converged, r.residual_over_goal <= 1.0);
      worst = std::max(worst, r.residual_over_goal);
    });
    EXPECT_EQ(worst <= 1.0, solved) << worst;
  }
}

}  // namespace
}  // namespace scree
