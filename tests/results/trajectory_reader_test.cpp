#include "io/results/trajectory_reader.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/file_errors.h"
#include "io/results/run_recorder.h"
#include "io/results/trajectory.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

void append(io::Trajectory& trajectory, const io::Scene& scene, int step, bool with_contacts = true) {
  const ExampleStep example = example_step(scene, step);
  trajectory.append(io::make_frame(scene.model, example.state, scene.output.fields, with_contacts));
}

/// Another process that writes a trajectory, the given number of frames on each request, and is killed at the
/// end.
class WritingProcess {
 public:
  WritingProcess(const std::filesystem::path& path, const io::Scene& scene) {
    if (pipe(orders_) != 0 || pipe(answers_) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ != 0) return;
    io::Trajectory trajectory(path, scene);
    char frames = 0;
    for (int step = 1; read(orders_[0], &frames, 1) == 1;) {
      for (int k = 0; k < frames; ++k) append(trajectory, scene, step++);
      trajectory.commit();
      if (write(answers_[1], &frames, 1) != 1) break;
    }
    _exit(1);
  }
  ~WritingProcess() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    for (const int end : {orders_[0], orders_[1], answers_[0], answers_[1]}) close(end);
  }
  WritingProcess(const WritingProcess&) = delete;
  WritingProcess& operator=(const WritingProcess&) = delete;

  /// Returns when the frames are written.
  void write_frames(char frames) {
    if (write(orders_[1], &frames, 1) != 1 || read(answers_[0], &frames, 1) != 1) {
      throw std::runtime_error("the writing process has ended");
    }
  }

 private:
  int orders_[2], answers_[2];
  pid_t child_;
};

std::string reason(const std::filesystem::path& path) {
  try {
    const io::TrajectoryReader reader(path);
  } catch (const io::ReadError& error) {
    return error.what();
  }
  return "it could be read";
}

}  // namespace

TEST(TrajectoryReader, ReadsBackConstantData) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(6);
  { io::Trajectory(folder.path() / "t.h5", scene).close(); }
  const io::TrajectoryReader reader(folder.path() / "t.h5");
  const io::RecordedRun& run = reader.run();
  EXPECT_EQ(reader.frames(), 0u);
  EXPECT_EQ(run.scene, scene.name);
  EXPECT_EQ(run.text, scene.text);
  EXPECT_EQ(run.overrides, std::vector<std::string>{"time_step=1e-3"});
  EXPECT_EQ(run.made_with.commit, io::provenance().commit);
  EXPECT_EQ(run.made_with.machine, io::provenance().machine);
  EXPECT_FALSE(run.made_with.compiler.empty());
  EXPECT_EQ(run.end_time_s, scene.end_time_s);
  EXPECT_EQ(run.model.settings.gravity, scene.model.settings.gravity);
  EXPECT_EQ(run.model.settings.time_step_s, scene.model.settings.time_step_s);
  ASSERT_EQ(run.model.materials.size(), 2u);
  const MaterialIndex stone(0), steel(1);
  EXPECT_EQ(run.model.materials.name(steel), "steel");
  EXPECT_EQ(run.model.materials.density(steel), 7800.0);
  EXPECT_EQ(run.model.materials.law(steel, stone).rolling_friction_m, 2e-4);
  const Bodies& bodies = scene.initial.bodies;
  EXPECT_EQ(run.bodies.mass, bodies.mass);
  EXPECT_EQ(run.bodies.inertia, bodies.inertia);
  EXPECT_EQ(run.bodies.id, bodies.id);
  EXPECT_EQ(run.bodies.material, bodies.material);
  EXPECT_EQ(enclosing_ellipsoid(run.model.shapes, run.bodies.shape[5]).semi_axes, Vec3(0.03, 0.02, 0.01));
  ASSERT_EQ(run.model.boundaries.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(run.model.boundaries[i].name, scene.model.boundaries[i].name);
    EXPECT_EQ(std::get<Plane>(run.model.boundaries[i].surface).normal,
              std::get<Plane>(scene.model.boundaries[i].surface).normal);
  }
  EXPECT_EQ(std::get<Tube>(run.model.boundaries[5].surface).thickness, 0.1);
}

TEST(TrajectoryReader, ReadsBackImplicitShapesWithTheirBodies) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(2);
  const PerturbedQuadric waist =
      perturbed({1.0, 0.5, 0.5}, {{ellipsoid_quadric({0.55, infinity, infinity}), -0.65}});
  ShapeFindings findings;
  Model& model = scene.model;
  const std::int32_t function = model.shapes.add_function(
      {"waist", waist, std::make_shared<ImplicitShape>(*make_implicit_shape(waist, {}, findings))});
  add_body(scene.initial.bodies, model.shapes, model.materials,
           {model.shapes.add(SizedFunction{function, 0.02}), MaterialIndex(0), {}, {}});
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  append(trajectory, scene, 1);
  trajectory.close();
  io::TrajectoryReader reader(folder.path() / "t.h5");
  const io::RecordedRun& run = reader.run();
  ASSERT_EQ(run.model.shapes.functions().size(), 1u);
  EXPECT_EQ(run.model.shapes.functions()[0].name, "waist");
  const Bodies& bodies = scene.initial.bodies;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(description(run.model.shapes, run.bodies.shape[i]), description(model.shapes, bodies.shape[i]));
    EXPECT_EQ(volume(run.model.shapes, run.bodies.shape[i]), volume(model.shapes, bodies.shape[i]));
  }
}

