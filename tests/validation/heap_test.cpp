// Settled heaps: the figures of merit of a run.
#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

TEST(SettledHeap, RestsWithoutOverlapOrEnergyGain) {
  World world = test::loose_heap(6, 8, {}, 2e-3, 5);
  world.model.settings.solver = SolverSettings{};  // the defaults for users
  const double e0 = potential_energy(world.state.bodies, world.model.settings.gravity);
  double injected = 0.0, lowest = e0;
  const StepReport last = world.run(4.0, [&](const StepReport& r) {
    injected += r.energy_injected_J;
    lowest = std::min(lowest, r.energy.potential);
    EXPECT_EQ(r.narrow_phase_failures, 0);
  });
  const auto n = static_cast<double>(world.state.bodies.size());
  EXPECT_LT(last.energy.kinetic / n, 1e-4);
  EXPECT_LT(last.penetration_max, 0.01);
  EXPECT_LT(last.penetration_mean, 0.002);
  EXPECT_LT(injected, 1e-5 * (e0 - lowest));
  for (const Vec3& x : world.state.bodies.position) EXPECT_GT(x[2], 0.0);
}

TEST(OnePassHeap, ShowsMomentumErrorAndLargeResidual) {
  // Each side of a contact assumes a common velocity of the free motion, so support moves on by one layer per
  // step: deep layers overlap. The method is kept for study; the report shows the overlap.
  World world = test::loose_heap(4, 10, {}, 2e-3, 5);
  world.model.settings.solver.kind = SolverKind::one_pass;
  double worst_momentum = 0.0;
  const StepReport last = world.run(2.0, [&](const StepReport& r) {
    worst_momentum = std::max(worst_momentum, r.momentum_error_relative);
  });
  EXPECT_GT(worst_momentum, 1e-3);
  EXPECT_GT(last.residual_rms_relative, 1e-2);
}

}  // namespace
}  // namespace scree
