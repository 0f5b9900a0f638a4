#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "engine/core/errors.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/step.h"
#include "io/files/file_errors.h"
#include "io/results/background_writer.h"
#include "io/results/recorded_fields.h"
#include "io/results/run_recorder.h"
#include "io/results/step_table.h"
#include "io/results/trajectory_reader.h"
#include "tests/results/fixtures.h"
#include "tests/support/emulated_team.h"

namespace scree::test {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Records `steps` steps of the example and returns the summary as read from the file.
nlohmann::json record(const io::Scene& scene, const fs::path& folder, int steps,
                      io::RunStatus status = io::RunStatus::finished) {
  io::RunRecorder recorder(scene, {folder, false});
  ExampleStep step{scene.initial, {}};
  for (int k = 1; k <= steps; ++k) {
    step = example_step(scene, k);
    recorder.after_step(step.result, step.state);
  }
  recorder.finish(status, step.state);
  return nlohmann::json::parse(read_text(folder / "summary.json"));
}

}  // namespace

TEST(RunRecorder, WritesAllFiles) {
  const TemporaryFolder folder;
  record(example_scene(5), folder.path(), 50);
  for (const char* name :
       {"trajectory.h5", "steps.csv", "summary.json", "stage_table.txt", "view.py", "bodies.pvd",
        "contacts.pvd", "walls.vtp", "vtk/bodies_000005.vtp", "vtk/contacts_000005.vtp"}) {
    EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder.path())) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

TEST(RunRecorder, WritesOnlyTheFilesThatTheSceneRequests) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(5);
  scene.output.hdf5 = scene.output.vtk = false;
  record(scene, folder.path(), 3);
  EXPECT_FALSE(fs::exists(folder.path() / "trajectory.h5"));
  EXPECT_FALSE(fs::exists(folder.path() / "view.py"));
  EXPECT_FALSE(fs::exists(folder.path() / "vtk"));
  EXPECT_TRUE(fs::exists(folder.path() / "steps.csv"));
}

TEST(RunRecorder, FramesFallOnTheIntervalAndOnTheEnd) {
  const TemporaryFolder folder;
  // 1 ms steps, 10 ms interval: the start, 10, 20 and the end at 27 ms.
  const nlohmann::json summary = record(example_scene(2), folder.path(), 27, io::RunStatus::interrupted);
  EXPECT_EQ(summary["frames"], 4);
  EXPECT_EQ(summary["status"], "interrupted");
  const std::string index = read_text(folder.path() / "bodies.pvd");
  for (const char* time : {"\"0\"", "\"0.01\"", "\"0.02\"", "\"0.027\""}) {
    EXPECT_NE(index.find(std::string("timestep=") + time), std::string::npos) << index;
  }
}

TEST(RunRecorder, AnIntervalBelowTheStepGivesAFrameAStep) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(2);
  scene.output.interval_s = 1e-4;
  EXPECT_EQ(record(scene, folder.path(), 7)["frames"], 8);
}

TEST(RunRecorder, StepTableHasARowAStep) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(3);
  record(scene, folder.path(), 4);
  const std::vector<std::string> lines = split(read_text(folder.path() / "steps.csv"), '\n');
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], io::step_table_header());
  const std::vector<std::string> names = split(lines[0], ',');
  EXPECT_EQ(names.size(), observables(ObservedKind::run).size() + 2);
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::vector<std::string> values = split(lines[k], ',');
    ASSERT_EQ(values.size(), names.size());
    const ExampleStep step = example_step(scene, static_cast<std::int64_t>(k));
    const auto value = [&](const std::string& name) {
      return values[std::find(names.begin(), names.end(), name) - names.begin()];
    };
    EXPECT_EQ(value("step"), std::to_string(k));
    // Written such that it reads back as the same double.
    EXPECT_EQ(std::stod(value("kinetic_energy_J")), step.result.report.energy.kinetic);
    EXPECT_EQ(std::stod(value("penetration_max")), step.result.report.penetration_max);
    EXPECT_EQ(value("solver_status"), "converged");
    EXPECT_EQ(value("state_hash"), hash_text(state_hash(step.state.bodies)));
  }
}

