// Performance profiles against shares counted by hand.
#include "tools/solve/profile.h"

#include <gtest/gtest.h>

#include "engine/core/types.h"
#include "tools/solve/comparison.h"

namespace scree {
namespace {

// Four problems. The best: 1 (by a), 3 (by both), 4 (by b), none.
const Costs by_hand{{1.0, 3.0, 8.0, infinity}, {5.0, 3.0, 4.0, infinity}};

TEST(Profile, RatiosAreOverTheBestOfEachProblem) {
  const Costs expected{{1.0, 1.0, 2.0, infinity}, {5.0, 1.0, 1.0, infinity}};
  EXPECT_EQ(performance_ratios(by_hand), expected);
  EXPECT_EQ(largest_ratio(expected), 5.0);
  EXPECT_EQ(largest_ratio({{infinity}}), 1.0);
}

TEST(Profile, ZeroCostIsBestAndNotUndefined) {
  EXPECT_EQ(performance_ratios({{0.0}, {2.0}, {0.0}}), (Costs{{1.0}, {infinity}, {1.0}}));
}

TEST(Profile, SharesIncludeProblemsUnsolvedByAllSolvers) {
  const Costs ratios = performance_ratios(by_hand);
  EXPECT_EQ(share_within(ratios[0], 1.0), 0.5);
  EXPECT_EQ(share_within(ratios[0], 1.99), 0.5);
  EXPECT_EQ(share_within(ratios[0], 2.0), 0.75);
  EXPECT_EQ(share_within(ratios[1], 4.9), 0.5);
  EXPECT_EQ(share_within(ratios[1], 1e9), 0.75);
}

TEST(Profile, StepFunctionRisesWhereAProblemIsSolved) {
  const Costs ratios = performance_ratios(by_hand);
  const Stairs a = profile(ratios[0], 6.0), b = profile(ratios[1], 6.0);
  EXPECT_EQ(a.tau, (std::vector<double>{1.0, 2.0, 2.0, 6.0}));
  EXPECT_EQ(a.share, (std::vector<double>{0.5, 0.5, 0.75, 0.75}));
  EXPECT_EQ(b.tau, (std::vector<double>{1.0, 5.0, 5.0, 6.0}));
  EXPECT_EQ(b.share, (std::vector<double>{0.5, 0.5, 0.75, 0.75}));
  const Stairs none = profile({infinity, infinity}, 2.0);
  EXPECT_EQ(none.tau, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(none.share, (std::vector<double>{0.0, 0.0}));
}

TEST(Profile, OnlyConvergedSolvesHaveAFiniteCost) {
  SolvePoint good, bad;
  good.residual_relative = 1e-5, good.sweeps = 7, good.time_s = 0.5;
  bad.residual_relative = 1e-3, bad.sweeps = 100, bad.time_s = 0.1;
  const SolverComparison comparison{
      {SolverKind::gauss_seidel, SolverKind::admm}, 1e-4, 100, {{"p", 3, {good, bad}}}};
  EXPECT_EQ(costs(comparison, Cost::time), (Costs{{0.5}, {infinity}}));
  EXPECT_EQ(costs(comparison, Cost::sweeps), (Costs{{7.0}, {infinity}}));
  const std::string row = table_row(comparison, comparison.problems[0], 1);
  EXPECT_NE(row.find("500.0000 ms      7"), std::string::npos) << row;
  EXPECT_NE(row.find("not below 1.0e-03"), std::string::npos) << row;
}

}  // namespace
}  // namespace scree
