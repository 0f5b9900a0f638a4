#include "tests/fuzz/readers.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/errors.h"
#include "engine/geometry/implicit/form_indices.h"
#include "engine/geometry/mesh_surface.h"
#include "engine/simulation/step.h"
#include "io/files/csv_file.h"
#include "io/files/file_errors.h"
#include "io/files/hdf5_file.h"
#include "io/files/mesh_file.h"
#include "io/problems/hdf5_source.h"
#include "io/problems/problem_parts.h"
#include "io/results/trajectory.h"
#include "io/results/trajectory_reader.h"
#include "io/scene/expressions.h"
#include "io/scene/read_scene.h"
#include "io/scene/table_values.h"
#include "tests/fuzz/extreme_scene.h"
#include "tests/fuzz/hostile_file.h"
#include "tests/fuzz/memory_content.h"
#include "tests/results/fixtures.h"
#include "tests/support/world.h"
#ifdef SCREE_MODELS
#include "engine/modules/equations/simulation.h"
#endif
#ifdef SCREE_FMU
#include "io/fmu/description.h"
#endif

namespace scree::test {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t most_bodies = 200;  // a scene may request long work, without a fault of its reader

std::string text_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// Errors of a file are reported by one of three exceptions.
template <class F>
void told(F&& read) try {
  read();
} catch (const InputError&) {
} catch (const io::ReadError&) {
} catch (const io::hdf5::Error&) {
}

/// A sound file written by `write`, as objects in memory.
template <class Write>
MemoryObjects made_by(Write&& write) {
  const TemporaryFolder folder;
  write(folder.path() / "file.h5");
  return objects_of((folder.path() / "file.h5").string());
}

io::hdf5::File changed(const MemoryObjects& sound, Bytes bytes) {
  MemoryObjects objects = sound;
  change(objects, bytes);
  return io::hdf5::File(std::make_unique<MemoryContent>(std::move(objects)));
}

// --- texts

/// Reads a scene and describes it as a unit does.
void read_scene(Bytes bytes) {
  told([&] {
    const io::Scene scene = io::read_scene_text(text_of(bytes), "/nowhere/scene.toml", {}, most_bodies);
#ifdef SCREE_FMU
    const std::vector<io::Variable> variables = io::variables_of(scene);
    (void)io::model_description(scene, variables);
    const StepResult start = start_result(scene.model, scene.initial);
    for (const io::Variable& variable : variables)
      if (variable.amount) (void)variable.amount({scene.model, scene.initial, start});
#endif
  });
}

/// A scene with any numbers: read, inspected as by `scree shape`, and run for some steps, until numbers are
/// not finite, as by `scree run`.
void read_numbers(Bytes bytes) {
  constexpr int steps = 4, fineness = 6;
  told([&] {
    const io::Scene scene = io::read_scene_text(extreme_scene(bytes), "/nowhere/scene.toml", {}, most_bodies);
    for (const ShapeFunction& function : scene.model.shapes.functions())
      (void)form_indices(*function.shape, fineness);
    State state = scene.initial;
    Workspace workspace;
    StepResult result;
    for (int k = 0; k < steps; ++k) {
      step(scene.model, state, workspace, result);
      if (result.failure) return;
    }
  });
}

void read_override(Bytes bytes) {
  static const std::string scene = R"(
time_step = 1e-3
end_time = 1.0
[parameters]
size = 0.1
[[materials]]
name = "glass"
density = 2500.0
friction = 0.3
[[boundaries]]
type = "plane"
[[bodies]]
radius = "= size"
position = [0.0, 0.0, 0.2]
)";
  told([&] {
    (void)io::read_scene_text(scene, "/nowhere/scene.toml", {io::parse_override(text_of(bytes))},
                              most_bodies);
  });
}

void read_expression(Bytes bytes) {
  try {
    const io::Formula formula(text_of(bytes), {"t", "x"}, [](const std::string& name) {
      if (name == "radius") return 0.25;
      throw io::ExpressionError{"uses the unknown parameter '" + name + "'", ""};
    });
    (void)formula(std::array{0.5, 2.0});
  } catch (const io::ExpressionError&) {
  }
}

void read_csv(Bytes bytes) {
  io::TableFaults faults;
  const std::string text = text_of(bytes);
  (void)io::judged_table(io::read_csv_text(text, "table.csv", faults), "table.csv", faults);
  (void)io::judged_table(io::read_particles(text, "table.dump", faults), "table.dump", faults);
  for (const Fault& fault : faults.faults) (void)to_string(fault);
}

void read_text_problem(Bytes bytes) {
  told([&] { (void)io::read_text_problem(text_of(bytes), "problem.dat"); });
}

/// The first byte gives the kind.
void read_mesh(Bytes bytes) {
  constexpr std::array names{"m.stl", "m.obj", "m.ply"};
  if (bytes.empty()) return;
  told([&] {
    std::vector<std::string> odd;
    const TriangleMesh mesh = io::read_mesh(text_of(bytes.subspan(1)), names[bytes[0] % names.size()], odd);
    MeshFindings findings;
    (void)mesh_surface(mesh, findings);
  });
}

