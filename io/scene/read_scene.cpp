#include "io/scene/read_scene.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "io/files/input_file.h"
#include "io/files/text_file.h"
#include "io/scene/document.h"
#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"
#include "io/scene/validate.h"

namespace scree::io {

namespace {

[[noreturn]] void fail(const std::string& file, const std::string& problem,
                       const std::string& suggestion = "") {
  Fault fault;
  fault.where.file = file;
  fault.problem = problem;
  fault.suggestion = suggestion;
  throw InputError({fault});
}

/// Lists the scene files of the folder in which a scene was not found.
std::string scenes_beside(const std::filesystem::path& file) {
  constexpr std::size_t most = 8;
  const std::filesystem::path folder =
      file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return "there is no folder " + folder.string();
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".toml") names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) return "there is no .toml file in " + std::filesystem::absolute(folder, error).string();
  const std::string near = did_you_mean(file.filename().string(), names);
  const bool more = names.size() > most;
  if (more) names.resize(most);
  return fmt::format("there are {}{}{}{}", fmt::join(names, ", "), more ? ", ..." : "",
                     near.empty() ? "" : "; ", near);
}

std::vector<Fault> unused_parameters(const Node& root, const std::vector<std::string>& names) {
  std::vector<Fault> warnings;
  for (const std::string& name : names) {
    Fault warning;
    warning.where = root.find("parameters")->find(name)->key_where;
    warning.key_path = "parameters." + name;
    warning.problem = "is not used by any expression";
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

Fault missing_bodies(const std::filesystem::path& file) {
  Fault fault;
  fault.where = {file.string(), 1, 1};
  fault.key_path = "bodies";
  fault.problem = "is missing (bodies or inlets are needed)";
  fault.suggestion = "to start with the bodies of another run, add --restart-from FOLDER";
  return fault;
}

}  // namespace

std::filesystem::path beside_scene(const std::string& name, Reading& reading) {
  const std::filesystem::path file = reading.scene.file.parent_path() / name;
  std::error_code error;
  const bool noted = std::ranges::find(reading.scene.inputs, std::filesystem::absolute(file, error),
                                       &InputFile::path) != reading.scene.inputs.end();
  if (!noted && std::filesystem::is_regular_file(file, error))
    reading.scene.inputs.push_back({std::filesystem::absolute(file, error), crc32_of_file(file)});
  return file;
}

Override parse_override(const std::string& key_and_value) {
  const std::size_t equals = key_and_value.find('=');
  if (equals == std::string::npos || equals == 0)
    fail("--set " + key_and_value, "must have the form key=value");
  return {key_and_value.substr(0, equals), key_and_value.substr(equals + 1)};
}

Scene read_scene(const std::filesystem::path& file, const std::vector<Override>& overrides,
                 std::size_t most_bodies, const CarriedBodies& carried) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) fail(file.string(), "is a folder, not a scene file");
  std::string problem;
  const std::optional<std::string> text = read_bytes(file, problem, most_text_bytes);
  if (!text)
    fail(file.string(), "cannot be opened: " + problem,
         std::filesystem::exists(file, error) ? "" : scenes_beside(file));
  return read_scene_text(*text, file, overrides, most_bodies, carried);
}

std::vector<std::pair<std::string, std::string>> settings_in_effect(
    const std::string& text, const std::vector<std::string>& overrides) try {
  Reading reading;
  Node root = parse_document(text, "");
  for (const std::string& override : overrides)
    apply_override(root, parse_override(override), reading.faults);
  evaluate_expressions(root, reading.faults);
  validate(root, "", "", reading.faults);
  read_settings(Section(&root, "", ""), reading);
  return settings_text(reading.scene);
} catch (const InputError&) {
  return {};
}

Scene read_scene_text(const std::string& text, const std::filesystem::path& file,
                      const std::vector<Override>& overrides, std::size_t most_bodies,
                      const CarriedBodies& carried) {
  Reading reading;
  reading.most_bodies = most_bodies;
  Scene& scene = reading.scene;
  scene.file = file;
  scene.text = text;
  scene.overrides = overrides;
  scene.carried = carried;

  Node root = parse_document(text, file.string());
  for (const Override& key_and_value : overrides) apply_override(root, key_and_value, reading.faults);
  std::vector<std::string> unused = evaluate_expressions(root, reading.faults);
  validate(root, "", "", reading.faults);

  const Section top(&root, "", "");
  reading.seed = top.integer("seed");
  reading.top = &root;
  read_settings(top, reading);
  read_materials(top, reading);
  read_cell(top, reading);
  read_parts(top, reading);
  read_boundaries(top, reading);
  read_forces(top, reading);
  read_shapes(top, reading);
  read_bodies(top, reading);
  add_carried_bodies(reading);
  finish_parts(top, reading);
  read_models(top, reading);
  read_joints(top, reading);
  finish_models(top, reading);
  mesh_round_walls(reading);
  read_openings(top, reading);
  read_bonds(top, reading);
  if (root.find("bodies") == nullptr && root.find("inlets") == nullptr && root.find("joints") == nullptr &&
      carried.list.empty())
    reading.faults.push_back(missing_bodies(file));
  read_events(top, reading);
  const auto names = [&](ObservedKind kind) { return part_names(kind, scene.model); };
  scene.measurements = read_measurements(top, {names}, reading);
  std::erase_if(unused, [&](const std::string& name) { return reading.used_parameters.contains(name); });
  check_piecewise(top, reading);
  check_cell(top, reading);
  check_initial_state(settings_of<PlacementLimits>(top), reading);
  check_plausibility(top, reading);
  check_purpose(top, reading);
  check_motion(top, reading);
  cut_walls(top, reading);

  if (!reading.faults.empty()) {
    sort_by_place(reading.faults);
    throw InputError(std::move(reading.faults));
  }
  for (Fault& warning : unused_parameters(root, unused)) scene.warnings.push_back(std::move(warning));
  sort_by_place(scene.warnings);
  return std::move(reading.scene);
}

}  // namespace scree::io
