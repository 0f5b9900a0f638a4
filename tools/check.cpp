#include "tools/check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>

#include "engine/core/parallel.h"
#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/step.h"
#include "io/scene/keys.h"
#include "io/scene/read_scene.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"

namespace scree {

namespace {

// What the writers put into a file, bytes, measured on scenes/settling_box once bodies move and touch. Both
// formats are compressed; a .vtp repeats in every frame what does not change, and holds its numbers as base64
// text.
constexpr double trajectory_bytes_per_body = 47.0, trajectory_bytes_per_contact = 33.0;
constexpr double vtk_bytes_per_body = 95.0, vtk_bytes_per_contact = 72.0;
constexpr double bytes_per_field = 4.0;

// Memory of a run, bytes: the program with its libraries, and what state, workspace and waiting frames grow
// by; measured on settling boxes of 1000, 8000 and 100000 bodies.
constexpr double memory_base = 45e6, memory_per_body = 950.0, memory_per_contact = 1130.0;

/// Contacts a body of a settled bed of ellipsoids with friction 0.5 (scenes/settling_box: 2.9, walls
/// counted). Without friction there are up to 5 (Donev et al. 2004, Science 303, 990).
constexpr double contacts_per_packed_body = 3.0;

/// Mean step of a whole run of a settling box against one of its free fall at the start.
constexpr double packed_to_free = 12.0;

constexpr int most_probe_steps = 50;
constexpr double probe_patience_s = 1.0;

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} kB", std::max(1.0, std::ceil(bytes / 1e3)));
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string plural(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

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

std::string run_time_text(const Forecast& expected, const Probe& probe) {
  if (probe.steps == 0) return "not estimated";
  const double least = probe.step_s * static_cast<double>(expected.steps), most = packed_to_free * least;
  if (most < 1.0) return "less than a second";
  const std::string times = duration_text(least) + " to " + duration_text(most);
  return fmt::format(
      "{}\n              ({} steps at the start took {:.3g} ms each on {}; where bodies pile up, steps take\n"
      "              up to {:g} times as long)",
      times, probe.steps, 1e3 * probe.step_s, plural(thread_count(), "thread"), packed_to_free);
}

struct CheckOptions {
  std::filesystem::path scene;
  int threads = 0;  // 0: all of the machine's
  std::vector<std::string> settings;
  bool quick = false, exact = false;
};

int check(const CheckOptions& options) {
  set_thread_count(options.threads);
  std::vector<io::Override> overrides;
  for (const std::string& setting : options.settings) overrides.push_back(io::parse_override(setting));
  const io::Scene scene = io::read_scene(options.scene, overrides);
  show(check_text(scene, options.quick ? Probe{} : probe(scene, probe_patience_s)));
  if (options.exact) show(exact_text(scene));
  for (const Fault& warning : scene.warnings) spdlog::warn("{}", to_string(warning));
  return exit_ok;
}

void add_document(CLI::App& app, std::function<int()>& action, const std::string& name,
                  std::string (*text)()) {
  CLI::App* command = app.add_subcommand(name, "Print what the documentation of scene files is made of");
  command->group("");  // for developers: not listed
  command->callback([text, &action] {
    action = [text] {
      show(text());
      return int{exit_ok};
    };
  });
}

}  // namespace

Forecast forecast(const io::Scene& scene) {
  const double bodies = static_cast<double>(scene.initial.bodies.size());
  Forecast result;
  const bool adaptive = scene.model.settings.adaptive_step;
  result.first_step_s = first_step(scene.model, scene.initial.bodies);
  result.steps = static_cast<std::int64_t>(std::ceil(scene.end_time_s / result.first_step_s - 0.5));
  // The first frame shows the start, the last one the end; there is at most one a step, and adaptive ones end
  // at every frame.
  const auto intervals =
      static_cast<std::int64_t>(std::ceil(scene.end_time_s / scene.output.interval_s - 1e-9));
  result.frames = 1 + (adaptive ? intervals : std::min(result.steps, intervals));
  result.contacts = static_cast<std::int64_t>(contacts_per_packed_body * bodies);
  const double contacts = static_cast<double>(result.contacts);
  result.memory_bytes = memory_base + memory_per_body * bodies + memory_per_contact * contacts;
  const double fields = bytes_per_field * static_cast<double>(scene.output.fields.size());
  const double frame_contacts = scene.output.contacts ? contacts : 0.0;
  double frame = 0.0;
  if (scene.output.hdf5)
    frame += (trajectory_bytes_per_body + fields) * bodies + trajectory_bytes_per_contact * frame_contacts;
  if (scene.output.vtk)
    frame += (vtk_bytes_per_body + fields) * bodies + vtk_bytes_per_contact * frame_contacts;
  result.output_bytes = frame * static_cast<double>(result.frames);
  return result;
}

Probe probe(const io::Scene& scene, double patience_s) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  State state = scene.initial;
  Workspace workspace;
  StepResult stepped;
  const Clock::time_point begin = Clock::now();
  // The first step also makes room for everything and is not counted.
  const auto diverges = [&] {
    const double landing = io::next_landing(scene, state.time_s, scene.end_time_s);
    return step(scene.model, state, workspace, stepped, landing).status == SolveStatus::diverged;
  };
  if (diverges()) return {};
  if (seconds(Clock::now() - begin) > patience_s) return {};
  Probe result;
  const Clock::time_point first = Clock::now();
  double elapsed = 0.0;
  while (result.steps < most_probe_steps && elapsed < patience_s) {
    if (diverges()) return {};
    ++result.steps;
    elapsed = seconds(Clock::now() - first);
  }
  result.step_s = elapsed / result.steps;
  return result;
}

