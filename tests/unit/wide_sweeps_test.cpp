// Sweeps over batches of contacts against the double-precision path, and their invariants.
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

/// The reported values of a solution in single precision hold for the returned one in double precision.
void expect_honest(const ContactProblem& p, const Solved& s) {
  const Residual exact = residual_of(p, s.solution);
  EXPECT_NEAR(s.report.residual.rms_m_s, exact.rms_m_s, 0.01 * exact.rms_m_s + 3e-6 * p.velocity_scale);
  EXPECT_NEAR(s.report.residual.max_m_s, exact.max_m_s, 0.01 * exact.max_m_s + 1e-4 * p.velocity_scale);
}

TEST(WideSweeps, ReportTheResidualOfTheReturnedSolution) {
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

TEST(WideSweeps, ConvergeToTheVelocitiesOfDoublePrecision) {
  // The same velocities: impulses of a heap are not unique, velocities nearly. If contacts resist torques,
  // solvers in double precision differ by up to 7e-3, at residuals of 1e-6.
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

TEST(WideSweeps, EmptyProblemConverges) {
  const ContactProblem p;
  SolverWorkspace w;
  ContactSolution s;
  const SolveReport report = solve(p, SolverSettings{}, w, s);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.residual.max_m_s, 0.0);
  EXPECT_EQ(w.batches.subdomain.size(), 1u);
}

TEST(WideSweeps, AnisotropicFriction) {
  ContactProblem p = heap_problem({});
  for (std::size_t c = 0; c < p.contacts(); ++c)
    p.contact[c].tangent_ratio = 0.3f + 0.175f * static_cast<float>(c % 5);
  p.complete();
  expect_honest(p, solve_to(p, 1e-3));
}

TEST(WideSweeps, NonContactRowsAreSolvedWithContacts) {
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

TEST(WideSweeps, SolveBodyWithMoreContactsThanColours) {
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

/// Adds the bodies of a batch, including rows of empty lanes, to `bodies`.
void add_bodies(const Batches& b, std::size_t k, std::multiset<std::uint32_t>& bodies) {
  for (std::size_t l = 0; l < batch_size; ++l) {
    bodies.insert(b.contact[k].a[l]);
    if (b.contact[k].b[l] != b.contact[k].a[l]) bodies.insert(b.contact[k].b[l]);
  }
}
void expect_each_once(const std::multiset<std::uint32_t>& bodies) {
  EXPECT_EQ((std::set<std::uint32_t>(bodies.begin(), bodies.end()).size()), bodies.size());
}

TEST(Batches, EveryContactIsInOneLaneAndBatchesShareNoBody) {
  for (const int per_side : {6, 12}) {
    const ContactProblem p = heap_problem(sticky(), per_side);
    Batches b;
    make_batches(p, true, std::vector<BodyVelocity>(p.bodies()), b);
    EXPECT_EQ(b.subdomain.size() > 1, per_side == 12) << p.contacts();
    std::vector<int> seen(p.contacts(), 0);
    for (std::size_t k = 0; k < b.contact.size(); ++k) {
      std::multiset<std::uint32_t> bodies;
      add_bodies(b, k, bodies);
      expect_each_once(bodies);
      for (std::size_t l = 0; l < batch_size; ++l) {
        const std::int32_t c = b.lane[batch_size * k + l];
        if (c < 0) continue;
        ++seen[c];
        EXPECT_EQ(b.contact[k].a[l], row_bytes(p.a(static_cast<std::size_t>(c))));
        EXPECT_EQ(b.contact[k].b[l], row_bytes(p.b(static_cast<std::size_t>(c))));
      }
    }
    for (const int count : seen) EXPECT_EQ(count, 1);
    std::size_t batches = 0;
    std::multiset<std::uint32_t> of_subdomains;
    for (const BatchRange& range : b.subdomain) {
      EXPECT_EQ(range.begin, batches);
      std::multiset<std::uint32_t> bodies;
      for (; batches < range.end; ++batches) add_bodies(b, batches, bodies);
      const std::set<std::uint32_t> once(bodies.begin(), bodies.end());
      of_subdomains.insert(once.begin(), once.end());
    }
    expect_each_once(of_subdomains);
    for (const BatchPhase& phase : b.phases()) {
      EXPECT_EQ(phase.begin, batches);
      std::multiset<std::uint32_t> bodies;
      for (; batches < phase.end; ++batches) add_bodies(b, batches, bodies);
      if (!phase.serial) expect_each_once(bodies);
    }
    EXPECT_EQ(batches, b.contact.size());
    if (per_side == 12) {  // a plane through 12 x 12 x 12 grains cuts few of their contacts
      EXPECT_LT(batches - b.subdomain.back().end, b.contact.size() / 4);
    }
  }
}

TEST(Batches, EveryMovableBodyBelongsToOneSubdomainOrIsPartner) {
  for (const int per_side : {6, 12}) {
    ContactProblem p = heap_problem({}, per_side);
    // A body that is only a partner, such as the floor, may be a part.
    ASSERT_FALSE(p.is_moved(p.bodies() - 1));
    p.response.back().inverse_mass = 1.0;
    Batches b;
    make_batches(p, true, std::vector<BodyVelocity>(p.bodies()), b);
    std::vector<int> times(p.bodies(), 0);
    for (const Subdomain& subdomain : b.subdomain) {
      for (std::size_t i = subdomain.first_body; i < subdomain.end_body; ++i) ++times[i];
      for (std::size_t k = batch_size * subdomain.begin; k < batch_size * subdomain.end; ++k) {
        if (b.lane[k] < 0) continue;
        const Edge& edge = p.edge[b.lane[k]];
        for (const auto i : {static_cast<std::size_t>(edge.a), static_cast<std::size_t>(edge.b)}) {
          const bool is_own = i >= subdomain.first_body && i < subdomain.end_body;
          EXPECT_TRUE(is_own || i >= b.subdomain.back().end_body) << i;
        }
      }
    }
    for (const std::size_t i : b.partner) ++times[i];
    for (std::size_t i = 0; i < p.bodies(); ++i) {
      EXPECT_LE(times[i], 1) << i;
      EXPECT_TRUE(times[i] == 1 || !p.is_moved(i)) << i;
    }
    EXPECT_EQ(b.partner.empty(), per_side == 6);  // one subdomain contains all
  }
}

TEST(WideSweeps, SameBitsInRegistersOfEightAndSixteen) {
  if (!have_sixteen_lanes()) GTEST_SKIP() << "a processor without AVX-512";
  for (const PairLaw& law : {PairLaw{}, sticky()}) {
    const ContactProblem p = heap_problem(law, 10);
    SolverSettings settings;
    SolverWorkspace eight, sixteen;
    eight.batches.use_sixteen_lanes = false;
    ContactSolution of_eight, of_sixteen;
    const SolveReport a = solve(p, settings, eight, of_eight), b = solve(p, settings, sixteen, of_sixteen);
    EXPECT_EQ(a.sweeps, b.sweeps);
    EXPECT_EQ(a.residual.rms_m_s, b.residual.rms_m_s);
    EXPECT_EQ(a.residual.max_m_s, b.residual.max_m_s);
    for (std::size_t c = 0; c < p.contacts(); ++c) ASSERT_EQ(of_eight.impulse[c], of_sixteen.impulse[c]);
    ASSERT_EQ(of_eight.row_impulse, of_sixteen.row_impulse);
    for (std::size_t i = 0; i < p.bodies(); ++i)
      ASSERT_EQ(to_vec3(of_eight.velocity[i].angular), to_vec3(of_sixteen.velocity[i].angular));
  }
}

template <class Vector>
void expect_turned_there_and_back() {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);
  std::vector<Lanes> rows(2 * lanes), out(2 * lanes);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < 8; ++k) rows[i].at[k] = static_cast<float>(10 * i + k);
  std::uint32_t bytes[lanes];
  const auto row_of = [](std::size_t lane) { return (5 * lane + 3) % (2 * lanes); };
  for (std::size_t l = 0; l < lanes; ++l) bytes[l] = row_bytes(row_of(l));
  alignas(sizeof(Vector)) Vector turned[8];
  gather(rows.data(), bytes, turned);
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t l = 0; l < lanes; ++l) EXPECT_EQ(turned[k][l], static_cast<float>(10 * row_of(l) + k));
  Vector8 in_registers[lanes];
  for (std::size_t l = 0; l < lanes; ++l) in_registers[l] = load(rows[row_of(l)]);
  alignas(sizeof(Vector)) Vector as_well[8];
  turn(in_registers, as_well);
  EXPECT_EQ(std::memcmp(as_well, turned, sizeof turned), 0);
  scatter(turned, bytes, out.data());
  for (std::size_t l = 0; l < lanes; ++l)
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(out[row_of(l)].at[k], rows[row_of(l)].at[k]);
}

TEST(VectorLanes, GatherTransposesRowsAndScatterTransposesBack) {
  expect_turned_there_and_back<Vector8>();
  expect_turned_there_and_back<Vector16>();
}

TEST(Team, DoesEveryChunkOnceInManyShortLoops) {
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    Team team(threads);
    std::vector<std::atomic<int>> times(100);
    for (int loop = 0; loop < 2000; ++loop) {
      const std::size_t chunks = static_cast<std::size_t>(loop) % times.size();
      team.run(chunks, [&](std::size_t k) { ++times[k]; });
      // No thread is still working when run() returns.
      int sum = 0;
      for (auto& t : times) sum += t.exchange(0);
      ASSERT_EQ(sum, static_cast<int>(chunks)) << threads << " threads, loop " << loop;
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace scree
