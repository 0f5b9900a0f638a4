// Differences that a comparison of two benchmarks must find or must ignore, on made-up times.
#include "tools/bench/compare.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "io/files/file_errors.h"

namespace scree {
namespace {

/// Normal noise about a mean.
std::vector<double> noisy(double mean, double relative_deviation, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k)
    values.push_back(mean * (1.0 + relative_deviation * random.normal()));
  return values;
}

BenchCase made_up_case(const std::vector<double>& step_s) {
  BenchCase c;
  c.key = {"made_up", 1000, 2, "gauss_seidel", 0.0, false};
  c.time_step_s = 2e-3;
  c.tolerance = 1e-3;
  c.max_sweeps = 50;
  c.settings = {"count=1000"};
  c.steps = 50;
  c.step_s = c.cpu_s = step_s;
  for (const double t : step_s) c.stages.push_back({0.1 * t, 0.2 * t, 0.6 * t, 0.1 * t});
  c.physics.contacts = 2900.0;
  c.physics.sweeps = 7.0;
  c.physics.residual_max = 1e-3;
  c.physics.penetration_max = 1e-3;
  c.bytes_per_body = 1500.0;
  c.state_hash = 0x0123456789abcdefu;
  return c;
}

/// A whole run of 50 such steps.
BenchCase made_up_run(const std::vector<double>& step_s) {
  BenchCase c = made_up_case(step_s);
  c.key.whole_run = true;
  c.physics.residual_mean = 2e-3;
  c.physics.sweeps_max = 50;
  c.physics.steps_not_converged = 20;
  WholeRun run;
  run.simulated_s = 0.1;
  run.median_step_s = run.slow_step_s = run.worst_step_s = step_s;
  for (const double t : step_s) run.settling_s.push_back(20.0 * t);
  run.worst_step_at_s = 0.06;
  run.settled_at_s = 0.04;
  run.penetration_at_end = 1e-4;
  run.energy_injected_J = 2e-3;
  run.stretches = {{0.05, 2e-3, 40.0, 3.0, 0.1}, {0.1, 1e-3, 5.0, 0.5, 1e-5}};
  c.run = run;
  return c;
}

BenchReport made_up_report(const std::vector<double>& step_s) {
  BenchReport report;
  report.machine = {"a processor", 2, 2, {"L1 data 32K"}, 1 << 30, "Linux", 0.1};
  report.build = {"0.1.0", "abc", "GNU 12.2.0", "-O3"};
  report.started = "2026-01-01T00:00:00Z";
  report.preparations.push_back({"made_up", 1000, 3000, 6.0, 12.0, 2, 1e-9, true, 42});
  report.cases.push_back(made_up_case(step_s));
  return report;
}

TEST(Spread, HasTheOrderStatistics) {
  const Spread s = spread({5.0, 1.0, 4.0, 2.0, 3.0});
  EXPECT_EQ(s.count, 5u);
  EXPECT_DOUBLE_EQ(s.min, 1.0);
  EXPECT_DOUBLE_EQ(s.lower_quartile, 2.0);
  EXPECT_DOUBLE_EQ(s.median, 3.0);
  EXPECT_DOUBLE_EQ(s.upper_quartile, 4.0);
  EXPECT_DOUBLE_EQ(s.max, 5.0);
  EXPECT_DOUBLE_EQ(s.mad, 1.0);
  EXPECT_DOUBLE_EQ(spread({1.0, 2.0}).median, 1.5);
  EXPECT_DOUBLE_EQ(spread(std::vector<double>{}).median, 0.0);
}

TEST(Spread, IsRobustToOneOutlier) {
  const double calm = spread({1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06}).deviation();
  const double disturbed = spread({1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 9.0}).deviation();
  EXPECT_DOUBLE_EQ(calm, disturbed);
}

TEST(Spread, EstimatesTheDeviationOfNormalNoise) {
  EXPECT_NEAR(spread(noisy(1.0, 0.05, 4001, 3)).deviation(), 0.05, 0.003);
}

TEST(Difference, DoubledTimeIsSignificantInStrongNoise) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Difference d = difference(noisy(1.0, 0.05, 7, 2 * seed), noisy(2.0, 0.05, 7, 2 * seed + 1), 0.03);
    EXPECT_TRUE(d.significant) << seed;
    EXPECT_NEAR(d.relative, 1.0, 0.2);
  }
}

