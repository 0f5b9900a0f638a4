// Consequences of which unknowns are in which equation: matching, parts, blocks, index, tearing.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "engine/modules/equations/symbolic.h"
#include "tests/support/models.h"

namespace scree::equations {
namespace {

Incidence random_incidence(std::mt19937& random, int rows, int columns, double density) {
  std::bernoulli_distribution stands(density);
  Incidence incidence{columns, {}};
  for (int r = 0; r < rows; ++r) {
    incidence.rows.emplace_back();
    for (int c = 0; c < columns; ++c)
      if (stands(random)) incidence.rows.back().push_back(c);
  }
  return incidence;
}

int best_by_trying(const Incidence& incidence, std::size_t row, unsigned used) {
  if (row == incidence.rows.size()) return 0;
  int best = best_by_trying(incidence, row + 1, used);
  for (const int c : incidence.rows[row])
    if (!(used >> c & 1u)) best = std::max(best, 1 + best_by_trying(incidence, row + 1, used | 1u << c));
  return best;
}

TEST(ModelStructure, MatchingIsMaximumByExhaustiveSearch) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Incidence incidence = random_incidence(random, 1 + trial % 6, 1 + trial / 6 % 6, 0.35);
    const Matching matching = maximum_matching(incidence);
    EXPECT_EQ(matching.size(), best_by_trying(incidence, 0, 0));
    for (std::size_t r = 0; r < incidence.rows.size(); ++r) {
      const int c = matching.of_row[r];
      if (c < 0) continue;
      EXPECT_TRUE(std::ranges::binary_search(incidence.rows[r], c));
      EXPECT_EQ(matching.of_column[c], static_cast<int>(r));
    }
  }
}

/// A row is in the over-determined part exactly if some maximum matching leaves it out.
TEST(ModelStructure, OverAndUnderdeterminedPartsMatchExhaustiveSearch) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Incidence incidence = random_incidence(random, 5, 5, 0.3);
    const LeftOver left = dulmage_mendelsohn(incidence, maximum_matching(incidence));
    const int best = best_by_trying(incidence, 0, 0);
    for (int r = 0; r < 5; ++r) {
      Incidence without = incidence;
      without.rows[r].clear();
      EXPECT_EQ(std::ranges::binary_search(left.over_rows, r), best_by_trying(without, 0, 0) == best);
    }
    for (int c = 0; c < 5; ++c) {
      Incidence without = incidence;
      for (auto& row : without.rows) std::erase(row, c);
      EXPECT_EQ(std::ranges::binary_search(left.under_columns, c), best_by_trying(without, 0, 0) == best);
    }
  }
}

TEST(ModelStructure, BlocksAreStrongComponentsInSolvableOrder) {
  std::mt19937 random(3);
  int square = 0;
  for (int trial = 0; trial < 400; ++trial) {
    constexpr int n = 7;
    const Incidence incidence = random_incidence(random, n, n, 0.28);
    const Matching matching = maximum_matching(incidence);
    if (matching.size() < n) continue;
    ++square;
    bool reach[n][n] = {};
    for (std::size_t r = 0; r < n; ++r)
      for (const int c : incidence.rows[r]) reach[r][matching.of_column[c]] = true;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    const std::vector<Block> blocks = block_order(incidence, matching);
    std::vector<int> block_of(n, -1), known(n, -1);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::size_t k = 0; k < blocks[b].rows.size(); ++k) {
        block_of[blocks[b].rows[k]] = static_cast<int>(b);
        known[blocks[b].columns[k]] = static_cast<int>(b);
      }
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t s = 0; s < n; ++s)
        EXPECT_EQ(block_of[r] == block_of[s], r == s || (reach[r][s] && reach[s][r]));
      for (const int c : incidence.rows[r]) EXPECT_LE(known[c], block_of[r]);
    }
  }
  EXPECT_GT(square, 20);
}