TEST(TrajectoryReader, ReadsBackClumpsAndCohesion) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(2);
  Model& model = scene.model;
  const std::vector<ClumpMember> parts{
      {{Vec3(1.0, 0.4, 0.3)}, {Vec3(0.2, 0.0, 0.1), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitY()))}},
      {{Vec3(0.5, 0.5, 0.5)}, {Vec3(-0.6, 0.1, 0.0), Quat::Identity()}}};
  ShapeFindings findings;
  const std::int32_t clump =
      model.shapes.add_clump({"club", parts, std::make_shared<Clump>(*make_clump(parts, findings))});
  const BodyIndex body = add_body(scene.initial.bodies, model.shapes, model.materials,
                                  {model.shapes.add(SizedClump{clump, 0.02}), MaterialIndex(0), {}, {}});
  PairLaw sticky = model.materials.law(MaterialIndex(0), MaterialIndex(0));
  sticky.cohesion = {
      .adhesion_energy = 0.1, .surface_tension = 0.07, .wetting_angle = 0.2, .bridge_volume = 1e-9};
  model.materials.set_law(MaterialIndex(0), MaterialIndex(0), sticky);
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  append(trajectory, scene, 1);
  trajectory.close();
  const io::TrajectoryReader reader(folder.path() / "t.h5");
  const io::RecordedRun& run = reader.run();
  ASSERT_EQ(run.model.shapes.clumps().size(), 1u);
  EXPECT_EQ(run.model.shapes.clumps()[0].name, "club");
  const ShapeIndex read = run.bodies.shape[body], given = scene.initial.bodies.shape[body];
  EXPECT_EQ(description(run.model.shapes, read), description(model.shapes, given));
  EXPECT_EQ(volume(run.model.shapes, read), volume(model.shapes, given));
  EXPECT_EQ(inertia_per_mass(run.model.shapes, read), inertia_per_mass(model.shapes, given));
  const Cohesion& cohesion = run.model.materials.law(MaterialIndex(0), MaterialIndex(0)).cohesion;
  EXPECT_EQ(cohesion.adhesion_energy, 0.1);
  EXPECT_EQ(cohesion.surface_tension, 0.07);
  EXPECT_EQ(cohesion.wetting_angle, 0.2);
  EXPECT_EQ(cohesion.bridge_volume, 1e-9);
}

TEST(TrajectoryReader, ReadsWholeFramesAndSingleFields) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(6);
  scene.output.fields = {"overlap", "kinetic_energy"};
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  for (int k = 1; k <= 3; ++k) append(trajectory, scene, k);
  trajectory.close();
  const io::TrajectoryReader reader(folder.path() / "t.h5");
  EXPECT_EQ(reader.time_s(), (std::vector<double>{1e-3, 2e-3, 3e-3}));
  EXPECT_EQ(reader.nearest_frame(0.0), 0u);
  EXPECT_EQ(reader.nearest_frame(0.0021), 1u);
  EXPECT_EQ(reader.nearest_frame(9.0), 2u);
  const ExampleStep step = example_step(scene, 2);
  const io::Frame written = io::make_frame(scene.model, step.state, reader.run().fields, true);
  const io::Frame whole = reader.frame(1), part = reader.frame(1, {2, 3}), tail = reader.frame(1, {4, 99});
  EXPECT_EQ(whole.step, 2);
  EXPECT_EQ(whole.position, written.position);
  EXPECT_EQ(whole.orientation, written.orientation);
  EXPECT_EQ(whole.velocity, written.velocity);
  EXPECT_EQ(whole.angular_velocity, written.angular_velocity);
  EXPECT_EQ(whole.fields, written.fields);
  EXPECT_EQ(part.position, std::vector<Vec3f>(&written.position[2], &written.position[2] + 3));
  EXPECT_EQ(part.fields[0], std::vector<float>(&written.fields[0][2], &written.fields[0][2] + 3));
  EXPECT_EQ(tail.orientation.size(), 2u);
  const Bodies bodies = reader.bodies(1);
  EXPECT_EQ(bodies.position[5], written.position[5].cast<double>());
  EXPECT_NEAR(bodies.orientation[5].angularDistance(step.state.bodies.orientation[5]), 0.0, 1e-6);
}

