// The results of a measurement of a small heap, against stepping it by hand.
#include "tools/bench/measure.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "engine/core/errors.h"
#include "engine/core/state_hash.h"
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

TEST(PrepareBench, StepsToTheRequestedTime) {
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

TEST(TileBench, MirrorsTheBedAndMovesTheWalls) {
  const PreparedScene bed = settled_bed();
  const PreparedScene tiled = tile_bench(bed, 3, 0.0, Progress::Style::none);
  EXPECT_EQ(tiled.scene.name, "settled_bed_3x3");
  EXPECT_EQ(tiled.preparation.bodies, 9 * 80);
  const double width = 2.0 * std::sqrt(0.08);  // of the box, which is centred at the origin
  const Bodies &one = bed.state.bodies, &all = tiled.state.bodies;
  const std::size_t right = 80, right_behind = 5 * 80;  // first of the tiles (1, 0) and (2, 1)
  EXPECT_NEAR(all.position[right + 9].x(), width - one.position[9].x(), 1e-12);
  EXPECT_NEAR(all.position[right_behind + 7].x(), one.position[7].x() + 2 * width, 1e-12);
  EXPECT_NEAR(all.position[right_behind + 7].y(), width - one.position[7].y(), 1e-12);
  EXPECT_EQ(all.linear_velocity[right + 3].x(), -one.linear_velocity[3].x());
  // A mirror image has the same width and the same energy, which depends on rotations about the bodies' axes.
  for (std::size_t k = 0; k < 80; ++k) {
    const Vec3 before = half_extent(bed.scene.model.shapes, one.shape[k], one.orientation[k]);
    EXPECT_TRUE(before.isApprox(
        half_extent(tiled.scene.model.shapes, all.shape[right + k], all.orientation[right + k]), 1e-12));
  }
  EXPECT_NEAR(kinetic_energy(all), 9.0 * kinetic_energy(one), 1e-9 * kinetic_energy(all));
  EXPECT_EQ(all.id.back(), 9 * 80 - 1);
  // All bodies keep their places between the walls, and neighbours from two tiles do not overlap.
  State state = tiled.state;
  Workspace workspace;
  StepResult result;
  const StepReport& report = step(tiled.scene.model, state, workspace, result);
  EXPECT_LT(report.penetration_max, 0.03);
  EXPECT_GT(report.contacts, 9 * 10);
}

TEST(TileBench, RefusesSceneThatIsNotInABox) {
  const PreparedScene poured =
      prepare_bench(io::read_scene(folder / "pouring.toml", {{"count", "20"}}), 0.0, Progress::Style::none);
  EXPECT_THROW(tile_bench(poured, 2, 0.0, Progress::Style::none), InputError);
}

/// The scenes that are benchmarks, while they move, large enough for many blocks.
TEST(Measure, LeavesTheSameBitsOnAnyNumberOfThreads) {
  for (const char* name :
       {"settled_bed", "pouring", "polydisperse", "collapse", "tube", "mixture", "hopper"}) {
    const PreparedScene p =
        prepare_bench(io::read_scene(folder / (std::string(name) + ".toml"), {{"count", "400"}}), 0.5,
                      Progress::Style::none);
    std::vector<BenchVariant> variants;
    for (const int threads : {1, 2, 3, 4, 8})
      variants.push_back({threads, SolverKind::gauss_seidel, 0.0, false});
    const BenchPlan once{1, 1, 10, 10, 60.0};
    const std::vector<BenchCase> cases = measure(p, variants, once);
    for (const BenchCase& c : cases)
      EXPECT_EQ(hash_text(c.state_hash), hash_text(cases[0].state_hash)) << to_string(c.key);
    EXPECT_GT(cases[0].physics.contacts, 50.0);
  }
}

TEST(LiftingEnergy, IsWeightTimesSmallestLength) {
  const io::Scene scene = io::read_scene(folder / "settled_bed.toml", {{"count", "10"}});
  const double mass = 2500.0 * 4.0 / 3.0 * std::numbers::pi * 0.10 * 0.075 * 0.05;
  EXPECT_NEAR(lifting_energy(scene.model, scene.initial.bodies), 10.0 * mass * 9.81 * 0.05, 1e-10);
}

TEST(Measure, RepeatsTheSameStepsOnAnyNumberOfThreads) {
  const PreparedScene p = settled_bed();
  const std::vector<BenchVariant> variants = {{1, SolverKind::gauss_seidel, 0.0, false},
                                              {3, SolverKind::gauss_seidel, 0.0, false}};
  const std::vector<BenchCase> cases = measure(p, variants, plan);
  ASSERT_EQ(cases.size(), 2u);
  State state = p.state;
  Workspace workspace;
  StepResult result;
  double contacts = 0.0, penetration_max = 0.0;
  for (int k = 0; k < plan.warm_up + plan.steps; ++k) {
    const StepReport& report = step(p.scene.model, state, workspace, result);
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
  const BenchVariant variant{1, SolverKind::gauss_seidel, 0.0, false};
  const double bytes = measure(p, {&variant, 1}, plan)[0].bytes_per_body;
  EXPECT_GT(bytes, 2.0 * sizeof(Vec3) + sizeof(Quat) + sizeof(Vec3));
  EXPECT_LT(bytes, 100e3);
}

TEST(Measure, ReachesTheResidualsAskedFor) {
  const PreparedScene p = settled_bed();
  const std::vector<BenchVariant> variants = {{1, SolverKind::gauss_seidel, 1e-2, false},
                                              {1, SolverKind::gauss_seidel, 1e-4, false},
                                              {1, SolverKind::nsgs, 1e-4, false},
                                              {1, SolverKind::gauss_seidel, 1e-4, true}};
  const std::vector<BenchCase> cases = measure(p, variants, plan);
  for (const BenchCase& c : cases) {
    EXPECT_EQ(c.steps, plan.residual_steps);
    EXPECT_EQ(c.physics.steps_not_converged, 0) << to_string(c.key);
    EXPECT_LE(c.physics.residual_max, c.key.residual_target);
  }
  EXPECT_GT(cases[1].physics.sweeps, cases[0].physics.sweeps);
  EXPECT_EQ(cases[2].key.solver, "nsgs");
}

TEST(Measure, AWholeRunHasAllStepsOfTheScene) {
  io::Scene scene = io::read_scene(folder / "collapse.toml", {{"count", "40"}, {"end_time", "0.3"}});
  const PreparedScene p = prepare_bench(std::move(scene), 0.0, Progress::Style::none);
  const std::vector<BenchVariant> variants = {{1, SolverKind::gauss_seidel, 0.0, false, true},
                                              {3, SolverKind::gauss_seidel, 0.0, false, true},
                                              {1, SolverKind::gauss_seidel, 1e-5, false, true}};
  const std::vector<BenchCase> cases = measure(p, variants, plan);
  State state = p.state;
  Workspace workspace;
  StepResult result;
  double injected = 0.0;
  int sweeps_max = 0;
  for (int k = 0; k < 150; ++k) {
    const StepReport& report = step(p.scene.model, state, workspace, result);
    injected += report.energy_injected_J;
    sweeps_max = std::max(sweeps_max, report.sweeps);
  }
  for (const BenchCase& c : {cases[0], cases[1]}) {
    EXPECT_TRUE(c.key.whole_run);
    EXPECT_TRUE(c.reproducible);
    EXPECT_EQ(c.steps, 150);
    EXPECT_EQ(c.state_hash, state_hash(state.bodies));
    EXPECT_EQ(c.physics.sweeps_max, sweeps_max);
    ASSERT_TRUE(c.run.has_value());
    EXPECT_NEAR(c.run->simulated_s, 0.3, 1e-12);
    EXPECT_DOUBLE_EQ(c.run->energy_injected_J, injected);
    EXPECT_DOUBLE_EQ(c.run->penetration_at_end, result.report.penetration_mean);
    ASSERT_EQ(c.run->worst_step_s.size(), 2u);
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_LE(c.run->median_step_s[r], c.run->slow_step_s[r]);
      EXPECT_LE(c.run->slow_step_s[r], c.run->worst_step_s[r]);
      EXPECT_LE(c.step_s[r], c.run->worst_step_s[r]);
    }
  }
  // More sweeps for a smaller residual, over the same steps.
  EXPECT_EQ(cases[2].steps, 150);
  EXPECT_GT(cases[2].physics.sweeps, cases[0].physics.sweeps);
  EXPECT_LT(cases[2].physics.residual_mean, 1e-5);
}

TEST(Measure, StopsRepeatingAfterTheTimeLimit) {
  const PreparedScene p = settled_bed();
  const BenchVariant variant{1, SolverKind::gauss_seidel, 0.0, false};
  BenchPlan impatient = plan;
  impatient.repeats = 50;
  impatient.patience_s = 0.0;
  EXPECT_EQ(measure(p, {&variant, 1}, impatient)[0].step_s.size(), 1u);
}

}  // namespace
}  // namespace scree