/// By central differences, at 100 random places on both sides of a condition.
TEST(ModelStructure, DerivativesMatchCentralDifferences) {
  const FlatModel model = flatten_text(
      "model m Real x; Real y; equation "
      "x = sin(x*y)*exp(-x) + x^3/(1 + y^2) - sqrt(1 + x^2)*atan2(y, x + 3); "
      "y = if x > y then tan(x/3)*log(2 + x) else cosh(x)*asin(x/4) + acos(y/5)*tanh(x*y) + sinh(y) + "
      "atan(x); end m;");
  const int x = model.find("x"), y = model.find("y");
  std::mt19937 random(4);
  std::uniform_real_distribution<double> spread(-1.0, 1.0);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> value(model.symbols.size(), trial % 2);
    value[x] = spread(random);
    value[y] = spread(random);
    for (const Equation& e : model.equations) {
      for (const int by : {x, y}) {
        constexpr double h = 1e-5;
        std::vector<double> above = value, below = value;
        above[by] += h;
        below[by] -= h;
        const double difference = (evaluate(e.residual, above) - evaluate(e.residual, below)) / (2 * h);
        EXPECT_NEAR(evaluate(derivative(e.residual, by), value), difference,
                    1e-8 * (1 + std::abs(difference)));
      }
    }
  }
}

TEST(ModelStructure, SolvesForLinearUnknownsAndAngles) {
  const FlatModel model = flatten_text(
      "model m Real x; Real y; Real z; equation 3*x*y + y = z; x^2 + y = 1; "
      "(2 - 3*cos(x + 1) - cos(y))^2 + (1 - 3*sin(x + 1) - sin(y))^2 = 4; if x > 0 then y*z = 1; else z = 2; "
      "end if; end m;");
  const int x = model.find("x"), y = model.find("y");
  const auto& e = model.equations;
  std::vector<double> value(model.symbols.size(), 0.4);
  const auto root = [&](const Expr& f, int of) {
    const auto s = solve(f, of);
    if (!s) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> at = value;
    if (s->kind == Solution::Kind::linear) {
      at[of] = -evaluate(s->b, value) / evaluate(s->a, value);
    } else {
      const double given[] = {evaluate(s->a, value), evaluate(s->b, value), evaluate(s->c, value), 0.4};
      at[of] = apply(Op::angle, given);
    }
    return evaluate(f, at);
  };
  EXPECT_NEAR(root(e[0].residual, x), 0.0, 1e-14);
  EXPECT_NEAR(root(e[0].residual, y), 0.0, 1e-14);
  EXPECT_NEAR(root(e[1].residual, y), 0.0, 1e-14);
  EXPECT_FALSE(solve(e[1].residual, x)) << "a square is neither";
  EXPECT_NEAR(root(e[2].residual, x), 0.0, 1e-13) << "two arms: linear in cosine and sine of each angle";
  EXPECT_NEAR(root(e[2].residual, y), 0.0, 1e-13);
  EXPECT_FALSE(solve(e[3].residual, y)) << "where the condition does not hold, y is not in it";
  EXPECT_FALSE(solve(e[0].residual, model.find("time")));
}

/// The number of differentiations of each equation of a text.
std::vector<int> times_of(const SourceText& source) {
  const FlatModel model = compile_model(source);
  std::vector<int> times;
  for (std::size_t e = 0; e < model.equations.size(); ++e)
    if (model.equations[e].integral < 0) times.push_back(times_differentiated(model, e));
  return times;
}

// Pantelides (1988), section on the pendulum: both velocities' definitions once, the length twice.
TEST(ModelStructure, PantelidesOnThePendulum) {
  EXPECT_EQ(times_of(shipped("pendulum.mo")), (std::vector<int>{1, 1, 0, 0, 2}));
}

TEST(ModelStructure, PantelidesOnSmallSystems) {
  // Index 1: none. Two capacitors in parallel: index 2, the coupling of both voltages once.
  EXPECT_EQ(times_of({"m", "model m Real x; Real y; equation der(x) = y; y + sin(y) = x; end m;"}),
            (std::vector<int>{0, 0}));
  EXPECT_EQ(times_of({"m",
                      "model m Real a; Real b; Real i; equation der(a) = i; der(b) = 1 - i; a = 2*b + "
                      "sin(time); end m;"}),
            (std::vector<int>{0, 0, 1}));
  // A prescribed motion: force by its second derivative, index 3.
  EXPECT_EQ(
      times_of(
          {"m",
           "model m Real x; Real v; Real F; equation der(x) = v; der(v) = F - x; x = sin(time) + 2; end m;"}),
      (std::vector<int>{1, 0, 2}));
  // Mattsson, Soederlind (1993), their linear example: x2 and x1 are given functions of time, the rest by
  // derivatives.
  EXPECT_EQ(
      times_of(
          {"m",
           "model m Real x; Real y; Real z; equation x = time^2; y = der(x) + x; z = der(y) + y; end m;"}),
      (std::vector<int>{2, 1, 0}));
}