std::string check_text(const io::Scene& scene, const Probe& probe) {
  const Forecast expected = forecast(scene);
  std::string files;
  if (scene.output.hdf5) files += " trajectory";
  if (scene.output.vtk) files += files.empty() ? " VTK" : " and VTK";
  std::string text = fmt::format("{}: in order\n", scene.file.string());
  text += fmt::format("  bodies      {}, {}, {:.4g} m^3, {:.4g} kg\n", scene.initial.bodies.size(),
                      plural(static_cast<std::int64_t>(scene.model.shapes.size()), "shape"),
                      total_volume(scene), total_mass(scene));
  text += fmt::format("  materials   {}\n", scene.model.materials.size());
  text += fmt::format("  boundaries  {}\n", scene.model.boundaries.size());
  if (scene.model.settings.adaptive_step)
    text += fmt::format(
        "  time        {:g} s in adaptive steps: the first of {:.3g} s, all from {:g} to {:g} s\n",
        scene.end_time_s, expected.first_step_s, scene.model.settings.least_time_step_s,
        scene.model.settings.time_step_s);
  else
    text += fmt::format("  time        {:g} s in {} steps of {:g} s\n", scene.end_time_s, expected.steps,
                        scene.model.settings.time_step_s);
  text += fmt::format("  contacts    about {} once the bodies lie packed ({:g} a body)\n", expected.contacts,
                      contacts_per_packed_body);
  text += fmt::format("  memory      about {}\n", bytes_text(expected.memory_bytes));
  if (files.empty()) {
    text += "  output      no frames\n";
  } else {
    text += fmt::format("  output      {} frames,{}: about {}\n", expected.frames, files,
                        bytes_text(expected.output_bytes));
  }
  text += fmt::format("  run time    {}\n", run_time_text(expected, probe));
  return text;
}

std::string exact_text(const io::Scene& scene) {
  const Bodies& bodies = scene.initial.bodies;
  const ExactRelations found = exact_relations(scene.model, bodies);
  std::string text = "  exact      ";
  for (const Relation r : relations)
    text += fmt::format(" {} {}{}", found.count[static_cast<std::size_t>(r)], to_string(r),
                        r == relations.back() ? "" : ",");
  if (found.unknown > 0) text += fmt::format(", {} of shapes without an exact test", found.unknown);
  text += fmt::format(" of the pairs that almost touch; {} disagree{} with the gap\n", found.disagreeing,
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
      app.add_subcommand("check", "Look for errors in a scene and tell what a run of it will take");
  command->add_option("scene", options->scene, "Scene file")->required()->type_name("SCENE.toml");
  command->add_option("--threads", options->threads, "Threads; 0 takes all there are")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_option("--set", options->settings, "Overrides a setting of the scene; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--quick", options->quick, "Do not measure a few steps for an estimate of the run time");
  command->add_flag(
      "--exact", options->exact,
      "Classify the pairs that almost touch exactly: separate, touching, overlapping or inside");
  command->callback([options, &action] { action = [options] { return check(*options); }; });
  add_document(app, action, "scene-reference", io::scene_reference);
  add_document(app, action, "scene-schema", io::scene_schema);
}

}  // namespace scree
