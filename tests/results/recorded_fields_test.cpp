#include "io/results/recorded_fields.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

#include "engine/modules/fields/packing_profile.h"
#include "engine/simulation/step.h"
#include "io/results/run_recorder.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

std::vector<std::string> cells(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> list;
  for (std::string cell; std::getline(text, cell, ',');) list.push_back(cell);
  return list;
}

/// The column of a table with this name, as numbers.
std::vector<double> column(const std::filesystem::path& path, const std::string& name) {
  std::istringstream text(read_text(path));
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> header = cells(line);
  const auto wanted =
      static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  std::vector<double> values;
  while (std::getline(text, line)) values.push_back(std::strtod(cells(line).at(wanted).c_str(), nullptr));
  return values;
}

}  // namespace

// A real run: fields computed from its file equal those computed during the run, to the rounding of single
// precision.
TEST(RecordedFields, MatchFieldsComputedDuringTheRun) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(300);
  scene.output.interval_s = 0.005;
  scene.output.vtk = false;
  scene.output.fields = {"kinetic_energy", "overlap"};
  scene.model.boundaries.pop_back();  // the tube, which may contain bodies
  const Layers layers{Vec3::UnitZ(), 0.0, 0.05, 40};
  std::vector<std::vector<double>> packing;  // [frame][layer]
  std::vector<double> energy;                // [frame] J
  {
    io::RunRecorder recorder(scene, {folder.path(), false});
    State state = scene.initial;
    Workspace workspace;
    StepResult result;
    for (int k = 0; k <= 40; ++k) {
      if (k > 0) {
        step(scene.model, state, workspace, result);
        recorder.after_step(result, state);
      }
      if (k % 5 != 0) continue;
      packing.push_back(solid_volume(scene.model.shapes, state.bodies, layers));
      energy.push_back(kinetic_energy(state.bodies));
    }
    recorder.finish(io::RunStatus::finished, state);
  }
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const std::vector<double> table = column(folder.path() / "steps.csv", "kinetic_energy_J");
  ASSERT_EQ(reader.frames(), 9u);
  ASSERT_EQ(table.size(), 40u);
  for (std::size_t k = 0; k < 9; ++k) {
    const auto read = solid_volume(reader.run().model.shapes, reader.bodies(k), layers);
    // Positions of 2 m have an error of 1.2e-7 m; a layer of ten bodies of 4 cm changes by less than 1e-5 of
    // a body's volume.
    const double body = 4.0 / 3.0 * M_PI * 0.03 * 0.02 * 0.01;
    for (std::size_t l = 0; l < layers.count; ++l) EXPECT_NEAR(read[l], packing[k][l], 1e-4 * body);
    const std::vector<float> each = io::field_values(reader, k, "kinetic_energy");
    const double sum = std::accumulate(each.begin(), each.end(), 0.0);
    EXPECT_NEAR(sum, energy[k], 1e-6 * energy[k]);
    if (k > 0) {
      EXPECT_EQ(table[5 * k - 1], energy[k]) << "steps.csv keeps every bit";
    }
    const std::vector<float> recorded = reader.frame(k).fields[0];
    for (std::size_t i = 0; i < recorded.size(); ++i)
      EXPECT_NEAR(each[i], recorded[i], 1e-5f * (recorded[i] + 1e-9f));
  }
}

TEST(RecordedFields, HaveTheValuesOfTheirDefinitions) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(4);
  scene.output.vtk = false;
  const ExampleStep step = example_step(scene, 50);
  io::RunRecorder recorder(scene, {folder.path(), false});
  recorder.after_step(step.result, step.state);
  recorder.finish(io::RunStatus::finished, step.state);
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  ASSERT_EQ(reader.frames(), 2u);
  const auto values = [&](const char* name) { return io::field_values(reader, 1, name); };
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(values("speed")[i], 1.0f, 1e-6f);
    EXPECT_NEAR(values("angular_speed")[i], 10.0f, 1e-5f);
    EXPECT_EQ(values("height")[i], static_cast<float>(step.state.bodies.position[i].z()));
    EXPECT_NEAR(values("radius")[i], std::cbrt(0.03 * 0.02 * 0.01), 1e-9);
    EXPECT_EQ(values("id")[i], static_cast<float>(i));
    EXPECT_EQ(values("material")[i], 0.0f);
  }
  EXPECT_EQ(values("contacts"), (std::vector<float>{1, 0, 1, 1}));  // 0-floor and 2-3 carry impulses
  for (const io::RecordedField& field : io::recorded_fields(reader.run())) {
    EXPECT_EQ(values(field.name.c_str()).size(), 4u) << field.name;
    EXPECT_FALSE(field.unit.empty() || field.meaning.empty()) << field.name;
  }
}

// A row across the seam: from the file to the stress of the cell, in every section of it.
TEST(RecordedFields, CellFieldsMatchThePrescribedStress) {
  const TemporaryFolder folder;
  record_row_in_a_cell(folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const std::size_t last = reader.frames() - 1;
  const PlacedCell cell = reader.cell(last);
  EXPECT_TRUE(reader.knows_flow());
  EXPECT_LT(cell.rate.norm(), 1e-3);
  const auto forces = io::contact_forces(reader.contacts(last), reader.run().impulse_time_s);
  ASSERT_EQ(forces.size(), 3u);
  const double width = 0.02;
  const Grid grid = covering_grid(cell, Vec3::Zero(), Vec3::Zero(), width, width / 4.0);
  const CoarseFields fields =
      coarse_fields(reader.run().model.shapes, reader.bodies(last), forces, grid, width, cell);
  Mat3 mean = Mat3::Zero();
  double mass = 0.0;
  for (std::size_t c = 0; c < grid.size(); ++c) {
    mean += fields.contact_stress[c] / static_cast<double>(grid.size());
    mass += fields.density[c] * grid.cell_volume();
  }
  const double yy = column(folder.path() / "cell.csv", "stress_yy_Pa").back();
  EXPECT_NEAR(yy, 1000.0, 1e-3 * 1000.0);
  EXPECT_NEAR(mean(1, 1), yy, 1e-5 * yy);  // single precision: 1e-7 of positions, over a third of the cell
  EXPECT_NEAR(mass, 3.0 * reader.run().bodies.mass[0], 1e-12 * mass);
}

}  // namespace scree::test
