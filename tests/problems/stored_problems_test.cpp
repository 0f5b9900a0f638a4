// Contact problems from simulations of other programs, solved down to rounding.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "io/problems/problem_file.h"
#include "tests/support/world.h"

namespace scree {
namespace {

const std::filesystem::path folder = std::filesystem::path(SCREE_SOURCE_DIR) / "tests/data/friction_contact";

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".dat") list.push_back(entry.path().filename().string());
  }
  std::sort(list.begin(), list.end());
  return list;
}

DelassusProblem load(const std::string& name) {
  return std::get<DelassusProblem>(io::read_problem(folder / name).problem);
}

/// Signorini's and Coulomb's laws directly; each violation is a velocity or an impulse over the problem's
/// own.
void expect_coulomb(const DelassusProblem& p, const DelassusSolution& s, double tolerance) {
  double impulse = 0.0;
  for (const Vec3& r : s.impulse) impulse = std::max(impulse, r.norm());
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const Vec3& r = s.impulse[c];
    const Vec3 u = contact_velocity(p, c, s.impulse);
    EXPECT_LT((u - s.velocity[c]).norm(), 1e-9 * p.velocity_scale);
    EXPECT_GE(r[0], 0.0);
    EXPECT_GT(u[0], -tolerance * p.velocity_scale);
    EXPECT_LE(r.tail<2>().norm(), p.friction[c] * r[0] * (1.0 + 1e-12) + 1e-15 * impulse);
    // Complementarity and maximum dissipation, as the missing power of either law.
    const double slide = u.tail<2>().norm();
    EXPECT_LT(std::abs(r[0] * u[0]), tolerance * impulse * p.velocity_scale);
    EXPECT_LT(std::abs(p.friction[c] * r[0] * slide + r.tail<2>().dot(u.tail<2>())),
              tolerance * impulse * p.velocity_scale);
  }
}

class StoredProblem : public ::testing::TestWithParam<std::string> {};

TEST_P(StoredProblem, AdmmConvergesToRounding) {
  const DelassusProblem p = load(GetParam());
  SolverSettings settings;
  settings.kind = SolverKind::admm;
  settings.tolerance = 1e-9;
  settings.max_sweeps = 2000;
  DelassusSolution s;
  const SolveReport report = solve(p, settings, s);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.residual.rms_m_s, 1e-8 * p.velocity_scale);
  EXPECT_LT(collection_error(p, s), 1e-8);
  expect_coulomb(p, s, 1e-6);
}

TEST_P(StoredProblem, PerBodyReachesOneInTenThousand) {
  const DelassusProblem p = load(GetParam());
  SolverSettings settings;
  settings.kind = SolverKind::gauss_seidel;
  settings.tolerance = 1e-4;
  settings.max_sweeps = 1000;
  DelassusSolution s;
  const SolveReport report = solve(p, settings, s);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(collection_error(p, s), 1e-4);
}

TEST_P(StoredProblem, ConvergesWithOtherFrictionAndLoads) {
  // Similar problems without special tuning: coefficients from ice to rubber, other loads. Loads change by W
  // times random impulses, as forces on the bodies would change them. With arbitrary q most of these
  // statically indeterminate problems have no solution: impulses grow without limit, in every solver.
  const DelassusProblem stored = load(GetParam());
  Random random(7);
  for (const double factor : {0.1, 0.5, 1.2}) {
    DelassusProblem p = stored;
    std::vector<Vec3> push;
    for (std::size_t c = 0; c < p.contacts(); ++c)
      push.push_back(0.1 * p.velocity_scale / p.own_block(c).trace() * random.direction());
    for (std::size_t c = 0; c < p.contacts(); ++c) {
      p.friction[c] *= factor * random.uniform(0.8, 1.2);
      p.q[c] = contact_velocity(stored, c, push);
    }
    SolverSettings settings;
    settings.kind = SolverKind::admm;
    settings.tolerance = 1e-7;
    settings.max_sweeps = 2000;
    DelassusSolution s;
    const SolveReport report = solve(p, settings, s);
    EXPECT_EQ(report.status, SolveStatus::converged)
        << factor << " " << report.residual.rms_m_s / p.velocity_scale;
  }
}