TEST(TrajectoryReader, FollowsOneBody) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(4);
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  for (int k = 1; k <= 5; ++k) append(trajectory, scene, k);
  trajectory.close();
  const io::BodyTrack track = io::TrajectoryReader(folder.path() / "t.h5").track(3);
  ASSERT_EQ(track.position.size(), 5u);
  for (int k = 0; k < 5; ++k) {
    const Bodies bodies = example_step(scene, k + 1).state.bodies;
    const auto i = static_cast<std::size_t>(k);
    EXPECT_EQ(track.position[i], bodies.position[3].cast<float>());
    EXPECT_EQ(track.orientation[i][1], static_cast<float>(bodies.orientation[3].x()));
    EXPECT_EQ(track.angular_velocity[i], bodies.angular_velocity[3].cast<float>());
  }
}

TEST(TrajectoryReader, ReadsContactsWhereTheyWereWritten) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(5);
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  append(trajectory, scene, 1);
  append(trajectory, scene, 2, false);
  append(trajectory, scene, 3);
  trajectory.close();
  const io::TrajectoryReader reader(folder.path() / "t.h5");
  EXPECT_TRUE(reader.has_contacts(0));
  EXPECT_FALSE(reader.has_contacts(1));
  EXPECT_TRUE(reader.contacts(1).gap.empty());
  const ExampleStep step = example_step(scene, 3);
  const io::Frame written = io::make_frame(scene.model, step.state, {}, true);
  const io::FrameContacts read = reader.contacts(2);
  EXPECT_EQ(read.point, written.contacts.point);
  EXPECT_EQ(read.normal, written.contacts.normal);
  EXPECT_EQ(read.impulse, written.contacts.impulse);
  EXPECT_EQ(read.gap, written.contacts.gap);
  EXPECT_EQ(read.body_a, written.contacts.body_a);
  EXPECT_EQ(read.body_b, written.contacts.body_b);
  EXPECT_EQ(read.boundary, written.contacts.boundary);
  EXPECT_EQ(io::contacts_of_bodies(read, 5), written.contacts_of_body);
}

TEST(TrajectoryReader, FollowsAGrowingRun) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(3);
  WritingProcess writer(folder.path() / "t.h5", scene);
  writer.write_frames(1);
  io::TrajectoryReader reader(folder.path() / "t.h5");
  EXPECT_EQ(reader.frames(), 1u);
  writer.write_frames(2);
  EXPECT_EQ(reader.frames(), 1u);
  reader.refresh();
  ASSERT_EQ(reader.frames(), 3u);
  EXPECT_EQ(reader.frame(2).position[1], example_step(scene, 3).state.bodies.position[1].cast<float>());
  EXPECT_EQ(reader.contacts(2).gap.size(), 2u);
}

TEST(TrajectoryReader, ReportsWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  const std::filesystem::path missing = folder.path() / "missing.h5", text = folder.path() / "text.h5";
  std::ofstream(text) << "not HDF5\n";
  EXPECT_NE(reason(missing).find("missing.h5: "), std::string::npos) << reason(missing);
  EXPECT_NE(reason(missing).find("No such file"), std::string::npos) << reason(missing);
  EXPECT_NE(reason(text).find("text.h5: "), std::string::npos) << reason(text);
}

// Also the last frame, whose time is no multiple of the interval.
TEST(RunRecorder, EveryFrameHasContactsUnlessAnIntervalIsGiven) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(4);
  scene.output.vtk = false;
  io::RunRecorder recorder(scene, {folder.path(), false});
  ExampleStep step{scene.initial, {}};
  for (int k = 1; k <= 13; ++k) {
    step = example_step(scene, k);
    recorder.after_step(step.result, step.state);
  }
  recorder.finish(io::RunStatus::interrupted, step.state);
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  ASSERT_EQ(reader.frames(), 3u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(reader.has_contacts(k));
  EXPECT_EQ(reader.contacts(2).gap.size(), 3u);
}

TEST(RunRecorder, ContactsHaveTheirOwnInterval) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(4);
  scene.output.interval_s = 0.01;
  scene.output.contacts_interval_s = 0.025;
  scene.output.vtk = false;
  io::RunRecorder recorder(scene, {folder.path(), false});
  ExampleStep step{scene.initial, {}};
  for (int k = 1; k <= 60; ++k) {
    step = example_step(scene, k);
    recorder.after_step(step.result, step.state);
  }
  recorder.finish(io::RunStatus::finished, step.state);
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  std::vector<double> times;  // with contacts
  for (std::size_t k = 0; k < reader.frames(); ++k) {
    if (reader.has_contacts(k)) times.push_back(reader.time_s()[k]);
  }
  ASSERT_EQ(reader.frames(), 7u);
  ASSERT_EQ(times.size(), 3u);
  // The first frame at or after 0, 25 and 50 ms, of frames every 10 ms.
  const double expected[] = {0.0, 0.03, 0.05};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(times[k], expected[k], 1e-12);
}

}  // namespace scree::test
