#include "engine/solver/solver.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/solver/sweeps/local_contact.h"
#include "engine/solver/sweeps/local_cone.h"
#include "tests/support/surrounded_sphere.h"

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

// The cone without friction is a line, and all behind it belongs to its apex: a contact does not pull.
TEST(ProjectOnCone, WithoutFrictionIsTheNormalPart) {
  for (const double n : {-1.0, -1e-300, -0.0, 0.0, 2.0})
    for (const double t : {0.0, 3.0})
      for (const double mu : {0.0, -0.0})
        EXPECT_EQ(project_on_cone({n, t, 0.0}, mu), Vec3(std::max(0.0, n), 0, 0)) << n;
}

// A part that slides along x touches what nothing moves: W is singular, and steps must stay finite and go the
// right way.
TEST(LocalContact, OfRankOneIsFinite) {
  for (const Vec3& d :
       {Vec3(1, 0, 0), Vec3(0.6, 0.8, 0), Vec3(0, 0, 1), Vec3(0.1, 0.2, 0.3), Vec3(0, 0, 0)}) {
    const Mat3 w = d * d.transpose();
    const LocalContact c = local_contact(w, 0.3);
    const Vec3 impulse(1.0, 0.1, -0.1);
    const ImpulseChange change = improve_impulse(c, impulse.data(), -1.0, 0.2, 0.1);
    EXPECT_TRUE(std::isfinite(change.n) && std::isfinite(change.t1) && std::isfinite(change.t2));
    EXPECT_GT(change.n, 0.0);
    EXPECT_LE(std::hypot(impulse[1] + change.t1, impulse[2] + change.t2),
              0.3 * (impulse[0] + change.n) * (1 + 1e-12));
  }
}

/// The contact problem of a settling heap.
ContactProblem heap_problem() {
  World world = test::loose_heap(5, 5, {}, 2e-3, 9);
  world.model.settings.solver.tolerance = 1e-3;
  world.run(0.5);
  world.workspace.problem.complete();
  return world.workspace.problem;
}

