#include "io/report/plots.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>

#include "io/results/run_recorder.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

const io::Plot* find(const std::vector<io::Plot>& plots, const std::string& title) {
  for (const io::Plot& plot : plots) {
    if (plot.title == title) return &plot;
  }
  return nullptr;
}

/// A made-up run of 50 steps of a millisecond.
void record(const io::Scene& scene, const std::filesystem::path& folder) {
  io::RunRecorder recorder(scene, {folder, false});
  ExampleStep step{scene.initial, {}};
  for (int k = 1; k <= 50; ++k) {
    step = example_step(scene, k);
    recorder.after_step(step.result, step.state);
  }
  recorder.finish(io::RunStatus::finished, step.state);
}

}  // namespace

TEST(StepPlots, ShowEveryStepOrCombineStepsPerPoint) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(30);
  scene.output.vtk = false;
  record(scene, folder.path());
  const io::StepRows rows(folder.path() / "steps.csv");
  ASSERT_EQ(rows.rows(), 50u);
  EXPECT_FALSE(rows.column("state_hash"));
  EXPECT_FALSE(rows.column("solver_status"));
  const std::vector<io::Plot> all = io::step_plots(rows, 1000), ten = io::step_plots(rows, 10);
  const io::Plot *energy = find(all, "Energy"), *ledger = find(all, "Energy ledger"),
                 *overlap = find(ten, "Overlap");
  ASSERT_TRUE(energy && ledger && overlap);
  EXPECT_EQ(energy->x.size(), 50u);
  EXPECT_EQ(energy->series[0].values, *rows.column("kinetic_energy_J"));
  // Half a joule of friction per step in fixtures.cpp, summed.
  EXPECT_EQ(ledger->series[0].name, "dissipated by friction");
  EXPECT_NEAR(ledger->series[0].values.back(), 25.0, 1e-12);
  // 0.02 / step: the largest value of steps 1 to 5 is the first, in per cent.
  EXPECT_EQ(overlap->x.size(), 10u);
  EXPECT_NEAR(overlap->series[0].values[0], 2.0, 1e-12);
  EXPECT_NEAR(overlap->x[9], 0.05, 1e-12);
}

TEST(StepRows, OmitAnIncompleteRow) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "s.csv")
      << "step,time_s,solver_status\n1,0.5,converged\n2,1.0,converged\n3,1.";
  const io::StepRows rows(folder.path() / "s.csv");
  EXPECT_EQ(rows.rows(), 2u);
  EXPECT_EQ(rows.names(), (std::vector<std::string>{"step", "time_s"}));
  EXPECT_EQ(io::StepRows(folder.path() / "missing.csv").rows(), 0u);
  EXPECT_TRUE(io::step_plots(io::StepRows(folder.path() / "missing.csv"), 100).empty());
}

TEST(StepRows, CanBeSelectedByPart) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "b.csv")
      << "step,time_s,boundary,force_z_N\n1,0.5,floor,3\n1,0.5,lid,4\n2,1.0,floor,5\n2,1.0,lid,6\n";
  const io::StepRows lid(folder.path() / "b.csv", "boundary", "lid");
  EXPECT_EQ(lid.rows(), 2u);
  EXPECT_EQ(*lid.column("force_z_N"), (std::vector<double>{4.0, 6.0}));
  EXPECT_EQ(io::StepRows(folder.path() / "b.csv", "part", "lid").rows(), 0u);
}

