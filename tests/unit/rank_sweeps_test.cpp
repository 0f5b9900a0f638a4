// Sweeps by several ranks, each with a part of the problem, against those over the whole: the same bits.
#include <gtest/gtest.h>
#include <random>

#include "engine/core/parallel.h"
#include "engine/solver/sweeps/batches.h"
#include "tests/support/emulated_ranks.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::cone_of_bodies;
using test::EmulatedRanks;
using test::RankPart;

/// Blocks of contacts for its subdomains.
void cut_contacts(ContactProblem& p) {
  p.contact_block.clear();
  const auto first_of = [&](std::int32_t body) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(p.edge, body, {}, &Edge::a) - p.edge.begin());
  };
  for (std::size_t k = 0; k + 1 < p.first_body.size(); ++k)
    append_even_blocks(first_of(p.first_body[k]), first_of(p.first_body[k + 1]), p.contact_block);
  p.contact_block.push_back(static_cast<std::int32_t>(p.contacts()));
}

/// Random bodies with contacts of any direction, some of which resist torques; the first has 300 contacts,
/// more than there are colours.
ContactProblem random_problem(std::size_t bodies, std::size_t contacts, std::size_t subdomains) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::int32_t b = 1; b <= 300; ++b)
    pairs.emplace_back(0, b * static_cast<std::int32_t>(bodies - 1) / 300);
  while (pairs.size() < contacts) {
    const auto a = static_cast<std::int32_t>(random() % bodies),
               b = static_cast<std::int32_t>(random() % bodies);
    if (a != b) pairs.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  ContactProblem p;
  p.velocity_scale = 1.0;
  p.time_step_s = 1e-3;
  p.resize(bodies, pairs.size(), false);
  for (std::size_t i = 0; i < bodies; ++i) {
    p.free_velocity[i] = {vector(), vector()};
    p.response[i] = BodyResponse{};
    p.response[i].inverse_mass = 1.0 + 0.5 * unit(random);
    p.response[i].xx = p.response[i].yy = p.response[i].zz = 2.0 + unit(random);
  }
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    p.edge[c] = {pairs[c].first, pairs[c].second};
    ContactTerms terms{};
    terms.n = vector().normalized();
    terms.t1 = terms.n.unitOrthogonal();
    terms.arm_a = 0.3 * vector();
    terms.arm_b = 0.3 * vector();
    terms.offset = 0.1 * unit(random);
    terms.tangent_ratio = 1.0f;
    terms.length = 1.0f;
    terms.friction = 0.4;
    p.contact[c] = terms;
    p.approach[c] = 0.0f;
    p.start_impulse[c] = c % 2 == 0 ? Vec3f(0.1f, 0.0f, 0.0f) : Vec3f(0.0f, 0.0f, 0.0f);
    if (c % 3 != 0) continue;
    const std::size_t row = p.rows.size();
    const Resistance resistance{.torsional_friction_m = 0.01, .rolling_friction_m = 0.02};
    p.rows.resize(row + resistance.rows());
    set_resistance(p, c, resistance, Vec3::Zero(), &p.rows[row]);
  }
  p.contact_rows = p.rows.size();
  p.complete_rows();
  for (std::size_t k = 0; k <= subdomains; ++k)
    p.first_body.push_back(static_cast<std::int32_t>(k * bodies / subdomains));
  cut_contacts(p);
  return p;
}

/// The problem of a settling heap, cut into the given number of subdomains.
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
  cut_contacts(p);
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
                      const std::vector<std::size_t>& owner, std::size_t ranks, int least_sweeps = 21) {
  Result whole;
  whole.report = solve(p, settings, whole.workspace, whole.solution);
  ASSERT_EQ(whole.workspace.batches.subdomain.size(), owner.size());
  ASSERT_GE(whole.report.sweeps, least_sweeps);
  EmulatedRanks emulated(parts_of(p, owner, ranks), p.bodies());
  std::vector<Result> results(ranks);
  emulated.run([&](std::size_t r) {
    results[r].report = solve(emulated.part[r].problem, settings, results[r].workspace, results[r].solution);
  });
  // Once per sweep, and for residuals, at most one in three sweeps.
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
    visits += part.share.contact.size();
    for (std::size_t i = 0; i < part.share.body.size(); ++i) {
      const auto of_whole = static_cast<std::size_t>(part.share.body[i]);
      if (part.is_own[i] != 0) ++seen[of_whole];
      EXPECT_EQ(to_vec3(result.solution.velocity[i].linear),
                to_vec3(whole.solution.velocity[of_whole].linear));
      EXPECT_EQ(to_vec3(result.solution.velocity[i].angular),
                to_vec3(whole.solution.velocity[of_whole].angular));
    }
    for (std::size_t c = 0; c < part.share.contact.size(); ++c)
      ASSERT_EQ(result.solution.impulse[c], whole.solution.impulse[part.share.contact[c]])
          << ranks << " ranks";
  }
  EXPECT_EQ(contacts, p.contacts());
  EXPECT_EQ(visits > contacts, ranks > 1);
  for (std::int32_t i = 0; i < p.first_body.back(); ++i) EXPECT_EQ(seen[i], 1);
}

SolverSettings sixty_sweeps() {
  SolverSettings settings;
  settings.tolerance = 5e-5;
  settings.max_sweeps = 60;
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
    for (const std::size_t ranks : {1u, 2u, 5u, 24u}) {
      std::vector<std::size_t> owner(24);
      for (std::size_t k = 0; k < owner.size(); ++k) owner[k] = k * ranks / owner.size();
      expect_same_bits(p, sixty_sweeps(), owner, ranks);
    }
  }
}