TEST(RunRecorder, SummaryHoldsExpectedValues) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(8);
  const nlohmann::json s = record(scene, folder.path(), 12);
  EXPECT_EQ(s["scene"], "example");
  EXPECT_EQ(s["status"], "finished");
  EXPECT_EQ(s["solver"], "gauss_seidel");
  EXPECT_EQ(s["bodies"], 8);
  EXPECT_EQ(s["lost_bodies"], 0);
  EXPECT_EQ(s["steps"], 12);
  EXPECT_DOUBLE_EQ(s["simulated_time_s"], 0.012);
  EXPECT_GT(s["wall_time_s"], 0.0);
  EXPECT_GT(s["real_time_factor"], 0.0);
  EXPECT_DOUBLE_EQ(s["median_step_time_s"], 0.010);
  EXPECT_NEAR(s["stage_time_s"]["resolution"], 12 * 0.003, 1e-12);
  EXPECT_EQ(s["contacts"], 7 + 0);
  EXPECT_DOUBLE_EQ(s["penetration_max"], 0.02 / 12);
  EXPECT_DOUBLE_EQ(s["penetration_mean"], 0.01 / 12);
  EXPECT_DOUBLE_EQ(s["penetration_max_of_run"], 0.02);
  EXPECT_DOUBLE_EQ(s["residual_rms_relative"], 1e-3);
  EXPECT_DOUBLE_EQ(s["momentum_error_relative"], 12e-16);
  EXPECT_DOUBLE_EQ(s["energy"]["dissipated_by_friction_J"], 6.0);
  const ExampleStep last = example_step(scene, 12);
  EXPECT_DOUBLE_EQ(s["kinetic_energy_per_body_J"], kinetic_energy(last.state.bodies) / 8);
  EXPECT_EQ(s["state_hash"], hash_text(state_hash(last.state.bodies)));
  double lowest = potential_energy(scene.initial.bodies, scene.model.settings.gravity);
  const double first = lowest;
  for (int k = 1; k <= 12; ++k)
    lowest = std::min(lowest, example_step(scene, k).result.report.energy.potential);
  // The decrease is a small difference of large sums.
  const double available = kinetic_energy(scene.initial.bodies) + first - lowest;
  EXPECT_NEAR(s["energy_injected_relative"], 3.0 / available, 1e-12 * 3.0 / available);
  EXPECT_GE(s["threads"], 1);
  EXPECT_FALSE(s["scree_version"].get<std::string>().empty());
}

TEST(RunRecorder, ARunWithoutStepsHasNoNaN) {
  const TemporaryFolder folder;
  const nlohmann::json s = record(example_scene(0), folder.path(), 0);
  EXPECT_EQ(s["steps"], 0);
  EXPECT_EQ(s["frames"], 1);
  for (const auto& [key, value] : s.items()) EXPECT_FALSE(value.is_null()) << key;
}

TEST(RunRecorder, CountsLostBodies) {
  const io::Scene scene = example_scene(5);
  Bodies bodies = scene.initial.bodies;
  EXPECT_EQ(count_lost_bodies(scene.model, bodies, 0.0), 0);
  bodies.position[0].z() = -0.029;  // still within its bounding radius of 30 mm
  EXPECT_EQ(count_lost_bodies(scene.model, bodies, 0.0), 0);
  bodies.position[0].z() = -0.031;
  bodies.linear_velocity[3].x() = std::nan("");
  EXPECT_EQ(count_lost_bodies(scene.model, bodies, 0.0), 2);
}

TEST(RunRecorder, AdaptiveStepsKeepFrameTimesAndStepIndependentForces) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(0);
  Model& model = scene.model;
  model.settings.adaptive_step = true;
  model.settings.time_step_s = 0.01;
  scene.output.interval_s = 0.03;
  scene.end_time_s = 0.65;  // not a multiple of the interval
  const ShapeIndex shape = model.shapes.add(Ellipsoid{{0.03, 0.03, 0.03}});
  add_body(scene.initial.bodies, model.shapes, model.materials,
           {shape, MaterialIndex(0), {{0.0, 0.0, 0.13}, Quat::Identity()}, {}});
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  std::vector<double> lengths;
  {
    io::RunRecorder recorder(scene, {folder.path(), false});
    while (state.time_s < scene.end_time_s) {
      const double landing = next_landing(run_plan(scene), state, scene.end_time_s);
      const StepReport& report = step(model, state, workspace, result, landing);
      lengths.push_back(report.time_step_s);
      recorder.after_step(result, state);
    }
    const io::Summary summary = recorder.finish(io::RunStatus::finished, state);
    const auto [least, largest] = std::ranges::minmax(lengths);
    EXPECT_LT(least, 0.97 * largest);  // the last interval has steps of another length
    EXPECT_EQ(summary.least_time_step_s, least);
    EXPECT_EQ(summary.largest_time_step_s, largest);
    EXPECT_NEAR(summary.time_step_s, 0.65 / static_cast<double>(lengths.size()), 1e-15);
    EXPECT_EQ(summary.verdict.grade, io::Grade::green);
  }
  EXPECT_NEAR(std::accumulate(lengths.begin(), lengths.end(), 0.0), 0.65, 1e-12);
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  ASSERT_EQ(reader.time_s().size(), 23u);
  for (std::size_t k = 0; k < 22; ++k) EXPECT_EQ(reader.time_s()[k], 0.03 * static_cast<double>(k));
  EXPECT_EQ(reader.time_s()[22], 0.65);
  EXPECT_TRUE(reader.run().model.settings.adaptive_step);
  const double weight = state.bodies.mass[0] * model.settings.gravity.norm();
  for (const std::size_t frame : {15u, 22u}) {  // they are at rest by then
    const auto forces = io::contact_forces(reader.contacts(frame), reader.run().impulse_time_s);
    ASSERT_EQ(forces.size(), 1u);
    EXPECT_NEAR(forces[0].force.z(), weight, 1e-3 * weight);
  }
}

