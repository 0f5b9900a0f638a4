// Momentum, energy balance, and the seed method's known momentum error.
#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// A cluster without gravity that collapses.
World collapsing_cluster(const PairLaw& law, SolverKind kind) {
  World world(law, 1e-3);
  world.model.settings.gravity.setZero();
  world.model.settings.solver.kind = kind;
  world.model.settings.solver.max_sweeps = 20;
  Random random(4);
  for (int i = 0; i < 64; ++i) {
    const int row = i / 4 % 4, layer = i / 16;
    const Vec3 x = 0.25 * Vec3(i % 4 - 1.5, row - 1.5, layer - 1.5);
    world.add(Vec3(0.1, 0.075, 0.05), {x, random.rotation()},
              {-2.0 * x + 0.3 * random.direction(), random.direction()});
  }
  return world;
}

/// Rounding of the momentum error of the last step, which is relative to the impulses of the step: if a
/// single weak contact acts in a moving cluster, the last bits of the momenta are large compared with these
/// impulses.
double rounding_of_momentum(const World& world) {
  double carried = 0.0, exchanged = 0.0;
  for (std::size_t i = 0; i < world.state.bodies.size(); ++i)
    carried += world.state.bodies.mass[i] * world.state.bodies.linear_velocity[i].norm();
  for (const Vec3& impulse : world.workspace.solution.impulse) exchanged += impulse.norm();
  return exchanged > 0.0 ? 1e-16 * carried / exchanged : 0.0;
}

TEST(ClosedCluster, PerBodyKeepsMomentumToRounding) {
  for (const double rolling : {0.0, 0.01}) {
    PairLaw law;
    law.restitution = 0.3;
    law.rolling_friction_m = law.torsional_friction_m = rolling;
    World world = collapsing_cluster(law, SolverKind::gauss_seidel);
    const Vec3 p0 = linear_momentum(world.state.bodies), l0 = angular_momentum(world.state.bodies);
    double worst = 0.0, worst_angular = 0.0;
    std::int64_t contacts = 0;
    world.run(0.4, [&](const StepReport& r) {
      const double rounding = rounding_of_momentum(world);
      worst = std::max(worst, r.momentum_error_relative - rounding);
      worst_angular = std::max(worst_angular, r.angular_momentum_error_relative - rounding);
      contacts += r.active_contacts;
    });
    EXPECT_GT(contacts, 1000);
    EXPECT_LT(worst, 1e-12);
    EXPECT_LT(worst_angular, 1e-12);
    double scale = 0.0;
    for (std::size_t i = 0; i < 64; ++i)
      scale += world.state.bodies.mass[i] * world.state.bodies.linear_velocity[i].norm();
    EXPECT_LT((linear_momentum(world.state.bodies) - p0).norm(), 1e-12 * (scale + p0.norm()));
    // Position correction moves bodies in motion: an error of second order, no rounding.
    EXPECT_LT((angular_momentum(world.state.bodies) - l0).norm(), 1e-3 * l0.norm());
  }
}

TEST(ClosedCluster, OnePassShowsItsMomentumError) {
  World world = collapsing_cluster({}, SolverKind::one_pass);
  double worst = 0.0;
  world.run(0.4, [&](const StepReport& r) { worst = std::max(worst, r.momentum_error_relative); });
  EXPECT_GT(worst, 1e-4);
}

TEST(OnePass, EqualSphereOnTwoSpheresGainsMomentum) {
  // A sphere falls on two equal ones at 30 degrees from the vertical; each side takes its own share of each
  // contact. Upper: W_ii = [[1, c], [c, 1]] / m with c = n1.n2 = cos 60 = 1/2; each constraint removes half
  // of the approach v cos 30, impulses m v cos30 / 2 / (1 + 1/2); the two lower ones each take m v cos30 / 2.
  // In the vertical the lower ones gain 2 m v cos^2(30) / 2 = 0.75 m v, the upper loses 0.5 m v: a quarter of
  // m v from nothing.
  World world({}, 1e-4);
  world.model.settings.gravity.setZero();
  world.model.settings.solver.kind = SolverKind::one_pass;
  PairLaw smooth;
  smooth.friction = 0.0;
  world.model.materials.set_law(world.material, world.material, smooth);
  const double r = 0.1, d = 0.2 * std::cos(M_PI / 6);
  world.add_sphere(r, Vec3(-0.1 - 1e-9, 0, 0));
  world.add_sphere(r, Vec3(0.1 + 1e-9, 0, 0));
  world.add_sphere(r, Vec3(0, 0, d + 0.5e-4), {Vec3(0, 0, -1), Vec3::Zero()});
  const double m = world.state.bodies.mass[0];
  const StepReport report = world.step();
  EXPECT_NEAR(linear_momentum(world.state.bodies)[2], -m * 1.25, 1e-3 * m);
  // No contact approaches any more, so velocities alone would look like a solution, but no impulses give
  // them. Upper: the mean of the sides' impulses, m v cos30 (1/3 + 1/2) / 2 at each contact, leaves contacts
  // that separate and still push with u_n = v cos30 (5/12 (1 + 1 + 1/2) - 1) = v cos30 / 24.
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_NEAR(report.residual_rms_m_s, std::cos(M_PI / 6) / 24, 1e-4);
}