/// 3 deviations of single values are about 3 sqrt(7) / 1.25 = 6 of the medians of seven. The remaining cases
/// are samples whose own deviation is far too small.
TEST(Difference, NoiseAloneIsRarelySignificant) {
  int found = 0;
  constexpr int trials = 2000;
  for (std::uint64_t k = 0; k < trials; ++k)
    found += difference(noisy(1.0, 0.05, 7, 2 * k), noisy(1.0, 0.05, 7, 2 * k + 1), 0.03).significant ? 1 : 0;
  EXPECT_LT(found, trials / 100);
}

TEST(Difference, BelowTheThresholdIsNotSignificant) {
  EXPECT_FALSE(difference({1.0, 1.0, 1.0, 1.0, 1.0}, {1.02, 1.02, 1.02, 1.02, 1.02}, 0.03).significant);
  EXPECT_TRUE(difference({1.0, 1.0, 1.0, 1.0, 1.0}, {1.02, 1.02, 1.02, 1.02, 1.02}, 0.01).significant);
}

TEST(Difference, OfFewSamplesMustBeLargerToBeSignificant) {
  EXPECT_FALSE(difference({1.0}, {3.0}, 0.03).significant);                      // one value shows nothing
  EXPECT_FALSE(difference({1.0, 1.2, 1.4}, {2.0, 2.2, 2.4}, 0.03).significant);  // within three ranges
  EXPECT_TRUE(difference({1.0, 1.01, 1.02}, {2.0, 2.01, 2.02}, 0.03).significant);
}

TEST(Compare, ReportsSlowerOrFasterAndTheStageResponsible) {
  const BenchReport before = made_up_report(noisy(1e-3, 0.01, 7, 1));
  BenchReport after = made_up_report(noisy(1e-3, 0.01, 7, 2));
  EXPECT_FALSE(compare(before, after, 0.03).slower());
  EXPECT_FALSE(compare(before, after, 0.03).faster());
  for (std::size_t k = 0; k < after.cases[0].step_s.size(); ++k) {
    after.cases[0].step_s[k] += after.cases[0].stages[k].detection;  // detection takes twice the time
    after.cases[0].stages[k].detection *= 2.0;
  }
  const Comparison slower = compare(before, after, 0.03);
  EXPECT_TRUE(slower.slower());
  EXPECT_FALSE(slower.faster());
  for (const Change& stage : slower.cases[0].stages)
    EXPECT_EQ(stage.difference.significant, stage.quantity == "detection") << stage.quantity;
  EXPECT_NE(to_text(slower).find("slower, beyond the noise; the same states, bit for bit"),
            std::string::npos);
  EXPECT_TRUE(compare(after, before, 0.03).faster());
}

TEST(Compare, UsesSingleThreadCpuTimeWhereWallTimeIsNoisy) {
  BenchReport before = made_up_report({1e-3, 3e-3, 1e-3, 5e-3, 2e-3});
  before.cases[0].cpu_s = {1e-3, 1.01e-3, 1e-3, 1.02e-3, 1e-3};
  BenchReport after = before;
  for (double& time : after.cases[0].cpu_s) time *= 1.5;
  EXPECT_FALSE(compare(before, after, 0.03).slower());  // on two threads waiting may cost processor time
  before.cases[0].key.threads = after.cases[0].key.threads = 1;
  EXPECT_TRUE(compare(before, after, 0.03).slower());
  EXPECT_TRUE(compare(after, before, 0.03).faster());
}

TEST(Compare, ReportsDifferencesInPhysicalResults) {
  const BenchReport before = made_up_report(noisy(1e-3, 0.01, 7, 1));
  BenchReport after = before;
  EXPECT_TRUE(compare(before, after, 0.03).cases[0].physics.empty());
  after.cases[0].state_hash += 1;
  after.cases[0].physics.penetration_max *= 1.5;
  after.cases[0].physics.contacts *= 1.001;  // within the tolerance
  after.cases[0].settings.push_back("solver.max_sweeps=20");
  EXPECT_EQ(compare(before, after, 0.03).cases[0].physics,
            (std::vector<std::string>{"settings: count=1000 -> count=1000, solver.max_sweeps=20",
                                      "state hash 0123456789abcdef -> 0123456789abcdf0",
                                      "largest penetration 0.001 -> 0.0015"}));
}

