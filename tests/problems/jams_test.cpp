// Jammed packings: sweeps do not converge unless contacts give way a little (P5).
#include <cmath>
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/solver/problem/residual.h"
#include "engine/solver/solver.h"
#include "io/problems/problem_file.h"

namespace scree {
namespace {

ContactProblem jammed_bed() {
  ContactProblem p =
      std::get<ContactProblem>(io::read_problem(SCREE_SOURCE_DIR "/tests/data/jams/bed.h5").problem);
  p.time_step_s = 1e-3;
  return p;
}

struct Solved {
  SolveReport report;
  ContactSolution solution;
  SolverWorkspace workspace;
};
Solved solve_wide_to(const ContactProblem& p, double tolerance, bool give_way, bool sixteen_lanes = true) {
  SolverSettings settings;
  settings.tolerance = tolerance;
  settings.give_way = give_way;
  Solved s;
  s.workspace.batches.use_sixteen_lanes = sixteen_lanes;
  s.report = solve(p, settings, s.workspace, s.solution);
  return s;
}

TEST(Jams, SweepsComeToTheGoalWhereContactsGive) {
  const ContactProblem p = jammed_bed();
  const Solved rigid = solve_wide_to(p, 1e-3, false), giving = solve_wide_to(p, 1e-3, true);
  EXPECT_EQ(rigid.report.status, SolveStatus::iteration_limit);
  EXPECT_GT(rigid.report.residual.rms_m_s, 3e-3 * p.velocity_scale);
  EXPECT_EQ(rigid.report.given_rms_m_s, 0.0);
  EXPECT_EQ(giving.report.status, SolveStatus::converged);
  EXPECT_LT(giving.report.sweeps, 300);
  EXPECT_LT(giving.report.given_rms_m_s, 2e-2 * p.velocity_scale);
}

TEST(Jams, GiveNothingWhereSweepsEnd) {
  const ContactProblem p = jammed_bed();
  const Solved rigid = solve_wide_to(p, 3e-2, false), giving = solve_wide_to(p, 3e-2, true);
  EXPECT_EQ(rigid.report.status, SolveStatus::converged);
  EXPECT_EQ(giving.report.given_rms_m_s, 0.0);
  EXPECT_EQ(giving.solution.impulse, rigid.solution.impulse);
}

// An independent sum in double precision: (P5) is the solved equation, and the velocities follow from the
// impulses. The problem without compliance keeps only the solver's residual and the motion of the contacts:
// the natural map follows u with a factor of at most 1 + friction.
TEST(Jams, ReportsTheResidualAndTheCompliance) {
  const ContactProblem p = jammed_bed();
  for (const double tolerance : {1e-3, 2e-4}) {
    const Solved s = solve_wide_to(p, tolerance, true);
    ASSERT_EQ(s.workspace.compliance.size(), p.contacts());
    ContactSolution same = s.solution;
    velocities_from_impulses(p, same);
    for (std::size_t i = 0; i < p.bodies(); ++i)
      EXPECT_LT((twist(same.velocity[i]).linear - twist(s.solution.velocity[i]).linear).norm(),
                1e-12 + 1e-9 * p.velocity_scale);
    const Residual solved = residual(p, s.solution.velocity, s.solution.impulse, s.solution.row_impulse, {},
                                     s.workspace.compliance);
    EXPECT_NEAR(solved.rms_m_s, s.report.residual.rms_m_s, 0.05 * solved.rms_m_s + 3e-6 * p.velocity_scale);
    double squares = 0.0;
    int pressed = 0;
    for (std::size_t c = 0; c < p.contacts(); ++c) {
      if (!(s.solution.impulse[c][0] > 0.0)) continue;
      const ContactCompliance& of = s.workspace.compliance[c];
      squares += of.velocity(s.solution.impulse[c]).squaredNorm();
      ++pressed;
    }
    EXPECT_NEAR(s.report.given_rms_m_s, std::sqrt(squares / pressed), 1e-12);
    const Residual rigid = residual(p, s.solution.velocity, s.solution.impulse, s.solution.row_impulse);
    EXPECT_LT(rigid.rms_m_s, 1.05 * (solved.rms_m_s + 1.5 * s.report.given_rms_m_s));
  }
}

// For any compliance and any load, contacts give way by at most a thousandth of their length per step.
TEST(Jams, NoContactGivesMoreThanAThousandthOfItsLength) {
  ContactProblem p = jammed_bed();
  for (ContactTerms& c : p.contact) c.length *= 1e-3f;
  const Solved s = solve_wide_to(p, 1e-3, true);
  ASSERT_EQ(s.workspace.compliance.size(), p.contacts());
  int capped = 0;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const ContactCompliance& of = s.workspace.compliance[c];
    const double most = 1e-3 * double{p.contact[c].length} / p.time_step_s,
                 gives = of.compliance[0] * of.rest.norm();
    EXPECT_LE(gives, most * (1.0 + 1e-5));
    capped += gives > 0.99 * most ? 1 : 0;
  }
  EXPECT_GT(capped, 100);
}

TEST(Jams, SameBitsOnAnyThreadsAndLanes) {
  const ContactProblem p = jammed_bed();
  set_thread_count(1);
  const Solved one = solve_wide_to(p, 1e-3, true);
  EXPECT_GT(one.report.given_rms_m_s, 0.0);
  for (const int threads : {2, 4}) {
    set_thread_count(threads);
    for (const bool sixteen : {true, false}) {
      const Solved s = solve_wide_to(p, 1e-3, true, sixteen);
      EXPECT_EQ(s.solution.impulse, one.solution.impulse);
      EXPECT_EQ(s.report.given_rms_m_s, one.report.given_rms_m_s);
      EXPECT_EQ(s.report.sweeps, one.report.sweeps);
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace scree