TEST(OnePass, SolvesASingleBodyAndReportsConvergence) {
  World world;
  world.model.settings.solver.kind = SolverKind::one_pass;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  const StepReport report = world.step();
  EXPECT_EQ(report.active_contacts, 1);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.residual_over_goal, 1.0);
}

TEST(OnePass, ReportsThatAStackIsNotConverged) {
  // Support moves on by one layer per step: the upper of two spheres at rest is not supported in the first
  // one.
  World world;
  world.model.settings.solver.kind = SolverKind::one_pass;
  world.model.settings.solver.tolerance = 1e-3;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  world.add_sphere(0.1, Vec3(0, 0, 0.3));
  const StepReport report = world.step();
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_GT(report.residual_over_goal, 100.0);
}

TEST(Ledger, ClosesInEveryStepOfAFall) {
  PairLaw law;
  law.restitution = 0.4;
  law.torsional_friction_m = 0.005;
  law.rolling_friction_m = 0.002;
  World world = test::loose_heap(5, 5, law, 1e-3);
  world.model.settings.solver.max_sweeps = 30;
  const Vec3 gravity = world.model.settings.gravity;
  const double e0 = kinetic_energy(world.state.bodies) + potential_energy(world.state.bodies, gravity);
  double dissipated = 0.0, corrected = 0.0, worst = 0.0, injected = 0.0;
  StepReport last = world.run(1.0, [&](const StepReport& r) {
    worst = std::max(worst, std::abs(r.energy.remainder));
    dissipated += r.energy.dissipated_by_friction + r.energy.dissipated_by_impact;
    corrected += r.energy.position_correction;
    injected += r.energy_injected_J;
  });
  EXPECT_LT(worst, 1e-12 * e0);
  EXPECT_NEAR(last.energy.kinetic + last.energy.potential, e0 - dissipated + corrected, 1e-10 * e0);
  EXPECT_LT(injected, 1e-6 * e0);
  EXPECT_GT(dissipated, 0.5 * (e0 - last.energy.potential));
}

TEST(Ledger, ElasticBounceKeepsEnergy) {
  PairLaw law;
  law.restitution = 1.0;
  law.friction = 0.0;
  World world(law, 1e-3);
  world.model.settings.restitution_threshold_m_s = 0.0;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.6));
  const Vec3 gravity = world.model.settings.gravity;
  const double e0 = potential_energy(world.state.bodies, gravity);
  const StepReport last = world.run(10.0);
  EXPECT_NEAR((last.energy.kinetic + last.energy.potential) / e0, 1.0, 1e-12);
}

TEST(Substeps, SettleAHeapWithClosedBalances) {
  PairLaw law;
  World world = test::loose_heap(4, 4, law, 4e-3);
  world.model.settings.substeps = 4;
  world.model.settings.solver.max_sweeps = 30;
  const double e0 = potential_energy(world.state.bodies, world.model.settings.gravity);
  double worst = 0.0;
  const StepReport last = world.run(3.0, [&](const StepReport& r) {
    worst = std::max(worst, std::abs(r.energy.remainder));
    EXPECT_LT(r.momentum_error_relative, 1e-12);
  });
  EXPECT_LT(worst, 1e-12 * e0);
  EXPECT_LT(last.energy.kinetic / 64, 1e-3);
  EXPECT_LT(last.penetration_max, 0.01);
}

}  // namespace
}  // namespace scree