TEST(Compare, ComparesWholeRunsByTotalTime) {
  BenchReport before = made_up_report({1e-3, 1e-3}), after = before;
  before.cases = {made_up_run(noisy(1e-3, 0.01, 7, 1))};
  after.cases = {made_up_run(noisy(1e-3, 0.01, 7, 2))};
  EXPECT_FALSE(compare(before, after, 0.03).slower());
  // Steps of half the length take only a tenth less time each, so the run takes longer.
  BenchCase& run = after.cases[0];
  run.steps *= 2;
  for (double& time : run.step_s) time *= 0.9;
  for (double& time : run.run->worst_step_s) time *= 3.0;
  run.run->settled_at_s.reset();
  run.run->settling_s.clear();
  run.run->penetration_at_end *= 2.0;
  run.state_hash += 1;
  const Comparison c = compare(before, after, 0.03);
  EXPECT_TRUE(c.slower());
  EXPECT_NEAR(c.cases[0].step.a, 0.05, 0.002);  // s
  EXPECT_NEAR(c.cases[0].step.b, 0.09, 0.004);
  const std::string text = to_text(c);
  EXPECT_NE(text.find("median s per whole run"), std::string::npos);
  EXPECT_EQ(text.find("median ms per step"), std::string::npos);
  EXPECT_NE(text.find("worst step, ms"), std::string::npos);
  EXPECT_EQ(text.find("median step, ms"), std::string::npos);  // within the noise
  EXPECT_NE(text.find("settled at t = 0.04 s -> never"), std::string::npos);
  EXPECT_NE(text.find("mean penetration at the end 0.0001 -> 0.0002"), std::string::npos);
}

TEST(Compare, DoesNotMatchAWholeRunWithSingleSteps) {
  BenchReport before = made_up_report({1e-3, 1e-3}), after = before;
  after.cases = {made_up_run({1e-3, 1e-3})};
  EXPECT_TRUE(compare(before, after, 0.03).cases.empty());
}

TEST(Compare, ReportsDifferingMachinesAndMeasurements) {
  const BenchReport before = made_up_report({1e-3, 1e-3});
  BenchReport after = before;
  after.machine.cpu = "another processor";
  after.build.flags = "-O2";
  after.build.commit = "def";
  after.cases[0].key.threads = 4;
  const Comparison c = compare(before, after, 0.03);
  EXPECT_EQ(c.setting,
            (std::vector<std::string>{"processor: a processor -> another processor", "flags: -O3 -> -O2"}));
  EXPECT_TRUE(c.cases.empty());
  EXPECT_EQ(c.only_a, std::vector<BenchKey>{before.cases[0].key});
  EXPECT_EQ(c.only_b, std::vector<BenchKey>{after.cases[0].key});
  EXPECT_NE(to_text(c).find("0.1.0 abc -> 0.1.0 def"), std::string::npos);
}

TEST(HashFaults, AreFoundBetweenThreadsAndRepeats) {
  BenchReport report = made_up_report({1e-3, 1e-3});
  report.cases.push_back(report.cases[0]);
  report.cases[1].key.threads = 4;
  EXPECT_TRUE(hash_faults(report).empty());
  report.cases[1].state_hash = 7;
  EXPECT_EQ(hash_faults(report).size(), 1u);
  report.cases[0].reproducible = false;
  EXPECT_EQ(hash_faults(report).size(), 2u);
  report.cases[1].key.solver = "admm";  // another solver may end in another state
  EXPECT_EQ(hash_faults(report).size(), 1u);
}

TEST(BenchJson, RoundTripKeepsAllValues) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "bench_json_test.json";
  BenchReport written = made_up_report(noisy(1e-3, 0.01, 7, 1));
  written.cases.push_back(made_up_run(noisy(1e-3, 0.01, 7, 2)));
  written.cases.push_back(made_up_run(noisy(1e-3, 0.01, 7, 3)));
  written.cases[2].run->settled_at_s.reset();
  written.cases[2].run->settling_s.clear();
  std::ofstream(path) << to_json(written);
  const BenchReport read = read_bench_json(path);
  EXPECT_EQ(to_json(read), to_json(written));
  EXPECT_EQ(to_csv(read), to_csv(written));
  std::ofstream(path) << "{\"format\": \"scree summary\"}";
  EXPECT_THROW(read_bench_json(path), io::ReadError);
  std::ofstream(path) << to_json(written).substr(0, 500);
  EXPECT_THROW(read_bench_json(path), io::ReadError);
  std::filesystem::remove(path);
  EXPECT_THROW(read_bench_json(path), io::ReadError);
}

}  // namespace
}  // namespace scree
