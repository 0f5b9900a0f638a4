#include "engine/solver/solver.h"

#include <gtest/gtest.h>
#include <set>

#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

TEST(ProjectOnCone, IsTheClosestPointOfTheCone) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const double mu = 2.0 * random.uniform();
    const Vec3 p = 3.0 * random.uniform() * random.direction();
    const Vec3 q = project_on_cone(p, mu);
    ASSERT_LE(q.tail<2>().norm(), mu * q[0] + 1e-14);
    for (int k = 0; k < 100; ++k) {  // no point of the cone is closer
      const double n = 3.0 * random.uniform(), r = mu * n * random.uniform(), a = 6.28318 * random.uniform();
      ASSERT_LE((p - q).norm(), (p - Vec3(n, r * std::cos(a), r * std::sin(a))).norm() + 1e-12);
    }
  }
}

/// The contact problem of a settling heap.
ContactProblem heap_problem() {
  World world = test::loose_heap(5, 5, {}, 2e-3, 9);
  world.model.settings.solver.tolerance = 1e-3;
  world.run(0.5);
  return world.workspace.problem;
}

TEST(Colouring, VisitsOfOneColourShareNoBodyAndCoverEveryContactOnce) {
  const ContactProblem p = heap_problem();
  Colouring k;
  colour_visits(p, k);
  ASSERT_FALSE(k.last_colour_is_serial);
  std::vector<int> seen(p.contacts(), 0);
  for (std::size_t colour = 0; colour < k.colours(); ++colour) {
    std::set<std::int32_t> touched;
    for (std::int32_t v = k.colour_row[colour]; v < k.colour_row[colour + 1]; ++v) {
      std::set<std::int32_t> bodies{k.body[static_cast<std::size_t>(v)]};
      for (std::int32_t q = k.contact_row[static_cast<std::size_t>(v)];
           q < k.contact_row[static_cast<std::size_t>(v) + 1]; ++q) {
        const auto c = static_cast<std::size_t>(k.contact[static_cast<std::size_t>(q)]);
        ++seen[c];
        bodies.insert(p.body_a[c]);
        if (p.body_b[c] != fixed_partner) bodies.insert(p.body_b[c]);
      }
      for (const std::int32_t body : bodies) EXPECT_TRUE(touched.insert(body).second);
    }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(Colouring, ManyPartnersOfOneBodyStillWork) {
  // A large sphere touched by 200 small ones: more conflicts than there are colours if small ones owned the
  // contacts.
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.add_sphere(1.0, Vec3::Zero());
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const double z = 1.0 - 2.0 * (i + 0.5) / 200, a = 2.399963 * i, s = std::sqrt(1 - z * z);
    const Vec3 d(s * std::cos(a), s * std::sin(a), z);
    world.add_sphere(0.05, 1.05 * d, {-0.1 * d, Vec3::Zero()});
  }
  const StepReport report = world.step();
  EXPECT_EQ(report.active_contacts, 200);
  EXPECT_LT(report.residual_rms_m_s, 1e-6);
  EXPECT_LT(report.momentum_error_relative, 1e-14);
}

TEST(PerBody, SolvesAHeapToRounding) {
  ContactProblem p = heap_problem();
  SolverSettings settings;
  settings.tolerance = 1e-11;
  settings.max_sweeps = 20000;
  SolverWorkspace workspace;
  ContactSolution solution;
  const SolveReport report = solve(p, settings, workspace, solution);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.residual.rms_m_s, 1e-11 * p.velocity_scale);
  // (S3) and (S4) in plain words.
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const Vec3 u = p.frame[c] * relative_velocity(p, c, solution.velocity);
    const Vec3& impulse = solution.impulse[c];
    EXPECT_GE(impulse[0], 0.0);
    EXPECT_GT(u[0] + p.offset[c], -1e-9);
    EXPECT_LT(impulse[0] * (u[0] + p.offset[c]), 1e-9);
    EXPECT_LE(impulse.tail<2>().norm(), p.friction[c] * impulse[0] * (1 + 1e-12));
    if (u.tail<2>().norm() > 1e-6 && impulse[0] > 1e-6) {  // sliding: at the bound, against the motion
      EXPECT_NEAR(impulse.tail<2>().norm(), p.friction[c] * impulse[0], 1e-6 * impulse[0]);
      EXPECT_LT(impulse.tail<2>().normalized().dot(u.tail<2>().normalized()), -1.0 + 1e-5);
    }
  }
}

TEST(PerBody, ResidualIsZeroOnlyAtASolution) {
  ContactProblem p = heap_problem();
  SolverSettings settings;
  SolverWorkspace workspace;
  ContactSolution solution;
  settings.tolerance = 1e-11;
  settings.max_sweeps = 20000;
  const SolveReport exact = solve(p, settings, workspace, solution);
  ContactSolution wrong = solution;
  wrong.impulse[0][0] += 0.1;
  EXPECT_GT(residual(p, wrong.velocity, wrong.impulse, wrong.torque_impulse).max_m_s,
            1e6 * exact.residual.max_m_s);
}

TEST(Solve, ReportsWhatIsNotFinite) {
  ContactProblem p = heap_problem();
  p.free_velocity[0].linear[0] = std::nan("");
  SolverSettings settings;
  SolverWorkspace workspace;
  ContactSolution solution;
  bool touched = false;
  for (std::size_t c = 0; c < p.contacts(); ++c) touched |= p.body_a[c] == 0 || p.body_b[c] == 0;
  ASSERT_TRUE(touched);
  EXPECT_EQ(solve(p, settings, workspace, solution).status, SolveStatus::diverged);
  for (const Vec3& impulse : solution.impulse) EXPECT_TRUE(impulse.isZero());
}

TEST(PositionCorrection, ShrinksAnOverlapWithoutMomentum) {
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.add_sphere(0.1, Vec3(0, 0, 0));
  world.add_sphere(0.1, Vec3(0.199, 0, 0));  // shallow: the fastest correction is not reached
  const auto depth = [&] {
    return 0.2 - (world.state.bodies.position[1] - world.state.bodies.position[0]).norm();
  };
  const double slop = world.model.settings.solver.correction_slop * 0.1;
  double last = depth();
  for (int i = 0; i < 100; ++i) {
    const StepReport report = world.step();
    EXPECT_EQ(report.energy.kinetic, 0.0);
    const double now = depth();
    EXPECT_NEAR(now - slop, 0.8 * (last - slop), 1e-12);  // correction_fraction 0.2 of what exceeds the slop
    last = now;
  }
  EXPECT_NEAR(last, slop, 1e-10);
}

TEST(PositionCorrection, PushesNoNeighbourDeeper) {
  // A row of three against a wall: the overlap of the outer pair must not drive the inner one into the wall.
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.model.settings.solver.correction_sweeps = 200;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  world.add_sphere(0.1, Vec3(0, 0, 0.3));
  world.add_sphere(0.1, Vec3(0, 0, 0.49));
  const double slop = world.model.settings.solver.correction_slop * 0.1;
  for (int i = 0; i < 100; ++i) (void)world.step();
  EXPECT_GT(world.state.bodies.position[0][2], 0.1 - 1.001 * slop);
  EXPECT_GT(world.state.bodies.position[1][2] - world.state.bodies.position[0][2], 0.2 - 1.001 * slop);
  EXPECT_NEAR(world.state.bodies.position[2][2] - world.state.bodies.position[1][2], 0.2 - slop, 1e-6);
}

}  // namespace
}  // namespace scree
