// Predictions of `scree check` against the results of a run.
#include "tools/check.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/simulation/placement.h"
#include "engine/simulation/step.h"
#include "io/results/run_recorder.h"
#include "io/scene/read_scene.h"

namespace scree {
namespace {

io::Scene settling_box(const std::vector<io::Override>& overrides) {
  return io::read_scene(
      std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / "settling_box" / "settling_box.toml", overrides);
}

double bytes_in(const std::filesystem::path& folder) {
  double sum = 0.0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) sum += static_cast<double>(entry.file_size());
  }
  return sum;
}

TEST(Check, CountsStepsAndFrames) {
  const Forecast expected = forecast(settling_box({}));
  EXPECT_EQ(expected.steps, 3000);
  EXPECT_EQ(expected.frames, 301);
  EXPECT_EQ(forecast(settling_box({{"output.interval", "0.0001"}})).frames, 3001);
  EXPECT_EQ(forecast(settling_box({{"end_time", "0"}})).frames, 1);
}

// Ten frames of bodies most of which have landed, without contacts: their number is estimated, sizes are not.
// The tolerance of a quarter covers other data in the files, and the varying compression of numbers.
TEST(Check, PredictsOutputSize) {
  const io::Scene scene = settling_box({{"output.contacts", "false"},
                                        {"end_time", "0.8"},
                                        {"output.interval", "0.08"},
                                        {"output.fields", "[\"overlap\"]"}});
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "scree_check_size";
  const Forecast expected = forecast(scene);
  io::RunRecorder recorder(scene, {folder, true});
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  for (std::int64_t k = 0; k < expected.steps; ++k) {
    step(scene.model, state, workspace, result);
    recorder.after_step(result, state);
  }
  const io::Summary summary = recorder.finish(io::RunStatus::finished, state);
  EXPECT_EQ(summary.frames, expected.frames);
  const double written = bytes_in(folder) -
                         static_cast<double>(std::filesystem::file_size(folder / "steps.csv")) -
                         bytes_in(folder / "checkpoints");
  // One was written, at the end; a run keeps up to three.
  EXPECT_NEAR(expected.checkpoint_bytes / (3.0 * bytes_in(folder / "checkpoints")), 1.0, 0.35);
  EXPECT_NEAR(expected.output_bytes / written, 1.0, 0.25);
  std::filesystem::remove_all(folder);
}

TEST(Check, ProbesAndReports) {
  const io::Scene scene = settling_box({});
  const Trial measured = trial_run(scene, 0.2);
  EXPECT_GT(measured.steps, 0);
  EXPECT_GT(measured.run_time_s, 0.0);
  EXPECT_LT(measured.to_s, scene.end_time_s);
  const std::string text = check_text(scene, measured);
  for (const char* part :
       {"no errors", "1000, 1 shape", "boundaries  5", "3000 steps", "301 frames", "run time"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_NE(check_text(scene, Trial{}).find("not estimated"), std::string::npos);
}

// Bodies that have landed when the run ends: the trial predicts the number of contacts of the run within a
// tenth, and its time within a factor of three on a machine that others use (docs/measurements.md has closer
// figures).
TEST(Check, PredictsContactsAndRunTime) {
  const io::Scene scene = io::read_scene(
      std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / "settling_box_n" / "settling_box_n.toml",
      {{"count", "200"}, {"end_time", "1.5"}});
  const Trial foretold = trial_run(scene, 20.0);
  EXPECT_GE(foretold.to_s, 0.9 * scene.end_time_s);
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  std::int64_t most = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (state.time_s < scene.end_time_s - 1e-9)
    most = std::max(most, step(scene.model, state, workspace, result).contacts);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_NEAR(static_cast<double>(foretold.contacts_most) / static_cast<double>(most), 1.0, 0.1);
  EXPECT_GT(foretold.run_time_s, wall_s / 3.0);
  EXPECT_LT(foretold.run_time_s, 3.0 * wall_s);
}

TEST(Check, CountsTheTimeThatFilesTake) {
  io::Scene scene = io::read_scene(
      std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / "settling_box_n" / "settling_box_n.toml",
      {{"count", "200"}, {"end_time", "1.5"}});
  const Trial trial{.run_time_s = 0.25, .to_s = 1.5, .steps = 10, .bodies_mean = 200.0, .bodies_most = 200};
  scene.output.interval_s = 0.002;
  const double much = forecast(scene, trial).writing_s();
  EXPECT_GT(much, 0.05);
  EXPECT_NE(check_text(scene, trial).find(fmt::format("run time    about {:.2g} s", 0.25 + much)),
            std::string::npos)
      << check_text(scene, trial);
  scene.output.hdf5 = scene.output.vtk = false;
  EXPECT_LT(forecast(scene, trial).writing_s(), 0.5 * much);
}

TEST(Check, ReportsInsufficientMemoryAndDiskSpace) {
  Forecast expected;
  expected.memory_bytes = 4.57e15;
  expected.output_bytes = 1e18;
  const std::string problem = room_problem(expected, "results/new");
  EXPECT_NE(problem.find("about 4570.0 TB of memory, this machine has "), std::string::npos) << problem;
  EXPECT_NE(problem.find("output.interval"), std::string::npos) << problem;
  EXPECT_EQ(room_problem(Forecast{}, "results/new"), "");
}

// Four pairs, far from each other: almost touching, touching to the last bit, overlapping, one inside the
// other.
TEST(Check, ClassifiesPairsExactly) {
  std::string text = "checks.max_initial_overlap = 100\n[[materials]]\nname = \"glass\"\ndensity = 2500\n";
  const auto add = [&](double x, double radius) {
    text += fmt::format("[[bodies]]\nradius = {}\nposition = [{}, 0, 0]\n", radius, x);
  };
  add(0, 0.5), add(1.001, 0.5);
  add(10, 0.5), add(11, 0.5);
  add(20, 0.5), add(20.75, 0.5);
  add(30, 0.5), add(30.125, 0.25);
  add(40, 0.5), add(42, 0.5);  // distant
  const io::Scene scene = io::read_scene_text(text, "pairs.toml");
  const ExactRelations found = exact_relations(scene.model, scene.initial.bodies);
  EXPECT_EQ(found.count, (std::array<std::int64_t, 4>{1, 1, 1, 1}));
  EXPECT_EQ(found.disagreeing, 0);
  EXPECT_EQ(found.unknown, 0);
  EXPECT_EQ(found.deepest.relation, Relation::inside);
  EXPECT_EQ(found.deepest.a, 6u);
  EXPECT_EQ(found.deepest.b, 7u);
  EXPECT_NEAR(found.deepest.gap_m, 0.125 - 0.75, 1e-12);
  const std::string told = exact_text(scene);
  for (const char* part :
       {"1 separate, 1 touching, 1 overlapping, 1 inside", "0 disagree with the gap",
        "deepest: inside, bodies 6 at [30, 0, 0] m and 7 at [30.125, 0, 0] m, gap -0.625 m"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  }
}

// Pairs of random ellipsoids that overlap, touch or barely miss: both methods agree.
TEST(Check, ExactRelationsAgreeWithTheGaps) {
  const io::Scene scene =
      settling_box({{"bodies[0].semi_axes", "[0.2, 0.15, 0.1]"}, {"checks.max_initial_overlap", "100"}});
  const ExactRelations found = exact_relations(scene.model, scene.initial.bodies);
  EXPECT_GT(found.count[static_cast<std::size_t>(Relation::overlapping)], 100);
  EXPECT_EQ(found.disagreeing, 0);
}

}  // namespace
}  // namespace scree
