#include "tools/new_scene.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <scree_embedded.h>

#include "io/files/text_file.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/output_files.h"
#include "tools/progress.h"

namespace scree {

namespace {

struct Kind {
  const char* name;
  const char* description;
  std::string_view text;
  std::string_view mesh = {};  // of NAME.obj, which the scene reads; empty: none
};

std::vector<Kind> kinds() {
  return {{"box", "grains fall into a box", new_box},
          {"tube", "grains slide down a tube", new_tube},
          {"hopper", "grains flow out of a silo", new_hopper},
          {"packing", "a dense bed of many sizes", new_packing},
          {"screw", "a screw conveyor", new_screw, new_screw_mesh},
          {"screen", "a vibrating screen", new_screen, new_screen_mesh},
          {"mixer", "blades with a torque limit", new_mixer, new_mixer_mesh}};
}

/// An example scene as a scene of the user: its first line is a title, and the commands follow it.
std::string with_commands(std::string text, const std::string& kind) {
  if (text.find("scree check " + kind + ".toml") == std::string::npos)
    text.insert(
        text.find('\n') + 1,
        fmt::format(
            "#   scree check {0}.toml        lists errors, or estimates memory, disk and time of a run\n"
            "#   scree run {0}.toml          runs the scene and writes results/{0}\n"
            "#   scree report results/{0}    writes a web page with pictures and plots\n"
            "#   scree measure results/{0}   prints the results of [[measurements]]\n"
            "# All numbers are in SI units: m, s, kg. Keys: docs/scene_reference.md\n",
            kind));
  // Without a name, a run has that of its file.
  const std::string name = fmt::format("\nname = \"{}\"\n", kind);
  if (const auto at = text.find(name); at != std::string::npos) text.erase(at, name.size() - 1);
  return text;
}

/// The text with the names of file and results that the user chose.
std::string named(std::string text, const std::string& kind, const std::filesystem::path& path) {
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace_all(kind + ".toml", path.string());
  replace_all("results/" + kind, "results/" + path.stem().string());
  return text;
}

struct NewOptions {
  std::string kind;
  std::filesystem::path path;
  bool overwrite = false;
};

int write_new(const NewOptions& options) {
  for (const Kind& kind : kinds()) {
    if (options.kind != kind.name) continue;
    const std::filesystem::path path =
        options.path.empty() ? std::filesystem::path(options.kind + ".toml") : options.path;
    const std::filesystem::path mesh = path.parent_path() / fmt::format("{}.obj", kind.name);
    expect_writable(path, {{}, options.overwrite});
    if (!kind.mesh.empty()) expect_writable(mesh, {{}, options.overwrite});
    if (!kind.mesh.empty()) io::write_whole_file(mesh, std::string(kind.mesh));
    io::write_whole_file(path, named(with_commands(std::string(kind.text), kind.name), kind.name, path));
    show(fmt::format("{0}{1}: edit it as you like, then run `scree check {0}` and `scree run {0}`\n",
                     path.string(), kind.mesh.empty() ? "" : " and " + mesh.string()));
  }
  return exit_ok;
}

}  // namespace

void add_new(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<NewOptions>();
  CLI::App* command = app.add_subcommand("new", "Write a commented example scene");
  std::vector<std::string> names, described;
  for (const Kind& kind : kinds()) {
    names.emplace_back(kind.name);
    described.push_back(fmt::format("{} ({})", kind.name, kind.description));
  }
  command->add_option("kind", options->kind, fmt::format("Kind of scene: {}", fmt::join(described, ", ")))
      ->required()
      ->check(one_of(names))
      ->type_name("KIND");
  command->add_option("-o,--output", options->path, "Scene file (default: KIND.toml)")
      ->type_name("SCENE.toml");
  add_overwrite(*command, options->overwrite);
  command->callback([options, &action] { action = [options] { return write_new(*options); }; });
}

}  // namespace scree
