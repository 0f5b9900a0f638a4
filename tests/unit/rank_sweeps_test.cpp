// Sweeps by several ranks, each with a part of the problem, against those over the whole: the same bits.
#include <gtest/gtest.h>
#include <random>

#include "engine/core/parallel.h"
#include "engine/solver/sweeps/batches.h"
#include "tests/support/emulated_ranks.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::EmulatedRanks;
using test::RankPart;

/// The problem of a settling heap, cut into so many subdomains.
ContactProblem heap_problem(const PairLaw& law, int per_side, std::size_t subdomains) {
  test::World world = test::loose_heap(per_side, per_side, law, 2e-3, 9);
  world.model.settings.solver = SolverSettings{};
  world.model.settings.sort_interval = 50;
  world.run(0.5);
  ContactProblem p = world.workspace.problem;
  const std::size_t n = world.state.bodies.size();
  p.first_body.clear();
  for (std::size_t k = 0; k <= subdomains; ++k)
    p.first_body.push_back(static_cast<std::int32_t>(k * n / subdomains));
  p.contact_block.clear();
  for (const std::int32_t first : p.first_body)
    p.contact_block.push_back(
        static_cast<std::int32_t>(std::ranges::lower_bound(p.edge, first, {}, &Edge::a) - p.edge.begin()));
  return p;
}

std::vector<RankPart> parts_of(const ContactProblem& p, const std::vector<std::size_t>& owner,
                               std::size_t ranks) {
  Batches b;
  make_batches(p, true, std::vector<BodyVelocity>(p.bodies()), b);
  std::vector<RankPart> parts;
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<std::uint8_t> own(owner.size());
    for (std::size_t k = 0; k < owner.size(); ++k) own[k] = owner[k] == r ? 1 : 0;
    parts.push_back(test::part_of(p, b, own));
  }
  return parts;
}

struct Result {
  SolveReport report;
  ContactSolution solution;
  SolverWorkspace workspace;
};

void expect_same_bits(const ContactProblem& p, const SolverSettings& settings,
                      const std::vector<std::size_t>& owner, std::size_t ranks) {
  Result whole;
  whole.report = solve(p, settings, whole.workspace, whole.solution);
  ASSERT_EQ(whole.workspace.batches.subdomain.size(), owner.size());
  ASSERT_GT(whole.report.sweeps, 20);
  EmulatedRanks emulated(parts_of(p, owner, ranks), p.bodies());
  std::vector<Result> results(ranks);
  emulated.run([&](std::size_t r) {
    results[r].report = solve(emulated.part[r].problem, settings, results[r].workspace, results[r].solution);
  });
  // Once a sweep, and for residuals, of which there is one in three sweeps at most.
  EXPECT_GE(emulated.exchanges_of_rows, whole.report.sweeps);
  EXPECT_LE(emulated.exchanges_of_rows, whole.report.sweeps + whole.report.sweeps / 3 + 2);
  std::size_t contacts = 0, visits = 0;
  std::vector<int> seen(p.bodies(), 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    const RankPart& part = emulated.part[r];
    const Result& result = results[r];
    EXPECT_EQ(result.report.sweeps, whole.report.sweeps);
    EXPECT_EQ(result.report.status, whole.report.status);
    EXPECT_EQ(result.report.residual.rms_m_s, whole.report.residual.rms_m_s);
    EXPECT_EQ(result.report.residual.max_m_s, whole.report.residual.max_m_s);
    EXPECT_EQ(result.report.residual.active, whole.report.residual.active);
    contacts += part.own_contacts;
    visits += part.contact.size();
    for (std::size_t i = 0; i < part.body.size(); ++i) {
      const auto of_whole = static_cast<std::size_t>(part.body[i]);
      if (part.is_own[i] != 0) ++seen[of_whole];
      EXPECT_EQ(to_vec3(result.solution.velocity[i].linear),
                to_vec3(whole.solution.velocity[of_whole].linear));
      EXPECT_EQ(to_vec3(result.solution.velocity[i].angular),
                to_vec3(whole.solution.velocity[of_whole].angular));
    }
    for (std::size_t c = 0; c < part.contact.size(); ++c)
      ASSERT_EQ(result.solution.impulse[c], whole.solution.impulse[part.contact[c]]) << ranks << " ranks";
  }
  EXPECT_EQ(contacts, p.contacts());
  EXPECT_GT(visits, contacts);
  for (std::int32_t i = 0; i < p.first_body.back(); ++i) EXPECT_EQ(seen[i], 1);
}

