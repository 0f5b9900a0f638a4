// Long runs of elastic gases: energy, momentum and pressure after many impacts (a million with SCREE_LONG_TESTS).
#include "tests/support/gas.h"

#include "engine/simulation/placement.h"
#include "tests/support/long_tests.h"

namespace scree::test {
namespace {

// The reference case: impacts of 1,000 spheres, and of 1,000 ellipsoids.
TEST(Gas, ManyImpacts) {
  const int impacts = test::repeats(100000, 1000000);
  World spheres = gas(1000, 0.3, Vec3::Constant(0.01), 1.0, 0.005);
  const GasRun of_spheres = run_gas(spheres, impacts);
  expect_kept(of_spheres);
  EXPECT_NEAR(of_spheres.compressibility / carnahan_starling(0.3), 1.0, 0.01);
  std::printf("spheres: energy %.2g momentum %.2g Z %.5f of %.5f\n", of_spheres.energy_error,
              of_spheres.momentum_error, of_spheres.compressibility, carnahan_starling(0.3));
  World ellipsoids = gas(1000, 0.1, Vec3(0.02, 0.01, 0.01), 1.0, 0.005);
  const GasRun of_ellipsoids = run_gas(ellipsoids, impacts);
  expect_kept(of_ellipsoids);
  EXPECT_NEAR(of_ellipsoids.compressibility / boublik(0.1, 2.0, 1.0), 1.0, 0.01);
  std::printf("ellipsoids: energy %.2g momentum %.2g Z %.5f of %.5f\n", of_ellipsoids.energy_error,
              of_ellipsoids.momentum_error, of_ellipsoids.compressibility, boublik(0.1, 2.0, 1.0));
}

// In a closed box: no body gets out.
TEST(Gas, ManyImpactsInABox) {
  const int wanted = test::repeats(100000, 1000000);
  for (const Vec3& axes : {Vec3(0.01, 0.01, 0.01), Vec3(0.02, 0.01, 0.01)}) {
    const bool round = axes[0] == axes[1];
    World world = gas(1000, round ? 0.3 : 0.1, axes, 1.0, 0.005, false);
    const Bodies& b = world.state.bodies;
    const double energy = kinetic_energy(b);
    std::int64_t impacts = 0;
    double deepest = 0.0;
    while (impacts < wanted) {
      step(world.model, world.state, world.workspace, world.result);
      impacts += world.result.report.impacts;
      deepest = std::max(deepest, world.result.report.penetration_max);
    }
    EXPECT_EQ(deepest, 0.0);
    EXPECT_TRUE(misplaced_bodies(world.model, b, 0.0).empty());
    const double error = std::abs(kinetic_energy(b) / energy - 1.0);
    EXPECT_LT(error, 1e-10);
    std::printf("%s: energy %.2g\n", round ? "spheres" : "ellipsoids", error);
  }
}

}  // namespace
}  // namespace scree::test