TEST(RunRecorder, RefusesToReplaceResultsAndLeavesThemAlone) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(2);
  record(scene, folder.path(), 3);
  const std::string trajectory = read_text(folder.path() / "trajectory.h5");
  EXPECT_THROW(io::RunRecorder(scene, {folder.path(), false}), io::WriteError);
  EXPECT_EQ(read_text(folder.path() / "trajectory.h5"), trajectory);
  EXPECT_NO_THROW(io::RunRecorder(scene, {folder.path(), true}));
}

TEST(RunRecorder, RejectsUnknownFieldsBeforeItWrites) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(2);
  scene.output.fields = {"colour"};
  EXPECT_THROW(io::RunRecorder(scene, {folder.path() / "run", false}), InputError);
  EXPECT_FALSE(fs::exists(folder.path() / "run"));
}

TEST(RunRecorder, StageTableHasADozenRows) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(2);
  scene.end_time_s = 0.05;
  record(scene, folder.path(), 50);
  EXPECT_EQ(split(read_text(folder.path() / "stage_table.txt"), '\n').size(), 2u + 12u);
}

TEST(RunRecorder, FailureToWriteFramesIsThrown) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(2);
  io::RunRecorder recorder(scene, {folder.path() / "run", false});
  fs::remove_all(folder.path() / "run" / "vtk");
  const auto go_on = [&] {
    for (int k = 1; k <= 100; ++k) {
      const ExampleStep step = example_step(scene, k);
      recorder.after_step(step.result, step.state);
    }
    const ExampleStep step = example_step(scene, 101);
    recorder.finish(io::RunStatus::finished, step.state);
  };
  EXPECT_THROW(go_on(), io::WriteError);
}

// A frame that is due is wanted from all ranks, but not if no file takes it.
TEST(RunRecorder, WantsBodiesOnlyForFramesThatItWrites) {
  for (const bool writes : {true, false}) {
    const TemporaryFolder folder;
    io::Scene scene = example_scene(2);
    scene.output.hdf5 = writes;
    scene.output.vtk = false;
    io::RunRecorder recorder(scene, {folder.path() / "run", false});
    State state = scene.initial;
    state.time_s += 10.0 * scene.output.interval_s;
    EXPECT_EQ(recorder.wants_bodies(state), writes);
    recorder.finish(io::RunStatus::interrupted, state);
  }
}

TEST(RunRecorder, RanksPackTheFilesOfOneProcess) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(50);
  constexpr int steps = 30;
  const auto record_by = [&](std::size_t ranks) {
    EmulatedTeam team(ranks);
    const fs::path path = folder.path() / std::to_string(ranks);
    io::RunRecorder recorder(scene, {path, false});
    for (int k = 1; k <= steps; ++k) {
      const ExampleStep step = example_step(scene, k);
      const bool with_bodies = ranks > 1 && recorder.wants_bodies(step.state);
      recorder.after_step(step.result, step.state);
      if (with_bodies)
        team.run([&](std::size_t r) {
          if (r == 0)
            recorder.share_work(team.rank(0));
          else
            io::FramePacker().share_work(team.rank(r));
        });
    }
    recorder.finish(io::RunStatus::finished, example_step(scene, steps).state);
    return path;
  };
  const fs::path alone = record_by(1), shared = record_by(3);
  std::size_t files = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(alone / "vtk")) {
    EXPECT_EQ(read_text(file.path()), read_text(shared / "vtk" / file.path().filename())) << file.path();
    ++files;
  }
  EXPECT_GE(files, 4u);
  const io::TrajectoryReader a(alone / "trajectory.h5"), b(shared / "trajectory.h5");
  ASSERT_EQ(a.frames(), b.frames());
  for (std::size_t k = 0; k < a.frames(); ++k) {
    EXPECT_EQ(a.frame(k).position, b.frame(k).position);
    EXPECT_EQ(a.contacts(k).impulse, b.contacts(k).impulse);
  }
}

TEST(BackgroundWriter, KeepsOrderAndReportsErrors) {
  std::vector<std::int64_t> seen;
  {
    io::BackgroundWriter writer([] {});
    for (int k = 0; k < 20; ++k) writer.push([&seen, k] { seen.push_back(k); });
    writer.finish();
  }
  ASSERT_EQ(seen.size(), 20u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));

  io::BackgroundWriter broken([] {});
  EXPECT_THROW(
      {
        for (int k = 0; k < 10; ++k) broken.push([] { throw io::WriteError("full"); });
      },
      io::WriteError);
  EXPECT_THROW(broken.finish(), io::WriteError);
}

}  // namespace scree::test