/// Read, flattened, reduced and compiled into steps; some steps are done by the interpreter.
void read_model(Bytes bytes) {
#ifdef SCREE_MODELS
  constexpr std::size_t most_variables = 60;  // a large model may take long, without a fault of its reader
  constexpr int steps = 3;
  told([&] {
    equations::FlatModel model = equations::compile_model({"m.mo", text_of(bytes)});
    if (model.variables.size() > most_variables) return;
    const equations::RunOptions options{.step = 1e-2,
                                        .formula = equations::Formula::bdf2,
                                        .tearing = static_cast<equations::Tearing>(bytes.size() % 4),
                                        .compiled = false};
    try {
      equations::Simulation run(std::move(model), options);
      for (int k = 0; k < steps; ++k) run.advance();
    } catch (const equations::NumericalFailure&) {
    }
  });
#else
  (void)bytes;  // a build without models reads none
#endif
}

// --- HDF5: bytes are changes of a sound file

void read_trajectory(Bytes bytes) {
  static const MemoryObjects sound = made_by([](const std::filesystem::path& path) {
    io::Scene scene = example_scene(6);
    scene.output.contacts = true;
    scene.output.fields = {"overlap"};
    io::Trajectory trajectory(path, scene);
    for (int k = 1; k <= 3; ++k)
      trajectory.append(io::make_frame(scene.model, example_step(scene, k).state, scene.output.fields, true));
    trajectory.close();
  });
  told([&] {
    const io::TrajectoryReader reader(changed(sound, bytes));
    for (std::size_t k = 0; k < reader.frames(); ++k) {
      (void)reader.bodies(k);
      (void)reader.boundaries(k);
      const io::Frame frame = reader.frame(k);
      if (reader.has_contacts(k)) (void)io::contacts_of_bodies(reader.contacts(k), frame.position.size());
    }
    if (!reader.run().bodies.id.empty()) (void)reader.track(reader.run().bodies.id.front());
  });
}

void read_hdf5_table(Bytes bytes) {
  static const MemoryObjects sound = [] {
    MemoryObjects objects;
    objects[{""}] = {{io::hdf5::Content::Kind::group, {}, {}}, {}, {}};
    for (const io::ColumnGroup& group : io::column_groups) {
      if (std::string_view(group.dataset) == "radius") continue;
      MemoryArray array{
          {io::hdf5::Content::Kind::array, io::hdf5::Content::Values::numbers, {2, group.width}},
          std::vector<double>(2 * group.width, 0.5),
          {}};
      objects[{group.dataset}] = array;
    }
    return objects;
  }();
  told([&] {
    io::TableFaults faults;
    const io::TableValues values = io::read_hdf5(changed(sound, bytes), "table.h5", faults);
    (void)io::judged_table(values, "table.h5", faults);
  });
}

void read_problem(const MemoryObjects& sound, Bytes bytes) {
  told([&] { (void)io::read_hdf5_problem(io::Source(changed(sound, bytes), "problem.h5")); });
}

void read_bodies_problem(Bytes bytes) {
  static const MemoryObjects sound = made_by([](const std::filesystem::path& path) {
    PairLaw law;
    law.rolling_friction_m = 1e-3;
    World world = loose_heap(2, 2, law, 2e-3, 4);
    world.run(0.3);
    world.workspace.problem.complete();
    io::write_problem(path, {world.workspace.problem, "a heap"});
  });
  read_problem(sound, bytes);
}

void read_delassus_problem(Bytes bytes) {
  static const MemoryObjects sound = made_by([](const std::filesystem::path& path) {
    io::write_problem(path, io::read_text_problem(std::filesystem::path(SCREE_SOURCE_DIR) /
                                                  "tests/data/friction_contact/Rover4396.dat"));
  });
  read_problem(sound, bytes);
}

MemoryObjects fclib_file(const char* name) {
  return objects_of(std::string(SCREE_SOURCE_DIR) + "/tests/data/fclib/" + name);
}

/// The first byte selects a file.
void read_fclib_problem(Bytes bytes) {
  static const std::array sound{fclib_file("written_by_fclib_local.hdf5"),
                                fclib_file("written_by_fclib_plane.hdf5")};
  if (!bytes.empty()) read_problem(sound[bytes[0] % sound.size()], bytes.subspan(1));
}

/// A file written by HDF5 itself, with types, shapes, layouts and links from the bytes: the reader must check
/// the library's answers.
void read_hostile_file(Bytes bytes) {
  static const std::string path = fmt::format(
      "{}/scree_fuzz_{}.h5", std::filesystem::temp_directory_path().string(), static_cast<long>(getpid()));
  write_hostile_file(path, bytes);
  told([&] { read_all_of(path); });
  std::filesystem::remove(path);
}

constexpr std::array all{Reader{"scene", read_scene},
                         Reader{"numbers", read_numbers},
                         Reader{"override", read_override},
                         Reader{"expression", read_expression},
                         Reader{"csv", read_csv},
                         Reader{"text_problem", read_text_problem},
                         Reader{"mesh", read_mesh},
                         Reader{"model", read_model},
                         Reader{"trajectory", read_trajectory},
                         Reader{"hdf5_table", read_hdf5_table},
                         Reader{"bodies_problem", read_bodies_problem},
                         Reader{"delassus_problem", read_delassus_problem},
                         Reader{"fclib_problem", read_fclib_problem},
                         Reader{"hostile_file", read_hostile_file}};

}  // namespace

std::span<const Reader> readers() { return all; }

}  // namespace scree::test
