// Bodies in their first step: none passes through an obstacle.
#include <gtest/gtest.h>

#include "tests/support/meshes.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

World over_sheet(double h) {
  PairLaw law;
  law.friction = 0.3;
  World world(law, h);
  world.model.settings.gravity.setZero();
  Random random(3);
  world.model.boundaries.push_back({"sheet", world.material, test::floor_of_triangles(4, random)});
  return world;
}

TEST(Newcomers, DoNotPassThroughASheetInTheFirstStep) {
  // Radius 2 mm, 5 m/s, 2 ms: half a step moves the centre by 5 mm, and past the sheet from any smaller
  // height. All stay above, and their overlap is not larger than contacts leave.
  for (const double speed : {0.5, 5.0, 50.0})
    for (const double height : {2.0001e-3, 2.5e-3, 3e-3, 4e-3, 6e-3, 9e-3}) {
      World world = over_sheet(2e-3);
      world.add_sphere(2e-3, Vec3(0.013, 0.007, height), {Vec3(0, 0, -speed), Vec3::Zero()});
      double deepest = 0.0;
      world.run(0.02, [&](const StepReport& r) { deepest = std::max(deepest, r.penetration_max); });
      EXPECT_GT(world.state.bodies.position[0][2], 1.9e-3) << speed << ' ' << height;
      EXPECT_LT(deepest, 0.02) << speed << ' ' << height;
    }
}

TEST(Newcomers, DoNotPassThroughEachOther) {
  for (const double apart : {4.1e-3, 6e-3, 9e-3}) {
    World world = over_sheet(2e-3);
    world.add_sphere(2e-3, Vec3(0, 0, 0.1), {Vec3(3, 0, 0), Vec3::Zero()});
    world.add_sphere(2e-3, Vec3(apart, 0, 0.1), {Vec3(-3, 0, 0), Vec3::Zero()});
    world.run(0.01);
    EXPECT_LT(world.state.bodies.position[0][0], world.state.bodies.position[1][0]) << apart;
    EXPECT_NEAR(world.state.bodies.linear_velocity[0][0] - world.state.bodies.linear_velocity[1][0], 0.0,
                1e-6);
  }
}

TEST(Newcomers, LedgerIncludesHeightChangeOfDelayedStart) {
  // The energy balance closes in the step in which a body waits; its potential energy counts.
  World world = over_sheet(2e-3);
  world.model.settings.gravity = Vec3(0, 0, -9.81);
  world.add_sphere(2e-3, Vec3(0.01, 0, 3e-3), {Vec3(1, 0, -5), Vec3::Zero()});
  const double energy = mechanical_energy(world.state.bodies, world.model.settings.gravity);
  const StepReport& report = world.step();
  EXPECT_GT(std::abs(report.energy.position_correction), 0.0);
  EXPECT_LT(std::abs(report.energy.remainder), 1e-12 * energy);
}

TEST(Newcomers, FreeBodiesStartWithoutDelay) {
  // A body without obstacles moves with its velocity, to rounding.
  World world = over_sheet(2e-3);
  world.add_sphere(2e-3, Vec3(0, 0, 0.5), {Vec3(1, 2, 3), Vec3::Zero()});
  world.step();
  EXPECT_LT((world.state.bodies.position[0] - Vec3(2e-3, 4e-3, 0.506)).norm(), 1e-15);
}

}  // namespace
}  // namespace scree