SolverSettings sixty_sweeps() {
  SolverSettings settings;
  settings.tolerance = 5e-5;
  settings.max_sweeps = 60;  // fewer than those after which late contacts are gathered
  return settings;
}

PairLaw rolling() {
  PairLaw law;
  law.friction = 0.5;
  law.torsional_friction_m = 2e-3;
  law.rolling_friction_m = 3e-3;
  return law;
}

class RankSweeps : public testing::Test {
 protected:
  void SetUp() override { set_thread_count(1); }
  void TearDown() override { set_thread_count(0); }
};

TEST_F(RankSweeps, SameBitsOnAnyNumberOfRanks) {
  PairLaw friction;
  friction.friction = 0.5;
  for (const PairLaw& law : {friction, rolling()}) {
    const ContactProblem p = heap_problem(law, 10, 24);
    for (const std::size_t ranks : {1u, 2u, 3u, 5u, 24u}) {
      std::vector<std::size_t> owner(24);
      for (std::size_t k = 0; k < owner.size(); ++k) owner[k] = k * ranks / owner.size();
      if (ranks > 1) expect_same_bits(p, sixty_sweeps(), owner, ranks);
    }
  }
}

TEST_F(RankSweeps, SameBitsWhoeverOwnsWhat) {
  const ContactProblem p = heap_problem({}, 10, 24);
  std::mt19937 random(5);
  for (int times = 0; times < 3; ++times) {
    std::vector<std::size_t> owner(24);
    for (std::size_t& of : owner) of = random() % 4;
    expect_same_bits(p, sixty_sweeps(), owner, 4);
  }
}

TEST_F(RankSweeps, PositionCorrectionIsTheSame) {
  const ContactProblem p = heap_problem({}, 10, 16);
  SolverSettings settings = sixty_sweeps();
  settings.tolerance = 1e-2;
  Result whole;
  whole.report = solve(p, settings, whole.workspace, whole.solution);
  ASSERT_TRUE(correct_positions(p, settings, p.time_step_s, whole.workspace, whole.solution));
  std::vector<std::size_t> owner(16);
  for (std::size_t k = 0; k < owner.size(); ++k) owner[k] = k / 4;
  EmulatedRanks emulated(parts_of(p, owner, 4), p.bodies());
  std::vector<Result> results(4);
  emulated.run([&](std::size_t r) {
    results[r].report = solve(emulated.part[r].problem, settings, results[r].workspace, results[r].solution);
    static_cast<void>(correct_positions(emulated.part[r].problem, settings, p.time_step_s,
                                        results[r].workspace, results[r].solution));
  });
  bool any = false;
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t i = 0; i < emulated.part[r].body.size(); ++i) {
      const auto of_whole = static_cast<std::size_t>(emulated.part[r].body[i]);
      const Twist is = results[r].solution.correction_of(i), should = whole.solution.correction_of(of_whole);
      EXPECT_EQ(is.linear, should.linear);
      EXPECT_EQ(is.angular, should.angular);
      any = any || !should.linear.isZero(0.0);
    }
  }
  EXPECT_TRUE(any);
}

TEST(Cone, HasWhatOwnBodiesDependOnAndNothingElse) {
  // A chain 0 - 1 - 2 - 3 - 4 of bodies, its contacts in turns 3, 2, 5, 0; body 0 is own.
  const std::vector<InterfaceContact> chain = {{{0, 1}, 3}, {{1, 2}, 2}, {{2, 3}, 5}, {{3, 4}, 0}};
  EXPECT_EQ(cone_of(chain, std::vector<std::uint8_t>{1, 0, 0, 0, 0}),
            (std::vector<std::uint8_t>{1, 1, 0, 0}));
  // Turns that fall all along lead through all of it, rising ones to the first alone.
  const std::vector<InterfaceContact> falls = {{{0, 1}, 4}, {{1, 2}, 3}, {{2, 3}, 2}, {{3, 4}, 1}},
                                      rises = {{{0, 1}, 1}, {{1, 2}, 2}, {{2, 3}, 3}, {{3, 4}, 4}};
  EXPECT_EQ(cone_of(falls, std::vector<std::uint8_t>{1, 0, 0, 0, 0}),
            (std::vector<std::uint8_t>{1, 1, 1, 1}));
  EXPECT_EQ(cone_of(rises, std::vector<std::uint8_t>{1, 0, 0, 0, 0}),
            (std::vector<std::uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(cone_of(rises, std::vector<std::uint8_t>{0, 0, 0, 0, 0}),
            (std::vector<std::uint8_t>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace scree
