// Values from the steps of a whole run, on made-up reports; and the scenes that are run whole.
#include "tools/bench/whole_run.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "io/scene/read_scene.h"
#include "tools/bench/prepare.h"

namespace scree {
namespace {

const std::filesystem::path folder = std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / "bench";

io::Scene scene_of(const std::string& name, int count) {
  return io::read_scene(folder / (name + ".toml"), {{"count", std::to_string(count)}});
}

/// Steps of 1 s that end with these kinetic energies, J.
std::vector<StepReport> reports_with(const std::vector<double>& kinetic_J) {
  std::vector<StepReport> reports;
  for (const double energy : kinetic_J) {
    StepReport r;
    r.step = static_cast<std::int64_t>(reports.size()) + 1;
    r.time_s = static_cast<double>(r.step);
    r.energy.kinetic = energy;
    reports.push_back(r);
  }
  return reports;
}

class WholeRuns : public testing::Test {
 protected:
  const io::Scene scene = scene_of("collapse", 10);
  const State& start = scene.initial;
  const double limit_J = settled_energy * lifting_energy(scene.model, scene.initial.bodies);
  const double still = 0.5 * limit_J, moving = 2.0 * limit_J;
  WholeRun describe(const std::vector<StepReport>& reports,
                    const std::vector<std::vector<double>>& step_s) const {
    return describe_run(scene.model, start, reports, step_s);
  }
};

TEST_F(WholeRuns, SettleWhenTheyMoveNoMoreToTheEnd) {
  // A lattice is still at first, just before it falls; a grain moves once more at 4 s.
  const WholeRun run = describe(reports_with({still, moving, still, moving, still, still}),
                                {{1, 2, 3, 4, 5, 6}, {2, 4, 6, 8, 10, 12}});
  ASSERT_TRUE(run.settled_at_s.has_value());
  EXPECT_DOUBLE_EQ(*run.settled_at_s, 5.0);
  EXPECT_EQ(run.settling_s, (std::vector<double>{15, 30}));
  EXPECT_DOUBLE_EQ(run.simulated_s, 6.0);
}

TEST_F(WholeRuns, DoNotSettleIfTheyMoveAtTheEnd) {
  const WholeRun run = describe(reports_with({still, still, moving}), {{1, 1, 1}});
  EXPECT_FALSE(run.settled_at_s.has_value());
  EXPECT_TRUE(run.settling_s.empty());
  const WholeRun at_rest = describe(reports_with({still, still}), {{1, 1}});
  EXPECT_DOUBLE_EQ(at_rest.settled_at_s.value(), 1.0);
}

TEST_F(WholeRuns, WorstStepIgnoresOutliersOfSingleRepeats) {
  // The second step of one repeat was disturbed; the fourth is slow in all.
  const WholeRun run = describe(reports_with({moving, moving, moving, moving, moving}),
                                {{1, 1, 1, 4, 1}, {1, 9, 1, 4, 1}, {1, 1, 1, 5, 2}});
  EXPECT_DOUBLE_EQ(run.worst_step_at_s, 4.0);
  EXPECT_EQ(run.worst_step_s, (std::vector<double>{4, 9, 5}));
  EXPECT_EQ(run.median_step_s, (std::vector<double>{1, 1, 1}));
  EXPECT_DOUBLE_EQ(run.slow_step_s[0], 3.4);  // 95 % of the distance from the first to the last of 1 1 1 1 4
  ASSERT_EQ(run.stretches.size(), 5u);
  EXPECT_DOUBLE_EQ(run.stretches[1].step_s, 1.0);
  EXPECT_DOUBLE_EQ(run.stretches[3].step_s, 4.0);
}

TEST_F(WholeRuns, SumInjectedEnergyOverSteps) {
  std::vector<StepReport> reports = reports_with({1, 1, 1});
  const double potential = potential_energy(start.bodies, scene.model.settings.gravity);
  for (StepReport& r : reports) {
    r.energy.potential = potential - 50.0 * r.time_s;
    r.energy_injected_J = 3.0;
    r.energy.dissipated_by_friction = 1.0;  // and impacts gave 2 J, 1 J of it without a source
    r.energy.dissipated_by_impact = -2.0;
  }
  const WholeRun run = describe(reports, {{1, 1, 1}});
  EXPECT_DOUBLE_EQ(run.energy_injected_J, 9.0);
  EXPECT_DOUBLE_EQ(run.energy_created_J, 3.0);
  EXPECT_NEAR(run.energy_injected_relative, 9.0 / 150.0, 1e-12);
}

TEST_F(WholeRuns, AreSummarizedInStretches) {
  std::vector<StepReport> reports = reports_with(std::vector<double>(1000, moving));
  for (StepReport& r : reports) {
    r.sweeps = r.step <= 500 ? 10 : 20;
    r.velocity_scale_m_s = 1.0;
    r.residual_rms_m_s = r.step == 995 ? 2e-3 : 1e-4;
  }
  const WholeRun run = describe(reports, {std::vector<double>(1000, 1e-3)});
  ASSERT_EQ(run.stretches.size(), 100u);
  EXPECT_DOUBLE_EQ(run.stretches[0].time_s, 10.0);
  EXPECT_DOUBLE_EQ(run.stretches[49].sweeps, 10.0);
  EXPECT_DOUBLE_EQ(run.stretches[50].sweeps, 20.0);
  EXPECT_DOUBLE_EQ(run.stretches[98].residual_of_goal, 0.1);
  EXPECT_DOUBLE_EQ(run.stretches[99].residual_of_goal, 2.0);
  EXPECT_NEAR(run.stretches[99].kinetic_energy_relative, 2.0 * settled_energy, 1e-12);
  EXPECT_NEAR(run.stretches[99].step_s, 1e-3, 1e-15);
}

TEST(WholeRunScenes, HaveTheRequestedBodyCount) {
  for (const char* name : {"collapse", "tube", "mixture", "hopper"}) {
    for (const int count : {10, 60, 3000})
      EXPECT_EQ(scene_of(name, count).initial.bodies.size(), static_cast<std::size_t>(count)) << name;
  }
}

TEST(WholeRunScenes, TheMixtureSpansAThousandToOneInVolume) {
  const io::Scene scene = scene_of("mixture", 1000);
  double least = 1.0, most = 0.0;  // of the smallest semi-axes, m; the large ones are spheres of 3 cm
  for (const auto shape : scene.initial.bodies.shape) {
    least = std::min(least, scene.model.shapes.smallest_length(shape));
    most = std::max(most, scene.model.shapes.smallest_length(shape));
  }
  EXPECT_DOUBLE_EQ(most, 0.03);
  const double volume_of_least = least * least * least * 1.8 / 0.75;  // rice, times 3 / (4 pi)
  EXPECT_GT(most * most * most / volume_of_least, 1000.0);
}

}  // namespace
}  // namespace scree
