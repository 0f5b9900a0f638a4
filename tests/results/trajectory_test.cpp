#include "io/results/trajectory.h"

#include <csignal>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/state_hash.h"
#include "io/files/file_errors.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

/// An HDF5 file opened for reading, by the plain C interface, independent of the tested code.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~Reader() {
    if (file_ >= 0) H5Fclose(file_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  bool is_open() const { return file_ >= 0; }

  std::vector<hsize_t> dims(const std::string& name) const {
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
    std::vector<hsize_t> result(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, result.data(), nullptr);
    H5Sclose(space);
    H5Dclose(dataset);
    return result;
  }

  /// All numbers of a dataset.
  std::vector<double> numbers(const std::string& name) const {
    std::size_t count = 1;
    for (const hsize_t d : dims(name)) count *= d;
    std::vector<double> result(count);
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()), 0) << name;
    H5Dclose(dataset);
    return result;
  }

  std::string text(const std::string& name) const {
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), type = H5Dget_type(dataset);
    char* pointer = nullptr;
    EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), 0) << name;
    const std::string result = pointer ? pointer : "";
    H5free_memory(pointer);
    H5Tclose(type);
    H5Dclose(dataset);
    return result;
  }

  std::string attribute(const std::string& object, const std::string& name) const {
    const hid_t attribute = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return "";
    const hid_t type = H5Aget_type(attribute);
    char* pointer = nullptr;
    H5Aread(attribute, type, &pointer);
    const std::string result = pointer ? pointer : "";
    H5free_memory(pointer);
    H5Tclose(type);
    H5Aclose(attribute);
    return result;
  }

  /// Paths of all datasets.
  std::vector<std::string> datasets() const {
    std::vector<std::string> names;
    H5Ovisit2(
        file_, H5_INDEX_NAME, H5_ITER_INC,
        [](hid_t, const char* name, const H5O_info_t* info, void* list) -> herr_t {
          if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(list)->push_back(name);
          return 0;
        },
        &names, H5O_INFO_BASIC);
    return names;
  }

 private:
  hid_t file_;
};

void append_frames(io::Trajectory& trajectory, const io::Scene& scene, int frames) {
  for (int k = 0; k < frames; ++k) {
    const ExampleStep step = example_step(scene, k + 1);
    trajectory.append(io::make_frame(scene.model, step.state, scene.output.fields, true));
  }
}

}  // namespace

TEST(Trajectory, HoldsTheWrittenDatasets) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(6);
  scene.output.fields = {"kinetic_energy"};
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  append_frames(trajectory, scene, 3);
  const ExampleStep last = example_step(scene, 3);
  trajectory.close();

  const Reader reader(folder.path() / "t.h5");
  ASSERT_TRUE(reader.is_open());
  EXPECT_EQ(reader.attribute("/", "format"), "scree trajectory");
  EXPECT_EQ(reader.attribute("/", "scene"), "example");
  EXPECT_EQ(reader.text("/scene/text"), scene.text);
  EXPECT_EQ(reader.dims("/scene/overrides"), (std::vector<hsize_t>{1}));
  EXPECT_EQ(reader.dims("/frames/position"), (std::vector<hsize_t>{18, 3}));
  EXPECT_EQ(reader.dims("/frames/orientation"), (std::vector<hsize_t>{18, 4}));
  EXPECT_EQ(reader.dims("/frames/kinetic_energy"), (std::vector<hsize_t>{18}));
  EXPECT_EQ(reader.numbers("/frames/offset"), (std::vector<double>{0, 6, 12, 18}));
  EXPECT_EQ(reader.numbers("/frames/time"), (std::vector<double>{1e-3, 2e-3, 3e-3}));
  const std::vector<double> position = reader.numbers("/frames/position");
  const std::vector<double> orientation = reader.numbers("/frames/orientation");
  const Bodies& bodies = last.state.bodies;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(position[(2 * 6 + i) * 3 + 1], static_cast<float>(bodies.position[i].y()));
    EXPECT_EQ(orientation[(2 * 6 + i) * 4 + 0], static_cast<float>(bodies.orientation[i].w()));
    EXPECT_EQ(reader.numbers("/bodies/semi_axes")[3 * i + 1], 0.02);
    EXPECT_EQ(reader.numbers("/bodies/mass")[i], bodies.mass[i]);
  }
  EXPECT_EQ(reader.numbers("/materials/friction"), (std::vector<double>{0.5, 0.3, 0.3, 0.5}));
  EXPECT_EQ(reader.numbers("/boundaries/tubes/inner_radius"), std::vector<double>{0.5});
  EXPECT_EQ(reader.dims("/boundaries/planes/normal"), (std::vector<hsize_t>{5, 3}));
}

