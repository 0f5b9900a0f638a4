// Results of a run with moving walls.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/simulation/step.h"
#include "io/results/run_recorder.h"
#include "io/results/trajectory_reader.h"
#include "io/results/wall_mesh.h"
#include "io/scene/scene.h"
#include "tests/results/fixtures.h"
#include "tests/support/world.h"

namespace scree::test {

namespace {

/// A ball in a rotating box of triangles, above a fixed plane.
io::Scene scene_of_a_turning_box() {
  io::Scene scene;
  scene.name = "turning";
  scene.end_time_s = 0.1;
  scene.output.interval_s = 0.05;
  Model& model = scene.model;
  model.settings.time_step_s = 0.01;
  const MaterialIndex material = model.materials.add("grain", 1000.0);
  TriangleMesh box;
  for (int k = 0; k < 8; ++k)
    box.points.emplace_back(k & 1 ? 0.2 : -0.2, k & 2 ? 0.2 : -0.2, k & 4 ? 0.2 : -0.2);
  box.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  MeshFindings findings;
  const Pose tilted{Vec3(0.0, 0.1, 1.0), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()))};
  model.boundaries = {{"floor", material, Plane{}},
                      {"box, turning", material,
                       PlacedMesh{std::make_shared<MeshSurface>(mesh_surface(box, findings)), tilted}}};
  test::give_motion(model, 1, steady_motion({Vec3(0.5, 0, 0), Vec3(0, 3.0, 0)}, tilted.position));
  const ShapeIndex ball = model.shapes.add(Ellipsoid{Vec3::Constant(0.1)});
  add_body(scene.initial.bodies, model.shapes, model.materials,
           {ball, material, {Vec3(0.0, 0.1, 0.9), Quat::Identity()}, {}});
  return scene;
}

}  // namespace

TEST(MovingWalls, AreRecordedWithTheirPoses) {
  const TemporaryFolder folder;
  const io::Scene scene = scene_of_a_turning_box();
  double work = 0.0;
  {
    io::RunRecorder recorder(scene, {folder.path(), false});
    State state = scene.initial;
    Workspace workspace;
    StepResult result;
    for (int k = 0; k < 10; ++k) {
      step(scene.model, state, workspace, result);
      work += result.report.energy.boundary_work;
      recorder.after_step(result, state);
    }
    recorder.finish(io::RunStatus::finished, state);
  }
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  ASSERT_EQ(reader.frames(), 3u);
  EXPECT_TRUE(reader.walls_move());
  const auto& mesh = std::get<PlacedMesh>(scene.model.boundaries[1].surface);
  for (std::size_t k = 0; k < 3; ++k) {
    const Boundaries then = reader.boundaries(k);
    ASSERT_EQ(then.size(), 2u);
    EXPECT_EQ(std::get<Plane>(then[0].surface).normal, Vec3::UnitZ());
    const auto& read = std::get<PlacedMesh>(then[1].surface);
    EXPECT_EQ(read.mesh->points, mesh.mesh->points);
    EXPECT_EQ(read.mesh->triangles, mesh.mesh->triangles);
    const PlacedBoundary exact =
        place(scene.model.boundaries[1], pose_of(scene.model.boundaries[1], scene.model.parts, {}),
              reader.time_s()[k]);
    const Pose& pose = std::get<PlacedMesh>(exact.surface).pose;
    for (const Vec3& x : mesh.mesh->points)
      EXPECT_LT(
          (read.pose.position + read.pose.orientation * x - pose.position - pose.orientation * x).norm(),
          1e-14);
  }
  // ParaView's series, and the walls of the page and of pictures.
  for (const char* name : {"walls.pvd", "walls.vtp", "vtk/walls_000000.vtp", "vtk/walls_000002.vtp"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
  const io::ViewBox region =
      io::scene_region(reader.bodies(0), reader.run().model.shapes, reader.boundaries(2));
  EXPECT_EQ(io::wall_mesh(reader.boundaries(2), region).polygon.size(), 13u);

  // boundaries.csv: one row per step and boundary; names with commas are in quotes; the work is that of the
  // energy balance.
  std::ifstream file(folder.path() / "boundaries.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_TRUE(line.starts_with("step,time_s,boundary,force_x_N,"));
  const std::size_t at = line.find(",work_J,");
  ASSERT_NE(at, std::string::npos);
  const auto behind = std::ranges::count(line.substr(at + 1), ',');  // columns after it
  double sum = 0.0;
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    EXPECT_EQ(line.find("\"box, turning\"") != std::string::npos, rows % 2 == 1);
    for (auto k = behind; k > 0; --k) line.resize(line.rfind(','));
    sum += std::stod(line.substr(line.rfind(',') + 1));
  }
  EXPECT_EQ(rows, 20);
  EXPECT_NE(work, 0.0);
  EXPECT_NEAR(sum, work, 1e-12 * std::abs(work));
}

TEST(MovingWalls, SurfacesOfRevolutionAreReadBack) {
  const TemporaryFolder folder;
  io::Scene scene = scene_of_a_turning_box();
  const Pose tilted{Vec3(0.0, 0.1, 1.0), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()))};
  const auto surface = [&](RevolvedSurface s) {
    return PlacedRevolved{std::make_shared<RevolvedSurface>(std::move(s)), tilted};
  };
  Boundaries& walls = scene.model.boundaries;
  walls[0].surface = surface(revolved_surface({Vec2(0.5, 0), Vec2(1, 1), Vec2(2, 1)}, true, 0.1));
  walls[1].surface = surface(hollow_sphere(3.0));
  walls.push_back({"floor", walls[0].material, Plane{Vec3(0, 0, -5), Vec3::UnitZ()}});
  {
    io::RunRecorder recorder(scene, {folder.path(), false});
    recorder.finish(io::RunStatus::finished, scene.initial);
  }
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const Boundaries read = reader.boundaries(0);
  ASSERT_EQ(read.size(), 3u);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto &was = std::get<PlacedRevolved>(walls[k].surface),
               &is = std::get<PlacedRevolved>(read[k].surface);
    EXPECT_EQ(is.surface->corners, was.surface->corners);
    EXPECT_EQ(is.surface->closed, was.surface->closed);
    EXPECT_EQ(is.surface->hollow, was.surface->hollow);
    EXPECT_EQ(is.surface->rounding, was.surface->rounding);
    EXPECT_EQ(is.pose.position, was.pose.position);
    EXPECT_LT(is.pose.orientation.angularDistance(was.pose.orientation), 1e-15);
  }
}

TEST(MovingWalls, StaticWallsTakeNoSpaceInFrames) {
  const TemporaryFolder folder;
  io::Scene scene = scene_of_a_turning_box();
  scene.model.boundaries[1].part = -1;
  {
    io::RunRecorder recorder(scene, {folder.path(), false});
    recorder.finish(io::RunStatus::finished, scene.initial);
  }
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  EXPECT_FALSE(reader.walls_move());
  EXPECT_EQ(std::get<PlacedMesh>(reader.boundaries(0)[1].surface).mesh->triangles.size(), 12u);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "walls.pvd"));
}

}  // namespace scree::test