struct Torn {
  std::vector<std::size_t> sizes, tears;
  std::vector<std::string> names;
};
Torn torn_of(const SourceText& source, Tearing way) {
  Simulation run(compile_model(source), {.tearing = way, .compiled = false});
  Torn torn;
  for (const TornBlock& block : run.system().torn) {
    if (block.tears.empty()) continue;
    torn.sizes.push_back(block.size());
    torn.tears.push_back(block.tears.size());
    for (const int t : block.tears) torn.names.push_back(run.model()[t].name);
  }
  return torn;
}

TEST(ModelStructure, FiveVariablesAreTornToOne) {
  const Torn torn = torn_of(shipped("five_variables.mo"), Tearing::marked);
  EXPECT_EQ(torn.sizes, (std::vector<std::size_t>{5}));
  EXPECT_EQ(torn.names, (std::vector<std::string>{"x1"}));
  EXPECT_EQ(torn_of(shipped("five_variables.mo"), Tearing::none).tears, (std::vector<std::size_t>{5}));
  EXPECT_EQ(torn_of(shipped("five_variables.mo"), Tearing::heuristic).tears, (std::vector<std::size_t>{1}));
}

TEST(ModelStructure, ExcavatorHasBlocksOfFiveThreeAndThreeEachTornToOne) {
  Torn torn = torn_of(shipped("excavator.mo"), Tearing::marked);
  EXPECT_EQ(torn.tears, (std::vector<std::size_t>{1, 1, 1}));
  std::ranges::sort(torn.sizes);
  std::ranges::sort(torn.names);
  EXPECT_EQ(torn.sizes, (std::vector<std::size_t>{3, 3, 5}));
  EXPECT_EQ(torn.names, (std::vector<std::string>{"r12", "r15", "r7"}));
  // Without angles in closed form, the heuristic leaves two of each three and four of the five.
  EXPECT_EQ(torn_of(shipped("excavator.mo"), Tearing::heuristic).tears, (std::vector<std::size_t>{2, 2, 4}));
  const Torn whole = torn_of(shipped("excavator.mo"), Tearing::whole);
  EXPECT_EQ(whole.sizes, (std::vector<std::size_t>{11}));
  EXPECT_EQ(whole.tears, (std::vector<std::size_t>{11}));
}

/// The same structure for any order of the equations, and with both sides of all of them exchanged.
TEST(ModelStructure, OrderAndCausalityOfTheTextDoNotMatter) {
  const std::string head =
      "model m Real x(start = 0, fixed = true); Real x1(start = 1, fixed = true) annotation(__Scree_tearing "
      "= true);"
      "Real x2(start = 0, fixed = true); Real u; Real y; equation ";
  std::vector<std::string> lines{"der(x) = -0.8*y;", "x - 2*atan(2*y) = u;", "x2 = der(x1);",
                                 "4*(1.5*u - x1) - 1.2*x2 = der(x2);", "x1 + x1^3/10 = y;"};
  std::mt19937 random(5);
  double last = 0.0;
  for (int trial = 0; trial < 6; ++trial) {
    std::ranges::shuffle(lines, random);
    const std::string text = head + std::accumulate(lines.begin(), lines.end(), std::string()) + "end m;";
    Simulation run(compile_model({"m", text}), {.step = 1e-2, .compiled = false});
    EXPECT_EQ(run.system().torn[0].size(), 5u);
    EXPECT_EQ(run.system().torn[0].tears.size(), 1u);
    run.run_until(1.0);
    if (trial > 0) {
      EXPECT_NEAR(run.value("x1"), last, 1e-12);
    }
    last = run.value("x1");
  }
}

}  // namespace
}  // namespace scree::equations
