// Sweeps over batches of eight contacts against the double-precision path and against what they must keep.
#include <atomic>
#include <gtest/gtest.h>
#include <set>

#include "engine/core/parallel.h"
#include "engine/core/vector8.h"
#include "engine/solver/problem/contact_response.h"
#include "engine/solver/sweeps/batches.h"
#include "tests/support/surrounded_sphere.h"

namespace scree {
namespace {

using test::World;

PairLaw sticky() {
  PairLaw law;
  law.friction = 0.5;
  law.torsional_friction_m = 2e-3;
  law.rolling_friction_m = 3e-3;
  return law;
}

/// The contact problem of a settling heap, complete.
ContactProblem heap_problem(const PairLaw& law, int per_side = 6) {
  World world = test::loose_heap(per_side, per_side, law, 2e-3, 9);
  world.model.settings.solver = SolverSettings{};
  world.run(0.5);
  world.workspace.problem.complete();
  return world.workspace.problem;
}

struct Solved {
  SolveReport report;
  ContactSolution solution;
};
Solved solve_to(const ContactProblem& p, double tolerance, int max_sweeps = 5000) {
  SolverSettings settings;
  settings.tolerance = tolerance;
  settings.max_sweeps = max_sweeps;
  SolverWorkspace workspace;
  Solved s;
  s.report = solve(p, settings, workspace, s.solution);
  return s;
}

Residual residual_of(const ContactProblem& p, const ContactSolution& s) {
  return residual(p, s.velocity, s.impulse, s.row_impulse);
}

/// What is said of a solution in single precision holds for the one that is returned in double.
void expect_honest(const ContactProblem& p, const Solved& s) {
  const Residual exact = residual_of(p, s.solution);
  EXPECT_NEAR(s.report.residual.rms_m_s, exact.rms_m_s, 0.01 * exact.rms_m_s + 3e-6 * p.velocity_scale);
  EXPECT_NEAR(s.report.residual.max_m_s, exact.max_m_s, 0.01 * exact.max_m_s + 1e-4 * p.velocity_scale);
}

TEST(WideSweeps, ReportTheResidualOfWhatTheyReturn) {
  for (const PairLaw& law : {PairLaw{}, sticky()}) {
    const ContactProblem p = heap_problem(law);
    ASSERT_GT(p.contacts(), 400u);
    EXPECT_EQ(p.contact_rows > 0, law.rolling_friction_m > 0.0);
    for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4}) {
      const Solved s = solve_to(p, tolerance);
      expect_honest(p, s);
      EXPECT_EQ(s.report.status, SolveStatus::converged);
    }
    const Solved early = solve_to(p, 1e-4, 7);
    expect_honest(p, early);
    EXPECT_EQ(early.report.status, SolveStatus::iteration_limit);
    EXPECT_EQ(early.report.sweeps, 7);
  }
}

TEST(WideSweeps, EndWhereSweepsInDoubleEnd) {
  // The same velocities: impulses of a heap are not unique, velocities nearly so; where contacts resist
  // torques solvers in double precision end up to 7e-3 apart, at residuals of 1e-6.
  for (const PairLaw& law : {PairLaw{}, sticky()}) {
    const ContactProblem p = heap_problem(law);
    const Solved wide = solve_to(p, 1e-4, 20000), exact = solve_to(p, 1e-5, 20000);
    EXPECT_EQ(wide.report.status, SolveStatus::converged);
    EXPECT_EQ(exact.report.status, SolveStatus::converged);
    double squares = 0.0;
    for (std::size_t i = 0; i < p.bodies(); ++i)
      squares += (to_vec3(wide.solution.velocity[i].linear) - to_vec3(exact.solution.velocity[i].linear))
                     .squaredNorm();
    const double apart = p.contact_rows > 0 ? 1e-2 : 1e-3;
    EXPECT_LT(std::sqrt(squares / static_cast<double>(p.bodies())), apart * p.velocity_scale);
  }
}

TEST(WideSweeps, ImpulsesAreAdmissibleAndVelocitiesBelongToThem) {
  const ContactProblem p = heap_problem(sticky());
  Solved s = solve_to(p, 1e-3);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const Vec3& impulse = s.solution.impulse[c];
    EXPECT_GE(impulse[0], 0.0);
    EXPECT_LE(impulse.tail<2>().norm(), p.friction(c) * impulse[0] * (1 + 1e-15));
  }
  const std::vector<BodyVelocity> velocity = s.solution.velocity;
  velocities_from_impulses(p, s.solution);
  for (std::size_t i = 0; i < p.bodies(); ++i) {
    EXPECT_LT((to_vec3(velocity[i].linear) - to_vec3(s.solution.velocity[i].linear)).norm(), 1e-14);
    EXPECT_LT((to_vec3(velocity[i].angular) - to_vec3(s.solution.velocity[i].angular)).norm(), 1e-12);
  }
}

