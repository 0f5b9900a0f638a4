// Files that are damaged, written by another program, or made to do harm: each gives a message at once.
#include <chrono>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <thread>

#include "engine/core/errors.h"
#include "io/files/file_errors.h"
#include "io/files/hdf5_file.h"
#include "io/files/hdf5_process.h"
#include "io/files/mesh_file.h"
#include "io/problems/problem_file.h"
#include "io/results/trajectory.h"
#include "io/results/trajectory_reader.h"
#include "io/scene/body_table.h"
#include "io/scene/read_scene.h"
#include "tests/fuzz/memory_content.h"
#include "tests/results/fixtures.h"

namespace scree::test {
namespace {

using io::hdf5::Place;

std::string message_of(const std::function<void()>& read) try {
  read();
  return "it could be read";
} catch (const InputError& error) {
  return error.what();
} catch (const std::runtime_error& error) {
  return error.what();
}

void write_trajectory(const std::filesystem::path& path) {
  io::Scene scene = example_scene(6);
  scene.output.contacts = true;
  io::Trajectory trajectory(path, scene);
  for (int k = 1; k <= 3; ++k)
    trajectory.append(io::make_frame(scene.model, example_step(scene, k).state, {}, true));
  trajectory.close();
}

/// Reads all of a trajectory.
void read_frames(const io::TrajectoryReader& reader) {
  for (std::size_t k = 0; k < reader.frames(); ++k) {
    (void)reader.frame(k);
    (void)reader.boundaries(k);
    (void)io::contacts_of_bodies(reader.contacts(k), reader.frame(k).position.size());
  }
}

class DamagedTrajectory : public ::testing::Test {
 protected:
  /// The message after a change.
  std::string after(const std::function<void(MemoryObjects&)>& change) const {
    static const MemoryObjects sound = [] {
      const TemporaryFolder folder;
      write_trajectory(folder.path() / "t.h5");
      return objects_of((folder.path() / "t.h5").string());
    }();
    MemoryObjects objects = sound;
    change(objects);
    return message_of([&] {
      read_frames(io::TrajectoryReader(io::hdf5::File(std::make_unique<MemoryContent>(std::move(objects)))));
    });
  }
  std::string with(const std::string& path, std::size_t at, double value) const {
    return after([&](MemoryObjects& objects) { objects.at({path}).numbers.at(at) = value; });
  }
};

TEST_F(DamagedTrajectory, UndamagedFileCanBeRead) {
  EXPECT_EQ(after([](MemoryObjects&) {}), "it could be read");
}

TEST_F(DamagedTrajectory, EveryIndexIsChecked) {
  const struct {
    const char* path;
    std::size_t at;
    double value;
    const char* told;
  } cases[] = {
      {"bodies/material", 1, 9, "bodies/material: row 1 is 9 (allowed 0 to 1)"},
      {"bodies/shape", 2, 7, "bodies/shape: row 2 is 7 (allowed 0 to 2)"},
      {"bodies/shape", 2, 1,
       "bodies/shape: row 2: its numbers do not define a shape"},  // of a function that is missing
      {"bodies/semi_axes", 3, -1, "bodies/shape: row 1: its numbers do not define a shape"},
      {"bodies/mass", 0, -1, "bodies/mass: row 0 has -1"},
      {"bodies/id", 1, 0, "bodies/id: 0 appears twice"},
      {"boundaries/material", 0, -1, "boundaries/material: row 0 is -1 (allowed 0 to 1)"},
      {"boundaries/planes/boundary", 0, 99, "boundaries/planes/boundary: row 0 is 99 (allowed 0 to 5)"},
      {"boundaries/tubes/boundary", 0, -3, "boundaries/tubes/boundary: row 0 is -3 (allowed 0 to 5)"},
      {"frames/offset", 1, 13, "frames/offset: row 2 is 12, less than 13 in the previous row"},
      {"frames/offset", 1, -6, "frames/offset: row 1 is -6, less than 0 in the previous row"},
      {"frames/body", 7, 6, "frames/body: row 1 is 6 (allowed 0 to 5)"},
      {"frames/body", 7, 0, "frames/body: row 7: body 0 appears twice"},
      {"contacts/body_a", 0, 6, "contacts/body_a: row 0 is 6 (allowed 0 to 5)"},
      {"contacts/body_b", 1, -2, "contacts/body_b: row 1 is -2 (allowed -1 to 5)"},
      {"contacts/boundary", 0, 6, "contacts/boundary: row 0 is 6 (allowed -1 to 5)"},
      {"contacts/offset", 0, 3, "contacts/offset: row 0 is 3, but must be 0"},
      {"frames/time", 1, -1, "frames/time: must increase"},
  };
  for (const auto& c : cases) {
    const std::string said = with(c.path, c.at, c.value);
    EXPECT_NE(said.find(c.told), std::string::npos) << c.path << ": " << said;
  }
}

TEST_F(DamagedTrajectory, ShapesAndTypesAreChecked) {
  const auto as = [&](const Place& place, io::hdf5::Content::Values values,
                      const std::vector<std::uint64_t>& dims) {
    return after([&](MemoryObjects& objects) {
      MemoryArray& array = objects.at(place);
      std::size_t n = 1;
      for (const std::uint64_t d : dims) n *= d;
      array = {{io::hdf5::Content::Kind::array, values, dims}, std::vector<double>(n, 0.5), {}};
      if (values == io::hdf5::Content::Values::texts) array.texts.assign(n, "text");
    });
  };
  using enum io::hdf5::Content::Values;
  EXPECT_NE(as({"scene", "time_step_s"}, numbers, {3}).find("scene.time_step_s: must be 1 number, not 3"),
            std::string::npos);
  EXPECT_NE(as({"", "scene"}, texts, {2}).find("scene: must be one text"), std::string::npos);
  EXPECT_NE(
      as({"frames/position"}, numbers, {18, 4}).find("frames/position: must have 3 numbers per row, not 4"),
      std::string::npos);
  EXPECT_NE(as({"frames/body"}, numbers, {18}).find("frames/body: must have whole numbers"),
            std::string::npos);
  EXPECT_NE(as({"bodies/mass"}, texts, {6}).find("bodies/mass: must have numbers"), std::string::npos);
  EXPECT_NE(as({"materials/friction"}, numbers, {2, 3}).find("materials/friction"), std::string::npos);
  EXPECT_NE(as({"bodies/inertia"}, numbers, {}).find("must have rows"), std::string::npos);
}

TEST(LiveTrajectory, RetriesWhileBeingWrittenAndFailsAtOnceWhenStale) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "t.h5", sound = folder.path() / "sound.h5";
  write_trajectory(sound);
  std::filesystem::copy_file(sound, path);
  io::TrajectoryReader reader(path);
  std::ofstream(path) << "half written";
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    std::filesystem::copy_file(sound, path, std::filesystem::copy_options::overwrite_existing);
  });
  reader.refresh();
  read_frames(reader);
  writer.join();
  EXPECT_EQ(reader.frames(), 3u);

  std::ofstream(path) << "half written";
  std::filesystem::last_write_time(path,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(message_of([&] { reader.refresh(); }).find("damaged"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
}

/// A real file, to test HDF5's library.
class Hdf5File : public ::testing::Test {
 protected:
  std::string path() const { return (folder_.path() / "f.h5").string(); }

  void write(const std::function<void(hid_t file)>& fill) const {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hid_t file = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fill(file);
    H5Fclose(file);
  }

  /// A dataset "a" with numbers that are never written.
  static void put_empty(hid_t file, const std::vector<hsize_t>& dims, hid_t properties = H5P_DEFAULT) {
    const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    H5Dclose(H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Sclose(space);
  }

  std::string read() const {
    return message_of([&] { (void)io::hdf5::File(path()).read<Vec3>("a"); });
  }

  TemporaryFolder folder_;
};

TEST_F(Hdf5File, SizeBeyondItsContentIsRejected) {
  write([](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {1024, 3};
    H5Pset_chunk(properties, 2, chunk);
    put_empty(file, {625'000'000, 3}, properties);
    H5Pclose(properties);
  });
  EXPECT_LT(std::filesystem::file_size(path()), 10'000u);
  EXPECT_EQ(read(), "a: states 15.0 GB, but the file has only 1 kB of it");
  io::TableFaults faults;
  write([](hid_t file) {
    const hid_t group = H5Gcreate2(file, "position", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
  });
  (void)io::read_body_table(path(), "f.h5", faults);
  ASSERT_EQ(faults.faults.size(), 1u);
  EXPECT_EQ(to_string(faults.faults[0]), "f.h5: position: must be an array");
}

TEST_F(Hdf5File, LinksToOtherFilesAreNotFollowed) {
  write([](hid_t file) { H5Lcreate_external("/dev/zero", "/x", file, "a", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_EQ(read(), "a: is a link to another file, which is not supported");
  write([](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, "/etc/passwd", 0, 48);
    put_empty(file, {2, 3}, properties);
    H5Pclose(properties);
  });
  EXPECT_EQ(read(), "a: has its values in another file, which is not supported");
  write([](hid_t file) {
    const hsize_t dims[] = {2, 3};
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, nullptr);
    H5Pset_virtual(properties, space, "/nowhere.h5", "/a", space);
    put_empty(file, {2, 3}, properties);
    H5Sclose(space);
    H5Pclose(properties);
  });
  EXPECT_EQ(read(), "a: is composed of other files, which is not supported");
  write([](hid_t file) { H5Lcreate_soft("a", file, "a", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_NE(read(), "it could be read");
}

TEST_F(Hdf5File, UnsupportedFilterIsRejected) {
  write([](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {2, 3};
    H5Pset_chunk(properties, 2, chunk);
    H5Pset_nbit(properties);
    put_empty(file, {2, 3}, properties);
    H5Pclose(properties);
  });
  EXPECT_NE(read().find("compressed by the filter 5 (nbit), which is not supported"), std::string::npos)
      << read();
}

TEST_F(Hdf5File, AttributesMayHaveMoreValuesThanOne) {
  write([](hid_t file) {
    const hsize_t dims[] = {4096};
    const hid_t space = H5Screate_simple(1, dims, nullptr);
    H5Aclose(H5Acreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  });
  const io::hdf5::File file(path());
  EXPECT_EQ(message_of([&] { (void)file.number_attribute("", "x"); }), "x: must be 1 number, not 4096");
  EXPECT_EQ(message_of([&] { (void)file.vector_attribute("", "x"); }), "x: must be 3 numbers, not 4096");
  EXPECT_EQ(message_of([&] { (void)file.text_attribute("", "x"); }), "x: must be one text");
  EXPECT_EQ(message_of([&] { (void)file.number_attribute("", "y"); }), "y: is missing");
}

/// Failures of HDF5's library on some damaged files.
class Misbehaving final : public io::hdf5::ContentSource {
 public:
  explicit Misbehaving(std::string how) : how_(std::move(how)) {}
  io::hdf5::Content look(const Place&) override {
    if (how_ == "crashes") std::abort();
    for (volatile bool more = how_ == "goes on"; more;) {
    }
    std::vector<char> all;
    for (std::size_t bytes = 1u << 20; how_ == "takes all"; bytes *= 2) all.assign(bytes, '1');
    return {};
  }
  void read(const Place&, const io::hdf5::Box&, io::hdf5::Element, const Room&) override {}
  std::vector<std::string> texts(const Place&) override { return {}; }

 private:
  std::string how_;
};

TEST_F(Hdf5File, LibraryCrashesAndHangsAreReported) {
  write([](hid_t) {});
  // Seconds of processor time: memory must run out first, also on a busy machine.
  const auto said = [&](const std::string& how, double seconds) {
    const auto source = io::hdf5::content_by_process(
        path(), [&](const std::filesystem::path&) { return std::make_unique<Misbehaving>(how); }, seconds);
    return message_of([&] { (void)source->look({"a"}); });
  };
  EXPECT_EQ(said("behaves", 0.2), "it could be read");
  EXPECT_EQ(said("crashes", 0.2), "the HDF5 library crashes on it: the file is damaged");
  EXPECT_EQ(said("goes on", 0.2), "the HDF5 library does not finish with it: the file is damaged");
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_EQ(said("takes all", 30.0), "needs more memory than is plausible for a file of this size");
#endif
}

TEST(OddFiles, FoldersPipesAndDevicesAreRejectedAtOnce) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe.h5";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<std::string> odd;
  const auto start = std::chrono::steady_clock::now();
  for (const std::filesystem::path& path : {pipe, std::filesystem::path("/dev/zero"), folder.path()}) {
    for (const std::string& said : {message_of([&] { (void)io::read_scene(path); }),
                                    message_of([&] { (void)io::read_mesh(path, odd); }),
                                    message_of([&] { (void)io::read_problem(path); }),
                                    message_of([&] { const io::TrajectoryReader reader(path); })}) {
      const bool told = said.find("it is not a file") != std::string::npos ||
                        said.find("is a folder") != std::string::npos ||
                        said.find("is not a file") != std::string::npos;
      EXPECT_TRUE(told) << path << ": " << said;
    }
    EXPECT_FALSE(io::table_problem(path).empty());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

std::string scene_said(const std::string& text, const std::vector<io::Override>& overrides = {}) {
  return message_of([&] { (void)io::read_scene_text(text, "/nowhere/s.toml", overrides); });
}

TEST(DeepScenes, DeepNestingIsRejectedWithItsPosition) {
  constexpr std::size_t deep = 30'000;
  const auto repeated = [](std::string_view part, std::size_t n) {
    std::string text;
    for (std::size_t k = 0; k < n; ++k) text += part;
    return text;
  };
  for (const char* part : {"(", "-", "2^", "sqrt("}) {
    const std::string said = scene_said("end_time = 1.0\ntime_step = \"= " + repeated(part, deep) + "1\"\n");
    EXPECT_NE(said.find("s.toml:2:13: time_step: is nested too deeply"), std::string::npos)
        << said.substr(0, 300);
  }
  std::string said = scene_said(repeated("a.", deep) + "a = 1\n");
  EXPECT_NE(said.find("s.toml:1:18: has a key with more than 8 dots"), std::string::npos)
      << said.substr(0, 300);
  said = scene_said("x = 1\n[" + repeated("a.", deep) + "a]\n");
  EXPECT_NE(said.find("s.toml:2:19: has a key with more than 8 dots"), std::string::npos)
      << said.substr(0, 300);
  said = scene_said("x = " + repeated("[", deep));
  EXPECT_NE(said.find("s.toml:1:"), std::string::npos) << said.substr(0, 300);
  std::string chain = "[parameters]\np0 = 1.0\n";
  for (std::size_t k = 1; k < deep; ++k)
    chain += 'p' + std::to_string(k) + " = \"= p" + std::to_string(k - 1) + "\"\n";
  // From its end: the first resolved parameter needs all others.
  said = scene_said("end_time = \"= p" + std::to_string(deep - 1) + "\"\n" + chain);
  EXPECT_NE(said.find("through more than 100 other parameters"), std::string::npos) << said.substr(0, 300);
  said = scene_said("end_time = 1.0\n", {{repeated("a.", deep) + "a", "1"}});
  EXPECT_NE(said.find("is a key path with more than 16 parts"), std::string::npos) << said.substr(0, 300);
}

TEST(DeepScenes, DotsOutsideKeysAreNotCountedAsNesting) {
  const std::string said = scene_said(
      "description = \"\"\"... a.b.c.d.e.f.g.h.i.j.k \"\" \\\" ...\"\"\"  # a.b.c.d.e.f.g.h.i.j.k.l.m\n"
      "name = 'a.b.c.d.e.f.g.h.i.j.k.l'\n");
  EXPECT_EQ(said.find("dots"), std::string::npos) << said;
}

TEST(TextProblem, RejectsCountsLargerThanTheText) {
  const TemporaryFolder folder;
  const auto said = [&](const std::string& text) {
    std::ofstream(folder.path() / "p.dat") << text;
    return message_of([&] { (void)io::read_problem(folder.path() / "p.dat"); });
  };
  EXPECT_NE(said("3\n10000000\n1\n").find("p.dat:2:1: number of contacts: needs 4e+07 numbers, but at most"),
            std::string::npos)
      << said("3\n10000000\n1\n");
  EXPECT_NE(said("3\n1000000000\n0\n").find("must be a whole number"), std::string::npos);
}

TEST(Mesh, TooFarFromOriginIsRejected) {
  const std::string obj = "v 1e12 0 0\nv 1e12 1 0\nv 1e12 0 1\nf 1 2 3\n";
  std::vector<std::string> odd;
  EXPECT_NE(message_of([&] { (void)io::read_mesh(obj, "m.obj", odd); }).find("too coarse"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)io::read_mesh("v 1e200 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n", "m.obj", odd);
            }).find("larger than 1e+100"),
            std::string::npos);
}

/// Result of reading an STL: "in order", its warnings, or the error.
std::string stl_said(const std::string& bytes, std::size_t triangles = 1) {
  std::vector<std::string> odd;
  const std::string wrong = message_of([&] {
    EXPECT_EQ(io::read_mesh(bytes, "m.stl", odd).triangles.size(), triangles) << bytes.substr(0, 80);
  });
  return wrong != "it could be read" ? wrong : odd.empty() ? "in order" : odd.front();
}

TEST(StlTexts, AcceptAnyCaseAndSpacing) {
  const std::string
      facet =
          "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1. 0 0\n  vertex 0 +1e0 0.\n"
          " endloop\nendfacet\n",
      text = "solid a vertex 1 2\n" + facet + "endsolid a vertex 1 2\n";
  std::string capitals = text, returns;
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const char c : text) returns += c == '\n' ? "\r\n" : std::string(1, c);
  for (const std::string& written :
       {text, capitals, returns, "\xef\xbb\xbf" + text, "\n  " + text, "solid\n" + facet + "endsolid"})
    EXPECT_EQ(stl_said(written), "in order") << written;
  EXPECT_EQ(stl_said(text + text, 2), "in order");
  // The lines: 1 solid, 2 facet, 3 outer loop, 4 to 6 vertices, 7 endloop, 8 endfacet.
  const std::string open = "solid a\n" + facet;
  EXPECT_NE(stl_said(open).find("line 8: it ends without endsolid"), std::string::npos) << stl_said(open);
  const std::string cut = open.substr(0, open.find("vertex 0 +"));
  EXPECT_NE(stl_said(cut).find("line 5: it ends without endsolid"), std::string::npos) << stl_said(cut);
  EXPECT_NE(stl_said("solid a\nvertex 1 x 2\n").find("line 2: a vertex must have three numbers"),
            std::string::npos);
  EXPECT_NE(stl_said("solid a\nvertex 1 1 2\nendfacet\nendsolid").find("line 3: a facet has 1 vertices"),
            std::string::npos);
}

TEST(BinaryStl, AcceptsTrailingBytesAndRejectsTruncation) {
  for (const char* name : {"made by a scanner", "solid by another"}) {
    std::string bytes = name;
    bytes.resize(80, '\0');
    bytes += std::string("\1\0\0\0", 4);
    for (const float x : {0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f})
      bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
    bytes.append(2, '\0');
    EXPECT_EQ(stl_said(bytes), "in order");
    EXPECT_EQ(stl_said(bytes + "by me.\n"), "7 bytes follow the last of its 1 triangles; they are ignored");
    bytes[80] = 2;
    EXPECT_NE(stl_said(bytes).find("its end is missing: 1 of 2 triangles are there"), std::string::npos);
  }
}

}  // namespace
}  // namespace scree::test
