#include "tools/new_scene.h"

#include <filesystem>
#include <fmt/format.h>
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
  std::string_view text;
};

std::vector<Kind> kinds() {
  return {{"box", new_box}, {"tube", new_tube}, {"hopper", new_hopper}, {"packing", new_packing}};
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
    expect_writable(path, {{}, options.overwrite});
    io::write_whole_file(path, named(std::string(kind.text), kind.name, path));
    show(fmt::format("{0}: edit it as you like, then run `scree check {0}` and `scree run {0}`\n",
                     path.string()));
  }
  return exit_ok;
}

}  // namespace

void add_new(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<NewOptions>();
  CLI::App* command = app.add_subcommand("new", "Write a commented example scene");
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  command
      ->add_option("kind", options->kind,
                   "Kind of scene: box (grains fall into a box), tube (they slide down a tube), hopper (they "
                   "flow out of "
                   "a silo), or packing (a dense bed of many sizes)")
      ->required()
      ->check(one_of(names))
      ->type_name("KIND");
  command->add_option("-o,--output", options->path, "Scene file (default: KIND.toml)")
      ->type_name("SCENE.toml");
  add_overwrite(*command, options->overwrite);
  command->callback([options, &action] { action = [options] { return write_new(*options); }; });
}

}  // namespace scree