TEST(WideSweeps, SameBitsOnAnyNumberOfThreads) {
  const ContactProblem p = heap_problem(sticky(), 8);
  ASSERT_GT(p.contacts(), 1000u);
  set_thread_count(1);
  const Solved one = solve_to(p, 1e-3);
  for (const int threads : {2, 3, 4, 8}) {
    set_thread_count(threads);
    const Solved many = solve_to(p, 1e-3);
    EXPECT_EQ(one.report.sweeps, many.report.sweeps);
    EXPECT_EQ(one.report.residual.rms_m_s, many.report.residual.rms_m_s);
    for (std::size_t c = 0; c < p.contacts(); ++c)
      ASSERT_EQ(one.solution.impulse[c], many.solution.impulse[c]) << threads << " threads";
  }
  set_thread_count(0);
}

TEST(WideSweeps, AnisotropicFriction) {
  ContactProblem p = heap_problem({});
  for (std::size_t c = 0; c < p.contacts(); ++c)
    p.contact[c].tangent_ratio = 0.3f + 0.175f * static_cast<float>(c % 5);
  p.complete();
  expect_honest(p, solve_to(p, 1e-3));
}

TEST(WideSweeps, RowsOfNoContactAreSolvedAmongThem) {
  // Neighbours in a heap, tied along the line between their centres.
  ContactProblem p = heap_problem({});
  std::set<std::int32_t> tied;
  for (std::size_t c = 0; c < p.contacts() && p.rows.size() < 20; ++c) {
    const Edge edge = p.edge[c];
    if (!p.is_moved(p.b(c)) || !tied.insert(edge.a).second) continue;
    Row row;
    row.edge = edge;
    row.linear = p.normal(c);
    p.rows.push_back(row);
  }
  p.complete();
  ASSERT_EQ(p.rows.size(), 20u);
  const Solved s = solve_to(p, 1e-3);
  EXPECT_EQ(s.report.status, SolveStatus::converged);
  for (const Row& row : p.rows)
    EXPECT_LT(std::abs(velocity_of(row, s.solution.velocity)), 20e-3 * p.velocity_scale);
  const Residual exact = residual_of(p, s.solution);
  EXPECT_NEAR(s.report.residual.rms_m_s, exact.rms_m_s, 0.02 * exact.rms_m_s);
}

TEST(WideSweeps, BodiesOfMoreContactsThanThereAreColours) {
  World world({}, 1e-3);
  world.model.settings.solver = SolverSettings{};
  world.model.settings.solver.tolerance = 1e-5;
  world.model.settings.solver.max_sweeps = 2000;
  test::add_surrounded_sphere(world);
  const StepReport report = world.step();
  EXPECT_EQ(report.active_contacts, 200);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.momentum_error_relative, 1e-14);
}

TEST(Batches, EveryContactIsInOneLaneAndPhasesShareNoBody) {
  const ContactProblem p = heap_problem(sticky());
  Batches b;
  make_batches(p, b);
  std::vector<int> seen(p.contacts(), 0);
  for (const BatchPhase& phase : b.phase) {
    std::set<std::int32_t> bodies;
    for (std::size_t k = phase.begin; k < phase.end; ++k) {
      for (std::size_t l = 0; l < batch_size; ++l) {
        EXPECT_TRUE(bodies.insert(b.contact[k].a[l]).second);  // empty lanes have rows of their own
        if (b.contact[k].b[l] != b.contact[k].a[l]) {
          EXPECT_TRUE(bodies.insert(b.contact[k].b[l]).second);
        }
        if (const std::int32_t c = b.lane[batch_size * k + l]; c >= 0) ++seen[static_cast<std::size_t>(c)];
      }
    }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(Vector8, GatherTurnsRowsAndScatterTurnsThemBack) {
  std::vector<Lanes> rows(11), out(11);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < 8; ++k) rows[i].at[k] = static_cast<float>(10 * i + k);
  const std::int32_t index[8] = {3, 0, 10, 7, 1, 9, 4, 6};
  Vector8 turned[8];
  gather(rows.data(), index, turned);
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t l = 0; l < 8; ++l)
      EXPECT_EQ(turned[k][l], static_cast<float>(10 * index[l]) + static_cast<float>(k));
  scatter(turned, index, out.data());
  for (const std::int32_t i : index)
    for (std::size_t k = 0; k < 8; ++k)
      EXPECT_EQ(out[static_cast<std::size_t>(i)].at[k], rows[static_cast<std::size_t>(i)].at[k]);
}

TEST(Team, DoesEveryChunkOnceInManyShortLoops) {
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    Team team(threads);
    std::vector<std::atomic<int>> times(100);
    for (int loop = 0; loop < 2000; ++loop) {
      const std::size_t chunks = static_cast<std::size_t>(loop) % times.size();
      team.run(chunks, [&](std::size_t k) { ++times[k]; });
      // Nobody is still at it when run() returns.
      int sum = 0;
      for (auto& t : times) sum += t.exchange(0);
      ASSERT_EQ(sum, static_cast<int>(chunks)) << threads << " threads, loop " << loop;
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace scree