INSTANTIATE_TEST_SUITE_P(Collection, StoredProblem, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param.substr(0, test.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(StoredProblems, SolversAgreeWhereTheSolutionIsUnique) {
  const DelassusProblem p = load("NESpheres_10_1.dat");  // W is regular
  SolverSettings settings;
  settings.tolerance = 1e-12;
  settings.max_sweeps = 5000;
  std::vector<DelassusSolution> solutions;
  for (const SolverKind kind : {SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm}) {
    settings.kind = kind;
    solutions.emplace_back();
    EXPECT_EQ(solve(p, settings, solutions.back()).status, SolveStatus::converged) << to_string(kind);
  }
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    EXPECT_LT((solutions[1].impulse[c] - solutions[0].impulse[c]).norm(), 1e-10);
    EXPECT_LT((solutions[2].impulse[c] - solutions[0].impulse[c]).norm(), 1e-10);
  }
}

/// The contact problem of a heap at rest.
ContactProblem heap_at_rest() {
  test::World world = test::loose_heap(5, 5, {}, 2e-3, 9);
  world.model.settings.solver = SolverSettings{};
  world.run(3.0);
  world.workspace.problem.complete();
  return world.workspace.problem;
}

TEST(DelassusForm, HasTheContactVelocitiesOfTheBodyForm) {
  const ContactProblem bodies = heap_at_rest();
  const DelassusProblem p = delassus_problem(bodies);
  // W p + q against the velocities of the bodies, for any impulses.
  Random random(3);
  ContactSolution s;
  s.resize(bodies);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    s.impulse[c] = random.uniform() * random.direction();
  }
  velocities_from_impulses(bodies, s);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    Vec3 u = bodies.frame(c) * relative_velocity(bodies, c, s.velocity);
    u[0] += bodies.offset(c);
    EXPECT_LT((contact_velocity(p, c, s.impulse) - u).norm(), 1e-12);
    EXPECT_LT((p.own_block(c) - bodies.delassus[c]).norm(), 1e-12 * bodies.delassus[c].norm());
  }
}

TEST(HeapAtRest, ConvergesWithoutWarmStartInBothForms) {
  const ContactProblem bodies = heap_at_rest();
  SolverSettings settings;
  settings.kind = SolverKind::admm;
  settings.tolerance = 1e-5;  // of g h: 2e-7 m/s
  settings.max_sweeps =
      5000;  // 3e-7 m/s is reached after 300 sweeps; the rest takes Newton steps at some contacts
  settings.warm_start = false;
  SolverWorkspace workspace;
  ContactSolution with_bodies;
  EXPECT_EQ(solve(bodies, settings, workspace, with_bodies).status, SolveStatus::converged);
  DelassusSolution without;
  const DelassusProblem p = delassus_problem(bodies);
  EXPECT_EQ(solve(p, settings, without).status, SolveStatus::converged);
  // There are more contacts than equations, so impulses differ. Velocities do not differ, except for contacts
  // that are about to slip.
  expect_coulomb(p, without, 1e-3);
}

TEST(HeapAtRest, WarmStartedSolveConvergesWithinDocumentedSweeps) {
  // 1e-2 within 10 warm sweeps, 1e-3 within 50.
  const ContactProblem bodies = heap_at_rest();
  for (const auto& [tolerance, sweeps] : {std::pair(1e-2, 10), std::pair(1e-3, 50)}) {
    SolverSettings settings;
    settings.tolerance = tolerance;
    settings.max_sweeps = sweeps;
    SolverWorkspace workspace;
    ContactSolution s;
    EXPECT_EQ(solve(bodies, settings, workspace, s).status, SolveStatus::converged);
  }
}

}  // namespace
}  // namespace scree