// A line for each loaded part, with the magnitude of vectors.
TEST(LoadPlots, ShowForcesOfLoadedParts) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "boundaries.csv")
      << "step,time_s,boundary,force_N,power_W\n"
         "1,0.5,floor,5,0\n1,0.5,lid,0,0\n2,1.0,floor,2,0\n2,1.0,lid,0,0\n";
  std::ofstream(folder.path() / "parts.csv") << "step,time_s,part,torque_N_m,power_W,travel\n"
                                                "1,0.5,drum,3,-1,\n1,0.5,lid,0,0,0.25\n"
                                                "2,1.0,drum,4,-2,\n2,1.0,lid,0,0,0.5\n";
  std::ofstream(folder.path() / "cell.csv")
      << "step,time_s,solid_fraction,stress_xx_Pa\n1,0.5,0.6,10\n2,1,0.61,20\n";
  std::ofstream(folder.path() / "models.csv") << "step,time_s,oil.p\n1,0.5,7\n2,1,8\n";
  const std::vector<io::Plot> plots = io::load_plots({folder.path()}, 100);
  const io::Plot *force = find(plots, "Force on boundaries"), *stress = find(plots, "Stress of the cell");
  ASSERT_TRUE(force && stress);
  ASSERT_EQ(force->series.size(), 1u);
  EXPECT_EQ(force->series[0].name, "floor");
  EXPECT_EQ(force->series[0].values, (std::vector<double>{5.0, 2.0}));
  EXPECT_EQ(force->x, (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(stress->series[0].values, (std::vector<double>{10.0, 20.0}));
  ASSERT_TRUE(find(plots, "Model: oil.p"));
  EXPECT_EQ(find(plots, "Model: oil.p")->series[0].values, (std::vector<double>{7.0, 8.0}));
  EXPECT_FALSE(find(plots, "Power of boundaries"));
  const io::Plot *torque = find(plots, "Torque on parts"), *travel = find(plots, "Travel of parts");
  ASSERT_TRUE(torque && travel && find(plots, "Power of parts"));
  ASSERT_EQ(torque->series.size(), 1u);
  EXPECT_EQ(torque->series[0].values, (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(torque->y_label, "N m");
  ASSERT_EQ(travel->series.size(), 1u);  // a part at rest is not drawn
  EXPECT_EQ(travel->series[0].name, "lid");
  EXPECT_EQ(travel->y_label, "m or rad");
  EXPECT_TRUE(io::load_plots({folder.path() / "nothing"}, 100).empty());
}

TEST(StepRows, FollowAGrowingFile) {
  const TemporaryFolder folder;
  std::ofstream file(folder.path() / "s.csv");
  file << "step,time_s,hash\n1,0.5,ab\n2,1." << std::flush;
  io::StepRows rows(folder.path() / "s.csv");
  EXPECT_EQ(rows.rows(), 1u);
  file << "25,cd\n3,nan,ef\n" << std::flush;
  rows.refresh();
  rows.refresh();
  EXPECT_EQ(*rows.column("step"), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(rows.column("time_s")->at(1), 1.25);
  EXPECT_TRUE(std::isnan(rows.column("time_s")->at(2)));
  EXPECT_EQ(rows.names(), (std::vector<std::string>{"step", "time_s"}));
}

TEST(BodyPlots, CountAllBodiesAndTheirVolume) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(200);
  scene.model.boundaries.pop_back();  // the tube, so that only the box remains
  scene.output.vtk = false;
  record(scene, folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const std::vector<io::Plot> plots = io::body_plots(reader);
  const io::Plot *sizes = find(plots, "Sizes"), *packing = find(plots, "Packing fraction"),
                 *directions = find(plots, "Directions");
  ASSERT_TRUE(sizes && packing && directions);
  const auto sum = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
  EXPECT_EQ(sum(sizes->series[0].values), 200.0);
  EXPECT_NEAR(sum(directions->series[1].values) / 20.0, 1.0, 1e-12);
  // The box is 2 m by 2 m; almost all bodies are in the layers.
  const double layer = packing->x[1] - packing->x[0], body = 4.0 / 3.0 * M_PI * 0.03 * 0.02 * 0.01;
  EXPECT_NE(packing->note.find("the floor between the walls, 4 m^2"), std::string::npos) << packing->note;
  EXPECT_NEAR(sum(packing->series[0].values) * layer * 4.0, 200.0 * body, 0.02 * 200.0 * body);
}

// In a periodic cell layers are as wide as the cell; a part of a body above its top is inside at the bottom.
TEST(BodyPlots, FillAPeriodicCell) {
  const TemporaryFolder folder;
  record_row_in_a_cell(folder.path());
  const std::vector<io::Plot> plots = io::body_plots(io::TrajectoryReader(folder.path() / "trajectory.h5"));
  const io::Plot* packing = find(plots, "Packing fraction");
  ASSERT_TRUE(packing);
  EXPECT_NE(packing->note.find("over the cell, 0.000"), std::string::npos) << packing->note;
  const double body = 4.0 / 3.0 * M_PI * 0.005 * 0.005 * 0.005;
  for (const io::Series& s : packing->series) {
    const double all = std::accumulate(s.values.begin(), s.values.end(), 0.0);
    EXPECT_NEAR(all / static_cast<double>(s.values.size()), 3.0 * body / (0.03 * 0.03 * 0.03), 1e-4);
  }
}

TEST(BodyPlots, CountBodiesPresentInARun) {
  const TemporaryFolder folder;
  record_coming_and_going(folder.path());
  const std::vector<io::Plot> plots = io::body_plots(io::TrajectoryReader(folder.path() / "trajectory.h5"));
  const io::Plot *sizes = find(plots, "Sizes"), *directions = find(plots, "Directions");
  ASSERT_TRUE(sizes && directions);
  // All five bodies of the run; a share of directions is 1 on average, for any set of bodies.
  EXPECT_EQ(std::accumulate(sizes->series[0].values.begin(), sizes->series[0].values.end(), 0.0), 5.0);
  for (const io::Series& s : directions->series)
    EXPECT_NEAR(std::accumulate(s.values.begin(), s.values.end(), 0.0), static_cast<double>(s.values.size()),
                1e-12);
}

}  // namespace scree::test