TEST_F(RankSweeps, SameBitsForAnyOwnership) {
  const ContactProblem p = heap_problem({}, 10, 24);
  std::mt19937 random(5);
  for (int times = 0; times < 3; ++times) {
    std::vector<std::size_t> owner(24);
    for (std::size_t& of : owner) of = random() % 4;
    expect_same_bits(p, sixty_sweeps(), owner, 4);
  }
}

TEST_F(RankSweeps, BodiesWithMoreContactsThanColoursAndSomeThatResistTorques) {
  const ContactProblem p = random_problem(2000, 6000, 12);
  SolverWorkspace w;
  ContactSolution s;
  SolverSettings settings = sixty_sweeps();
  settings.max_sweeps = 30;
  static_cast<void>(solve(p, settings, w, s));
  ASSERT_TRUE(w.batches.phases().back().serial);
  ASSERT_GT(p.contact_rows, 0u);
  for (const std::size_t ranks : {2u, 5u, 12u}) {
    std::vector<std::size_t> owner(12);
    for (std::size_t k = 0; k < owner.size(); ++k) owner[k] = (7 * k) % ranks;
    expect_same_bits(p, settings, owner, ranks);
  }
}

TEST_F(RankSweeps, AWorkspaceThatIsKeptFollowsOtherColours) {
  // The rest of the problem has changed, and with it colours, while a rank's own contacts are the same.
  const ContactProblem p = heap_problem({}, 10, 12);
  EmulatedRanks emulated(parts_of(p, std::vector<std::size_t>(12, 0), 1), p.bodies());
  RankPart& part = emulated.part[0];
  Result kept, fresh;
  const SolverSettings settings = sixty_sweeps();
  emulated.run([&](std::size_t) {
    kept.report = solve(part.problem, settings, kept.workspace, kept.solution);
    for (std::uint8_t& colour : part.share.colour) colour = static_cast<std::uint8_t>(40 - colour);
    kept.report = solve(part.problem, settings, kept.workspace, kept.solution);
    fresh.report = solve(part.problem, settings, fresh.workspace, fresh.solution);
  });
  EXPECT_EQ(kept.report.residual.rms_m_s, fresh.report.residual.rms_m_s);
  for (std::size_t c = 0; c < p.contacts(); ++c)
    ASSERT_EQ(kept.solution.impulse[c], fresh.solution.impulse[c]);
}

TEST_F(RankSweeps, LateContactsAreSolvedByAll) {
  // Some grains have a hundred thousand times the mass of others: after 64 sweeps a few contacts determine
  // the residual, and the contacts around them are in several subdomains.
  ContactProblem p = heap_problem(rolling(), 8, 24);
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.first_body.back()); i += 37) {
    BodyResponse& r = p.response[i];
    r.inverse_mass *= 1e-5;
    for (double* const x : {&r.xx, &r.xy, &r.xz, &r.yz, &r.zz, &r.yy}) *x *= 1e-5;
  }
  p.complete_rows();
  SolverSettings settings;
  settings.tolerance = 1e-3;
  settings.max_sweeps = 150;
  for (const std::size_t ranks : {2u, 5u}) {
    std::vector<std::size_t> owner(24);
    for (std::size_t k = 0; k < owner.size(); ++k) owner[k] = k % ranks;
    expect_same_bits(p, settings, owner, ranks, 65);
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
    for (std::size_t i = 0; i < emulated.part[r].share.body.size(); ++i) {
      const auto of_whole = static_cast<std::size_t>(emulated.part[r].share.body[i]);
      const Twist is = results[r].solution.correction_of(i), should = whole.solution.correction_of(of_whole);
      EXPECT_EQ(is.linear, should.linear);
      EXPECT_EQ(is.angular, should.angular);
      any = any || !should.linear.isZero(0.0);
    }
  }
  EXPECT_TRUE(any);
}

TEST(Cone, ContainsExactlyTheContactsThatOwnBodiesDependOn) {
  // A chain 0 - 1 - 2 - 3 - 4 of bodies, with contacts in turns 3, 2, 5, 0; body 0 is own.
  const std::vector<InterfaceContact> chain = {{{0, 1}, 3}, {{1, 2}, 2}, {{2, 3}, 5}, {{3, 4}, 0}};
  EXPECT_EQ(cone_of_bodies(chain, {1, 0, 0, 0, 0}), (std::vector<std::uint8_t>{1, 1, 0, 0}));
  // Falling turns lead through the whole chain, rising ones only to the first.
  const std::vector<InterfaceContact> falls = {{{0, 1}, 4}, {{1, 2}, 3}, {{2, 3}, 2}, {{3, 4}, 1}},
                                      rises = {{{0, 1}, 1}, {{1, 2}, 2}, {{2, 3}, 3}, {{3, 4}, 4}};
  EXPECT_EQ(cone_of_bodies(falls, {1, 0, 0, 0, 0}), (std::vector<std::uint8_t>{1, 1, 1, 1}));
  EXPECT_EQ(cone_of_bodies(rises, {1, 0, 0, 0, 0}), (std::vector<std::uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(cone_of_bodies(rises, {0, 0, 0, 0, 0}), (std::vector<std::uint8_t>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace scree
