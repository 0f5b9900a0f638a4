#include "tools/check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <spdlog/spdlog.h>

#include "engine/core/parallel.h"
#include "engine/measurements/moment.h"
#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/insertion.h"
#include "io/files/machine_room.h"
#include "io/files/text_file.h"
#include "io/results/observables_page.h"
#include "io/scene/carried_bodies.h"
#include "io/scene/keys.h"
#include "io/scene/read_scene.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"

namespace scree {

namespace {

// Sizes of results in files, bytes, measured on scenes/settling_box when bodies move and touch. Both
// formats are compressed; a .vtp repeats constants in each frame, and has numbers as base64
// text.
constexpr double trajectory_bytes_per_body = 47.0, trajectory_bytes_per_contact = 33.0;
constexpr double trajectory_base = 150e3;  // indices of chunks, allocated rows of chunks, headers
constexpr double vtk_bytes_per_body = 95.0, vtk_bytes_per_contact = 72.0;
// For a screw at 20 mm, 54,000 cells: most of them have no load.
constexpr double trajectory_bytes_per_cell = 12.0, vtk_bytes_per_cell = 35.0;
// Speed of writing for the time that a run waits for its files: 34 to 100 MB/s were measured
// (docs/measurements.md), with VTK and without.
constexpr double written_bytes_per_s = 50e6;
constexpr double bytes_per_field = 4.0;

// Memory of a run, bytes: the program with its libraries, and the growth of state, workspace and waiting
// frames; measured on fifteen scenes of 30 to 1000 bodies, and on settling boxes of 8000 and 100000.
constexpr double memory_of_placing = 350.0;  // of a body while a scene is read
constexpr double memory_base = 30e6, memory_per_body = 950.0, memory_per_contact = 1130.0;
// HDF5 caches the last rows of each array, up to this size: for those of bodies and of contacts,
// bytes per row.
constexpr double most_of_an_array = 1 << 20;
constexpr double body_rows[] = {12.0, 16.0, 12.0, 12.0, 4.0, 4.0};
constexpr double contact_rows[] = {12.0, 12.0, 12.0, 4.0, 4.0, 4.0, 4.0};

// Size of a checkpoint, bytes, measured on scenes/settling_box and scenes/glass_rice_steel: fixed part,
// bodies, contacts with the memory of their pairs, and a number per step.
constexpr double checkpoint_base = 50e3, checkpoint_per_body = 160.0, checkpoint_per_contact = 190.0,
                 checkpoint_per_step = 8.0;

// The mesh of a function, in each of the two formats, bytes.
constexpr double bytes_a_function = 60e3;

/// Contacts per body in a settled bed of ellipsoids with friction 0.5 (scenes/settling_box: 2.9, including
/// walls). Without friction there are up to 5 (Donev et al. 2004, Science 303, 990).
constexpr double contacts_per_packed_body = 3.0;

/// A row of steps.csv, and those of boundaries.csv and openings.csv, which have one per boundary or opening,
/// bytes.
constexpr double bytes_a_step = 690.0, bytes_a_boundary = 135.0, bytes_an_opening = 40.0;

/// Wall time that a trial run may take, s.
constexpr double trial_patience_s = 10.0;

double total_volume(const io::Scene& scene) {
  double sum = 0.0;
  for (const ShapeIndex shape : scene.initial.bodies.shape) sum += volume(scene.model.shapes, shape);
  return sum;
}

double total_mass(const io::Scene& scene) {
  double sum = 0.0;
  for (const double mass : scene.initial.bodies.mass) sum += mass;
  return sum;
}

/// Diameters of spheres of equal volume, which 10, 50 and 90 % of the mass do not exceed; empty if all are
/// equal.
std::string sizes_text(const io::Scene& scene) {
  const Bodies& bodies = scene.initial.bodies;
  std::vector<std::pair<double, double>> sorted;  // diameter in mm, mass
  for (std::size_t i = 0; i < bodies.size(); ++i)
    sorted.emplace_back(1e3 * diameter(scene.model.shapes, bodies.shape[i]), bodies.mass[i]);
  std::ranges::sort(sorted);
  if (sorted.empty() || sorted.back().first <= sorted.front().first * (1.0 + 1e-9)) return "";
  std::array<double, 3> d{};
  const double whole = total_mass(scene);
  double passed = 0.0;
  for (const auto& [diameter, mass] : sorted) {
    for (std::size_t k = 0; k < d.size(); ++k)
      if (passed < std::array{0.1, 0.5, 0.9}[k] * whole) d[k] = diameter;
    passed += mass;
  }
  return fmt::format(
      "  sizes       {:.3g} to {:.3g} mm; d10 {:.3g}, d50 {:.3g}, d90 {:.3g} mm of the mass "
      "(diameters of spheres of equal volume)\n",
      sorted.front().first, sorted.back().first, d[0], d[1], d[2]);
}

double kept_at_hand(std::span<const double> rows, double count) {
  double sum = 0.0;
  for (const double bytes : rows) sum += std::min(most_of_an_array, bytes * count);
  return sum;
}

/// Grains that inlets will have inserted at the end, if none is delayed.
std::int64_t bodies_to_come(const io::Scene& scene) {
  double sum = 0.0;
  for (const Inlet& inlet : scene.model.inlets) {
    const double mean = mean_mass(inlet.grains, scene.model);
    const double each = inlet.mass_rate > 0.0 ? mean : 1.0;
    sum += std::min({due(inlet, scene.end_time_s) / each, inlet.most_mass / mean, inlet.most_count});
  }
  return static_cast<std::int64_t>(std::min(sum, 1e15));
}

std::string run_time_text(const Forecast& expected, const Trial& trial, double end_time_s) {
  if (trial.steps == 0) return "not estimated";
  const double run_s = trial.run_time_s + expected.writing_s();
  const std::string time = "about " + (run_s < 10.0 ? fmt::format("{:.2g} s", run_s) : duration_text(run_s));
  const bool whole = trial.to_s > 0.95 * end_time_s;
  return fmt::format("{} on {}\n              (from a coarse trial run {}, which took {:.2g} s; {} timed)",
                     time, plural(thread_count(), "thread"),
                     whole ? std::string("to the end")
                           : fmt::format("to {:.3g} s; the rest is assumed to be similar", trial.to_s),
                     trial.wall_s, plural(trial.steps, "step"));
}

struct CheckOptions {
  std::filesystem::path scene;
  int threads = 0;  // 0: all of the machine's
  std::optional<double> until_s;
  std::vector<std::string> settings;
  std::filesystem::path restart_from;  // folder of a run; empty: none
  bool quick = false, exact = false;
  double memory_limit = infinity;  // bytes
};

int check(const CheckOptions& options) {
  set_thread_count(options.threads);
  std::vector<io::Override> overrides;
  for (const std::string& setting : options.settings) overrides.push_back(io::parse_override(setting));
  io::Scene scene = io::read_scene(
      options.scene, overrides, bodies_with_room(false, options.memory_limit),
      options.restart_from.empty() ? io::CarriedBodies{} : io::carried_bodies(options.restart_from, {}));
  set_end_time(scene, options.until_s);
  const Trial trial = options.quick ? Trial{} : trial_run(scene, trial_patience_s);
  show(check_text(scene, trial));
  if (options.exact) show(exact_text(scene));
  for (const Fault& warning : scene.warnings) spdlog::warn("{}", to_string(warning));
  const std::string problem =
      room_problem(forecast(scene, trial), default_folder(scene), options.memory_limit);
  if (problem.empty()) return exit_ok;
  spdlog::error("{}", problem);
  return exit_does_not_fit;
}

void add_document(CLI::App& app, std::function<int()>& action, const std::string& name,
                  std::string (*text)()) {
  CLI::App* command = app.add_subcommand(name, "Print generated documentation");
  command->group("");  // for developers: not listed
  command->callback([text, &action] {
    action = [text] {
      show(text());
      return int{exit_ok};
    };
  });
}

/// Writes the pages of the scene reference below a folder.
void add_reference(CLI::App& app, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("scene-reference", "Write the pages of the scene reference into a folder");
  command->group("");  // for developers: not listed
  const auto folder = std::make_shared<std::filesystem::path>();
  command->add_option("folder", *folder, "Folder of the documentation")->required();
  command->callback([folder, &action] {
    action = [folder] {
      std::filesystem::create_directories(*folder / "scene");
      for (const auto& [file, text] : io::scene_reference()) io::write_whole_file(*folder / file, text);
      return int{exit_ok};
    };
  });
}

}  // namespace

double Forecast::writing_s() const { return disk_bytes() / written_bytes_per_s; }

Forecast forecast(const io::Scene& scene, const Trial& trial) {
  Forecast result;
  const bool adaptive = scene.model.settings.adaptive_step;
  result.first_step_s = first_step(scene.model, scene.initial.bodies);
  result.steps = static_cast<std::int64_t>(std::ceil(scene.end_time_s / result.first_step_s - 0.5));
  // The first frame shows the start, the last one the end; there is at most one per step, and adaptive steps
  // end at each frame.
  const auto intervals =
      static_cast<std::int64_t>(std::ceil(scene.end_time_s / scene.output.interval_s - 1e-9));
  result.frames = 1 + (adaptive ? intervals : std::min(result.steps, intervals));
  const bool tried = trial.steps > 0;
  result.bodies = tried ? trial.bodies_most
                        : static_cast<std::int64_t>(scene.initial.bodies.size()) + bodies_to_come(scene);
  const double bodies = static_cast<double>(result.bodies), mean_bodies = tried ? trial.bodies_mean : bodies;
  result.contacts =
      tried ? trial.contacts_most : static_cast<std::int64_t>(contacts_per_packed_body * bodies);
  const double contacts = static_cast<double>(result.contacts);
  const double mean_contacts = tried ? trial.contacts_mean : contacts;
  result.memory_bytes = memory_base + memory_per_body * bodies + memory_per_contact * contacts;
  const double fields = bytes_per_field * static_cast<double>(scene.output.fields.size());
  const double frame_contacts = scene.output.contacts ? mean_contacts : 0.0;
  const double frames = static_cast<double>(result.frames);
  if (scene.output.hdf5)
    result.memory_bytes +=
        kept_at_hand(body_rows, mean_bodies * frames) + kept_at_hand(contact_rows, frame_contacts * frames);
  double frame = 0.0;
  if (scene.output.hdf5)
    frame +=
        (trajectory_bytes_per_body + fields) * mean_bodies + trajectory_bytes_per_contact * frame_contacts;
  if (scene.output.vtk)
    frame += (vtk_bytes_per_body + fields) * mean_bodies + vtk_bytes_per_contact * frame_contacts;
  const auto count = [](const auto& list) { return static_cast<double>(list.size()); };
  const Model& model = scene.model;
  const double cells = static_cast<double>(cell_count(model.wall_cells)),
               moments = scene.output.wall_cells_interval_s > 0.0
                             ? std::min(frames, scene.end_time_s / scene.output.wall_cells_interval_s + 2.0)
                             : frames;
  result.output_bytes =
      cells * moments *
      ((scene.output.hdf5 ? trajectory_bytes_per_cell : 0.0) + (scene.output.vtk ? vtk_bytes_per_cell : 0.0));
  result.output_bytes += frame * frames + (scene.output.hdf5 ? trajectory_base : 0.0) +
                         bytes_a_function * (count(model.shapes.functions()) + count(model.shapes.clumps())) *
                             static_cast<double>(int{scene.output.hdf5} + int{scene.output.vtk});
  result.table_bytes = (bytes_a_step + bytes_a_boundary * count(model.boundaries) +
                        bytes_an_opening * (count(model.inlets) + count(model.outlets))) *
                       static_cast<double>(result.steps);
  if (const int keep = scene.checkpoints.keep; keep > 0)  // plus the one being written
    result.checkpoint_bytes =
        (keep + 1) * (checkpoint_base + checkpoint_per_body * bodies + checkpoint_per_contact * contacts +
                      checkpoint_per_step * static_cast<double>(result.steps));
  return result;
}

void add_memory_limit(CLI::App& command, double& bytes) {
  const auto size = [&bytes](const std::string& text) -> std::string {
    constexpr std::pair<const char*, double> units[] = {{"", 1.0},   {"B", 1.0},  {"kB", 1e3},
                                                        {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    for (const auto& [name, scale] : units) {
      if (error != std::errc() || unit != name || !(number > 0.0) || !std::isfinite(number)) continue;
      bytes = number * scale;
      return "";
    }
    return fmt::format("must be a size (value {}, allowed are sizes such as 800MB or 1.5GB)", text);
  };
  command
      .add_option_function<std::string>(
          "--memory-limit", [](const std::string&) {},
          "Memory limit, such as 4GB, for example of a job queue; a run that is expected to need more is "
          "refused")
      ->check(CLI::Validator(size, ""))
      ->type_name("SIZE");
}

std::string room_problem(const Forecast& expected, const std::filesystem::path& folder, double memory_limit) {
  const double memory = io::memory_bytes(), disk = io::free_disk_bytes(folder);
  std::string problem;
  if (expected.memory_bytes > std::min(memory, memory_limit))
    problem = fmt::format("the run needs about {} of memory, {} {}; fewer bodies need less",
                          io::bytes_text(expected.memory_bytes),
                          memory_limit < memory ? "--memory-limit allows" : "this machine has",
                          io::bytes_text(std::min(memory, memory_limit)));
  if (expected.disk_bytes() > disk)
    problem += fmt::format(
        "{}the results need about {} of disk, and {} are free; a longer output.interval, output.vtk = false "
        "or output.contacts = false need less",
        problem.empty() ? "" : ", and ", io::bytes_text(expected.disk_bytes()), io::bytes_text(disk));
  return problem;
}

void set_end_time(io::Scene& scene, std::optional<double> until_s) {
  if (!until_s) return;
  const double longest = io::most_steps * std::min(io::least_step(scene), scene.output.interval_s);
  if (*until_s > longest)
    throw CLI::ValidationError(
        "--until",
        fmt::format("no run gets that far with steps of {:g} s (value {:g} s, allowed 0 to {:g} s)",
                    io::least_step(scene), *until_s, longest));
  scene.end_time_s = *until_s;
}

std::size_t bodies_with_room(bool whole_run, double memory_limit) {
  const double each =
      whole_run ? memory_per_body + contacts_per_packed_body * memory_per_contact : memory_of_placing;
  return static_cast<std::size_t>(std::min({io::memory_bytes() / each, memory_limit / each, 4e18}));
}

std::filesystem::path default_folder(const io::Scene& scene) {
  return std::filesystem::path("results") / scene.name;
}

namespace {

std::string box_text(const Vec3& low, const Vec3& high) {
  const auto list = [](const Vec3& v) { return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", v[0], v[1], v[2]); };
  const Vec3 size = high - low;
  return fmt::format("{:.4g} x {:.4g} x {:.4g} m, from {} to {} m", size[0], size[1], size[2], list(low),
                     list(high));
}

/// The box of all bodies, inlets and bounded walls; empty where there is none.
std::string extent_text(const io::Scene& scene) {
  Eigen::AlignedBox3d box;
  const Bodies& bodies = scene.initial.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 radius = Vec3::Constant(scene.model.shapes.bounding_radius(bodies.shape[i]));
    box.extend(Eigen::AlignedBox3d(bodies.position[i] - radius, bodies.position[i] + radius));
  }
  const auto add = [&](const Vec3& middle, const Vec3& half) {
    box.extend(Eigen::AlignedBox3d(middle - half, middle + half));
  };
  for (const Inlet& inlet : scene.model.inlets) std::apply(add, bounding_box(inlet.region));
  for (const Boundary& boundary : scene.model.boundaries)
    if (const auto extent = extent_of(boundary.surface)) add(extent->middle, extent->half);
  return box.isEmpty() ? "" : fmt::format("  extent      {}\n", box_text(box.min(), box.max()));
}

}  // namespace

std::string meshes_text(const io::Scene& scene) {
  std::string text;
  for (const Boundary& boundary : scene.model.boundaries) {
    const auto* mesh = std::get_if<PlacedMesh>(&boundary.surface);
    if (mesh == nullptr) continue;
    const auto [middle, half] = *extent_of(*mesh);
    text += fmt::format("  mesh        '{}': {}\n", boundary.name, box_text(middle - half, middle + half));
  }
  return text;
}

std::string check_text(const io::Scene& scene, const Trial& trial) {
  const Forecast expected = forecast(scene, trial);
  std::string files;
  if (scene.output.hdf5) files += " trajectory";
  if (scene.output.vtk) files += files.empty() ? " VTK" : " and VTK";
  std::string text = fmt::format("{}: no errors\n", scene.file.string());
  text += fmt::format("  bodies      {}, {}, {:.4g} m^3, {:.4g} kg\n", scene.initial.bodies.size(),
                      plural(static_cast<std::int64_t>(scene.model.shapes.size()), "shape"),
                      total_volume(scene), total_mass(scene));
  text += sizes_text(scene);
  if (!scene.model.inlets.empty())
    text += fmt::format("  inlets      {}: {} grains will enter if there is room; at most {} at one time{}\n",
                        scene.model.inlets.size(), bodies_to_come(scene), expected.bodies,
                        trial.steps > 0 ? "" : " if none leave");
  text += fmt::format("  materials   {}\n", scene.model.materials.size());
  text += fmt::format("  boundaries  {}\n", scene.model.boundaries.size());
  text += meshes_text(scene) + extent_text(scene);
  if (scene.model.settings.adaptive_step)
    text += fmt::format(
        "  time        {:g} s in adaptive steps: the first {:.3g} s, all between {:g} and {:g} s\n",
        scene.end_time_s, expected.first_step_s, scene.model.settings.least_time_step_s,
        scene.model.settings.time_step_s);
  else
    text += fmt::format("  time        {:g} s in {} steps of {:g} s\n", scene.end_time_s, expected.steps,
                        scene.model.settings.time_step_s);
  text += trial.steps > 0
              ? fmt::format("  contacts    about {} at most during the trial run\n", expected.contacts)
              : fmt::format("  contacts    about {} when the bodies are packed ({:g} per body)\n",
                            expected.contacts, contacts_per_packed_body);
  text += fmt::format("  memory      about {} of {}\n", io::bytes_text(expected.memory_bytes),
                      io::bytes_text(io::memory_bytes()));
  if (files.empty()) {
    text += fmt::format("  output      no frames; tables about {}\n", io::bytes_text(expected.table_bytes));
  } else {
    text += fmt::format("  output      {} frames,{}: about {}; tables about {}\n", expected.frames, files,
                        io::bytes_text(expected.output_bytes), io::bytes_text(expected.table_bytes));
  }
  text += fmt::format("  run time    {}\n", run_time_text(expected, trial, scene.end_time_s));
  return text;
}

std::string exact_text(const io::Scene& scene) {
  const Bodies& bodies = scene.initial.bodies;
  const ExactRelations found = exact_relations(scene.model, bodies);
  std::string text = "  exact      ";
  for (const Relation r : relations)
    text += fmt::format(" {} {}{}", found.count[static_cast<std::size_t>(r)], to_string(r),
                        r == relations.back() ? "" : ",");
  if (found.unknown > 0) text += fmt::format(", {} with shapes that have no exact test", found.unknown);
  text += fmt::format(" among the pairs that nearly touch; {} disagree{} with the gap\n", found.disagreeing,
                      found.disagreeing == 1 ? "s" : "");
  if (found.deepest.gap_m == infinity) return text;
  const auto body = [&](std::size_t i) {
    const Vec3& x = bodies.position[i];
    return fmt::format("{} at [{:.6g}, {:.6g}, {:.6g}] m", bodies.id[i], x.x(), x.y(), x.z());
  };
  return text + fmt::format("              deepest: {}, bodies {} and {}, gap {:.3g} m\n",
                            to_string(found.deepest.relation), body(found.deepest.a), body(found.deepest.b),
                            found.deepest.gap_m);
}

void add_check(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Check a scene for errors, and estimate memory, disk and time of a run");
  command->add_option("scene", options->scene, "Scene file")->required()->type_name("SCENE.toml");
  add_threads(*command, options->threads);
  command->add_option("--set", options->settings, "Setting of the scene to override; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--until", options->until_s, "Simulated end time, s; overrides the scene")
      ->check(number_in(not_negative));
  command->add_flag("--quick", options->quick,
                    "Skip the trial run of some seconds, which estimates the run time");
  add_memory_limit(*command, options->memory_limit);
  command->add_flag("--exact", options->exact,
                    "Classify all pairs that nearly touch, with an exact method: separate, touching, "
                    "overlapping or inside");
  command
      ->add_option("--restart-from", options->restart_from,
                   "Folder of a run whose bodies `scree run --restart-from` will add to those of the scene")
      ->type_name("FOLDER");
  command->callback([options, &action] { action = [options] { return check(*options); }; });
  add_reference(app, action);
  add_document(app, action, "scene-schema", io::scene_schema);
  add_document(app, action, "observables", io::observables_page);
}

}  // namespace scree