TEST(Trajectory, ContactsAreRaggedRows) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(4);
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  trajectory.append(io::make_frame(scene.model, scene.initial, {}, true));  // no contacts at the start
  append_frames(trajectory, scene, 2);
  trajectory.close();
  const Reader reader(folder.path() / "t.h5");
  EXPECT_EQ(reader.numbers("/contacts/offset"), (std::vector<double>{0, 0, 3, 6}));
  EXPECT_EQ(reader.dims("/contacts/impulse"), (std::vector<hsize_t>{6, 3}));
  EXPECT_EQ(reader.numbers("/contacts/body_a"), (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(reader.numbers("/contacts/body_b"), (std::vector<double>{-1, 2, 3, -1, 2, 3}));
  EXPECT_EQ(reader.numbers("/contacts/boundary"), (std::vector<double>{0, -1, -1, 0, -1, -1}));
}

TEST(Trajectory, EveryDatasetHasItsUnitAndMeaning) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(2);
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  trajectory.close();
  const Reader reader(folder.path() / "t.h5");
  EXPECT_GT(reader.datasets().size(), 30u);
  for (const std::string& name : reader.datasets()) {
    EXPECT_NE(reader.attribute(name, "description"), "") << name;
    const bool is_text = name.starts_with("scene/") || name.ends_with("/name") || name.ends_with("/kind");
    EXPECT_EQ(reader.attribute(name, "unit").empty(), is_text) << name;
  }
}

TEST(Trajectory, ASceneWithoutBodiesIsReadable) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(0);
  io::Trajectory trajectory(folder.path() / "t.h5", scene);
  append_frames(trajectory, scene, 2);
  trajectory.close();
  const Reader reader(folder.path() / "t.h5");
  EXPECT_EQ(reader.dims("/frames/position"), (std::vector<hsize_t>{0, 3}));
}

TEST(Trajectory, AKilledRunLeavesItsFrames) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(500);
  const pid_t child = fork();
  if (child == 0) {
    io::Trajectory trajectory(folder.path() / "t.h5", scene);
    append_frames(trajectory, scene, 4);
    trajectory.commit();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Reader reader(folder.path() / "t.h5");
  ASSERT_TRUE(reader.is_open());
  EXPECT_EQ(reader.dims("/frames/position"), (std::vector<hsize_t>{2000, 3}));
  EXPECT_EQ(reader.numbers("/frames/time").back(), 4e-3);
  const float x = static_cast<float>(example_step(scene, 4).state.bodies.position[499].z());
  EXPECT_EQ(reader.numbers("/frames/position").back(), x);
  EXPECT_EQ(reader.numbers("/contacts/offset").back(), 4 * 499);
}

// Disk space of a frame, for bodies whose numbers compress worse than those of any real run: random numbers.
TEST(Trajectory, AFrameTakesLessThanSixtyBytesABody) {
  const TemporaryFolder folder;
  constexpr int bodies = 20'000, frames = 4;
  io::Scene scene = example_scene(bodies);
  scene.output.contacts = false;
  const std::filesystem::path path = folder.path() / "t.h5";
  io::Trajectory trajectory(path, scene);
  const auto constants = std::filesystem::file_size(path);
  append_frames(trajectory, scene, frames);
  trajectory.close();
  const auto size = static_cast<double>(std::filesystem::file_size(path) - constants);
  EXPECT_LT(size / frames / bodies, 60.0);
}

TEST(Trajectory, ReportsAFullDisk) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(2000);
  // A limit on the size of files simulates a full disk; the child's exit status gives the result.
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      io::Trajectory trajectory(folder.path() / "t.h5", scene);
      append_frames(trajectory, scene, 50);
    } catch (const io::WriteError& error) {
      _exit(std::string(error.what()).find("File too large") == std::string::npos ? 3 : 0);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace scree::test
