// What a measurement of a small heap tells, against stepping it by hand.
#include "tools/bench/measure.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/simulation/step.h"
#include "io/scene/read_scene.h"

namespace scree {
namespace {

const std::filesystem::path folder = std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / "bench";
constexpr double start_s = 0.5;
const BenchPlan plan{2, 1, 6, 4, 60.0};

PreparedScene settled_bed() {
  return prepare_bench(io::read_scene(folder / "settled_bed.toml", {{"count", "80"}}), start_s,
                       Progress::Style::none);
}

TEST(PrepareBench, StepsToTheTimeAskedFor) {
  const PreparedScene p = settled_bed();
  EXPECT_EQ(p.preparation.steps, 250);
  EXPECT_NEAR(p.preparation.simulated_s, start_s, 1e-12);
  EXPECT_EQ(p.preparation.bodies, 80);
  EXPECT_EQ(p.preparation.state_hash, state_hash(p.state.bodies));
  EXPECT_FALSE(p.preparation.at_rest);  // most of it is still falling
  EXPECT_GT(p.preparation.kinetic_energy_relative, 1.0);
}

TEST(PrepareBench, ASettledBedIsAtRest) {
  const PreparedScene p = prepare_bench(io::read_scene(folder / "settled_bed.toml", {{"count", "40"}}), 6.0,
                                        Progress::Style::none);
  EXPECT_TRUE(p.preparation.at_rest) << p.preparation.kinetic_energy_relative;
}

TEST(LiftingEnergy, IsWeightTimesSmallestLength) {
  const io::Scene scene = io::read_scene(folder / "settled_bed.toml", {{"count", "10"}});
  const double mass = 2500.0 * 4.0 / 3.0 * std::numbers::pi * 0.10 * 0.075 * 0.05;
  EXPECT_NEAR(lifting_energy(scene), 10.0 * mass * 9.81 * 0.05, 1e-10);
}

TEST(Measure, RepeatsTheSameStepsOnAnyNumberOfThreads) {
  const PreparedScene p = settled_bed();
  const std::vector<BenchVariant> variants = {{1, SolverKind::per_body, 0.0, false},
                                              {3, SolverKind::per_body, 0.0, false}};
  const std::vector<BenchCase> cases = measure(p, variants, plan);
  ASSERT_EQ(cases.size(), 2u);
  State state = p.state;
  Workspace workspace;
  double contacts = 0.0, penetration_max = 0.0;
  for (int k = 0; k < plan.warm_up + plan.steps; ++k) {
    const StepReport report = step(p.scene.model, state, workspace);
    if (k < plan.warm_up) continue;
    contacts += static_cast<double>(report.contacts) / plan.steps;
    penetration_max = std::max(penetration_max, report.penetration_max);
  }
  for (const BenchCase& c : cases) {
    EXPECT_EQ(c.step_s.size(), 2u);
    EXPECT_TRUE(c.reproducible);
    EXPECT_EQ(c.state_hash, state_hash(state.bodies));
    EXPECT_DOUBLE_EQ(c.physics.contacts, contacts);
    EXPECT_DOUBLE_EQ(c.physics.penetration_max, penetration_max);
    EXPECT_GT(contacts, 0.0);
    for (std::size_t r = 0; r < c.step_s.size(); ++r) {
      EXPECT_GT(c.stages[r].total(), 0.0);
      EXPECT_LE(c.stages[r].total(), c.step_s[r]);  // stages are timed inside the step
    }
  }
  EXPECT_EQ(cases[1].key.threads, 3);
}

TEST(Measure, CountsAtLeastTheBytesOfTheState) {
  const PreparedScene p = settled_bed();
  if (heap_bytes() == 0) GTEST_SKIP() << "this allocator does not tell";
  const BenchVariant variant{1, SolverKind::per_body, 0.0, false};
  const double bytes = measure(p, {&variant, 1}, plan)[0].bytes_per_body;
  EXPECT_GT(bytes, 2.0 * sizeof(Vec3) + sizeof(Quat) + sizeof(Vec3));
  EXPECT_LT(bytes, 100e3);
}

TEST(Measure, ReachesTheResidualsAskedFor) {
  const PreparedScene p = settled_bed();
  const std::vector<BenchVariant> variants = {{1, SolverKind::per_body, 1e-2, false},
                                              {1, SolverKind::per_body, 1e-4, false},
                                              {1, SolverKind::per_contact, 1e-4, false},
                                              {1, SolverKind::per_body, 1e-4, true}};
  const std::vector<BenchCase> cases = measure(p, variants, plan);
  for (const BenchCase& c : cases) {
    EXPECT_EQ(c.steps, plan.residual_steps);
    EXPECT_EQ(c.physics.steps_not_converged, 0) << to_string(c.key);
    EXPECT_LE(c.physics.residual_max, c.key.residual_target);
  }
  EXPECT_GT(cases[1].physics.sweeps, cases[0].physics.sweeps);
  EXPECT_EQ(cases[2].key.solver, "per_contact");
}

TEST(Measure, StopsRepeatingWhenPatienceIsOver) {
  const PreparedScene p = settled_bed();
  const BenchVariant variant{1, SolverKind::per_body, 0.0, false};
  BenchPlan impatient = plan;
  impatient.repeats = 50;
  impatient.patience_s = 0.0;
  EXPECT_EQ(measure(p, {&variant, 1}, impatient)[0].step_s.size(), 1u);
}

}  // namespace
}  // namespace scree