TEST(Colouring, UpdatesOfOneColourShareNoBodyAndCoverEveryContactOnce) {
  const ContactProblem p = heap_problem();
  Colouring k;
  colour_blocks(p.edge, {}, p.bodies(), k);
  ASSERT_FALSE(k.last_colour_is_serial);
  std::vector<int> seen(p.contacts(), 0);
  for (std::size_t colour = 0; colour < k.colours(); ++colour) {
    std::set<std::int32_t> touched;
    for (std::int32_t at = k.colour_row[colour]; at < k.colour_row[colour + 1]; ++at) {
      const auto v = static_cast<std::size_t>(k.update[at]);
      std::set<std::int32_t> bodies;
      for (auto c = static_cast<std::size_t>(k.edge_row[v]); c < static_cast<std::size_t>(k.edge_row[v + 1]);
           ++c) {
        ++seen[c];
        bodies.insert(p.edge[c].a);
        bodies.insert(p.edge[c].b);
      }
      for (const std::int32_t body : bodies) EXPECT_TRUE(touched.insert(body).second);
    }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(Colouring, BodyWithMoreContactsThanColoursIsSolved) {
  // A large sphere with contacts to 200 small ones: more conflicts than colours if the small ones owned the
  // contacts.
  World world({}, 1e-3);
  test::add_surrounded_sphere(world);
  const StepReport report = world.step();
  EXPECT_EQ(report.active_contacts, 200);
  EXPECT_LT(report.residual_rms_m_s, 1e-6);
  EXPECT_LT(report.momentum_error_relative, 1e-14);
}

TEST(LocalCone, FulfilsCoulombsLawInEveryCase) {
  Random random(5);
  int apart = 0, sticks = 0, slides = 0;
  for (int i = 0; i < 20000; ++i) {
    Mat3 a;
    for (int k = 0; k < 9; ++k) a(k / 3, k % 3) = random.normal();
    const Mat3 w = a * a.transpose() + 0.1 * Mat3::Identity();
    const Vec3 q = random.direction();
    const double mu = random.uniform();
    const Vec3 p = solve_local_cone(w, q, mu);
    const Vec3 u = w * p + q;
    const double size = 1e-9 * (1.0 + p.norm() * w.norm());
    ASSERT_GE(p[0], 0.0);
    ASSERT_LE(p.tail<2>().norm(), mu * p[0] * (1 + 1e-12));
    ASSERT_GE(u[0], -size) << i;
    ASSERT_LE(std::abs(u[0] * p[0]), size) << i;
    if (p[0] == 0.0) {
      ++apart;
    } else if (u.tail<2>().norm() < size) {
      ++sticks;
    } else {
      ++slides;
      ASSERT_NEAR(p.tail<2>().norm(), mu * p[0], size) << i;
      ASSERT_NEAR(p.tail<2>().dot(u.tail<2>()), -p.tail<2>().norm() * u.tail<2>().norm(), size) << i;
    }
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(sticks, 1000);
  EXPECT_GT(slides, 1000);
}

TEST(PainlevesRod, IsSolvedOnBothSidesOfTheParadox) {
  // A rod at the angle t to the floor slides with its lower end ahead. Beyond mu = (tan t + 4 / tan t) / 3,
  // at least 4/3 at tan t = 2, no force holds it: a normal impulse under full friction presses the end
  // further into the floor. The contact problem of a step keeps a solution: the impulse that stops the slip.
  const double m = 1.0, half = 0.5, inertia = m * half * half / 3.0;
  for (const double tangent : {1.0, 2.0, 3.0}) {
    const double t = std::atan(tangent), threshold = (tangent + 4.0 / tangent) / 3.0;
    const Vec3 arm(half * std::cos(t), 0.0, -half * std::sin(t));
    Mat3 frame;
    frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;  // n = z, slips along x
    const Mat3 w = delassus_share(frame, arm, 1.0 / m, Mat3::Identity() / inertia);
    const auto push_back = [&](double mu) { return w(0, 0) - mu * std::abs(w(0, 1)); };
    EXPECT_NEAR(push_back(threshold), 0.0, 1e-12);
    EXPECT_GE(threshold, 4.0 / 3.0 - 1e-12);
    for (const double mu : {0.9 * threshold, 1.1 * threshold}) {
      EXPECT_EQ(push_back(mu) > 0.0, mu < threshold);
      for (const double slip : {1.0, -1.0}) {
        const Vec3 q(-1e-3, slip, 0.0), p = solve_local_cone(w, q, mu), u = w * p + q;
        EXPECT_GT(p[0], 0.0);
        EXPECT_NEAR(u[0], 0.0, 1e-9);
        EXPECT_LE(p.tail<2>().norm(), mu * p[0] * (1.0 + 1e-12));
        if (p.tail<2>().norm() < mu * p[0] * (1.0 - 1e-9)) {
          EXPECT_NEAR(u[1], 0.0, 1e-9);
        } else {
          EXPECT_LE(p[1] * u[1], 1e-12);
        }
      }
    }
  }
}

class Iterative : public ::testing::TestWithParam<SolverKind> {};

TEST_P(Iterative, SolvesAHeap) {
  // A heap that comes to rest. Coulomb's law directly, contact by contact, at a residual of 1e-4 g h = 2e-6
  // m/s. Many of its contacts creep at the bound of friction, where all first-order solvers are slow.
  World world = test::loose_heap(5, 5, {}, 2e-3, 9);
  world.model.settings.solver.tolerance = 1e-3;
  world.run(4.0);
  world.workspace.problem.complete();
  const ContactProblem& p = world.workspace.problem;
  SolverSettings settings;
  settings.kind = GetParam();
  settings.tolerance = 1e-4;
  settings.max_sweeps = 1000;
  SolverWorkspace workspace;
  ContactSolution solution;
  const SolveReport report = solve(p, settings, workspace, solution);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.residual.rms_m_s, 1e-4 * p.velocity_scale);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const Vec3 u = p.frame(c) * relative_velocity(p, c, solution.velocity);
    const Vec3& impulse = solution.impulse[c];
    EXPECT_GE(impulse[0], 0.0);
    EXPECT_GT(u[0] + p.offset(c), -1e-4);
    EXPECT_LE(impulse[0] * (u[0] + p.offset(c)), 1e-4 * impulse[0]);
    EXPECT_LE(impulse.tail<2>().norm(), p.friction(c) * impulse[0] * (1 + 1e-12));
    if (u.tail<2>().norm() > 1e-3 && impulse[0] > 1e-3) {  // sliding: at the bound, against the motion
      EXPECT_NEAR(impulse.tail<2>().norm(), p.friction(c) * impulse[0], 0.02 * impulse[0]);
      EXPECT_LT(impulse.tail<2>().normalized().dot(u.tail<2>().normalized()), -0.99);
    }
  }
}

TEST_P(Iterative, SettlesAHeapWithExactMomentum) {
  PairLaw law;
  law.torsional_friction_m = 1e-3;
  law.rolling_friction_m = 1e-3;
  World world = test::loose_heap(4, 4, law, 2e-3, 3);
  world.model.settings.solver = SolverSettings{};
  world.model.settings.solver.kind = GetParam();
  double worst = 0.0;
  const StepReport last =
      world.run(2.5, [&](const StepReport& r) { worst = std::max(worst, r.momentum_error_relative); });
  EXPECT_LT(worst, 1e-12);
  EXPECT_LT(last.energy.kinetic / 64, 1e-4);
  EXPECT_LT(last.penetration_max, 0.01);
  EXPECT_LT(last.residual_rms_relative, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Iterative,
                         ::testing::Values(SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm),
                         [](const auto& test) { return to_string(test.param); });

TEST(Residual, DetectsAChangedImpulse) {
  // One sphere on the floor: solved exactly by one update; then its impulse is changed by 1 %, and the
  // residual is the corresponding velocity.
  World world({}, 1e-3);
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  world.step();
  world.workspace.problem.complete();
  const ContactProblem& p = world.workspace.problem;
  ContactSolution solution = world.workspace.solution;
  EXPECT_LT(residual(p, solution.velocity, solution.impulse, solution.row_impulse).rms_m_s, 1e-15);
  const double excess = 0.01 * solution.impulse[0][0];
  solution.impulse[0][0] += excess;
  solution.velocity[0].linear.z += excess * p.inverse_mass(0);
  EXPECT_NEAR(residual(p, solution.velocity, solution.impulse, solution.row_impulse).rms_m_s,
              excess * p.inverse_mass(0), 1e-12);
}

TEST(Solve, ReportsDivergenceForNonFiniteVelocity) {
  ContactProblem p = heap_problem();
  p.free_velocity[0].linear[0] = std::nan("");
  SolverSettings settings;
  SolverWorkspace workspace;
  ContactSolution solution;
  bool touched = false;
  for (std::size_t c = 0; c < p.contacts(); ++c) touched |= p.a(c) == 0 || p.b(c) == 0;
  ASSERT_TRUE(touched);
  EXPECT_EQ(solve(p, settings, workspace, solution).status, SolveStatus::diverged);
  for (const Vec3& impulse : solution.impulse) EXPECT_TRUE(impulse.isZero());
}

TEST(PositionCorrection, ShrinksAnOverlapWithoutMomentum) {
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.add_sphere(0.1, Vec3(0, 0, 0));
  world.add_sphere(0.1, Vec3(0.199, 0, 0));  // shallow: below the fastest correction
  const auto depth = [&] {
    return 0.2 - (world.state.bodies.position[1] - world.state.bodies.position[0]).norm();
  };
  const double slop = world.model.settings.solver.correction_slop * 0.1;
  double last = depth();
  for (int i = 0; i < 100; ++i) {
    const StepReport report = world.step();
    EXPECT_EQ(report.energy.kinetic, 0.0);
    const double now = depth();
    if (last < 1.01 * slop) {  // so close to the slop there is no correction
      EXPECT_EQ(now, last);
    } else {  // correction_fraction 0.2 of the excess over the slop
      EXPECT_NEAR(now - slop, 0.8 * (last - slop), 1e-12);
    }
    last = now;
  }
  EXPECT_NEAR(last, slop, 0.01 * slop);
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
  for (int i = 0; i < 100; ++i) world.step();
  EXPECT_GT(world.state.bodies.position[0][2], 0.1 - 1.001 * slop);
  EXPECT_GT(world.state.bodies.position[1][2] - world.state.bodies.position[0][2], 0.2 - 1.001 * slop);
  EXPECT_NEAR(world.state.bodies.position[2][2] - world.state.bodies.position[1][2], 0.2 - slop, 1e-6);
}

}  // namespace
}  // namespace scree
