#include "tools/bench/scenes.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "io/scene/faults.h"

namespace scree {

namespace {

constexpr std::array<BenchScene, 7> scenes = {{
    {"settled_bed", "a bed of ellipsoids at rest in an open box", true, false},
    {"pouring", "ellipsoids pour out of a tube into a box", false, false},
    {"polydisperse", "ellipsoids of sizes 100 : 1 in an open box", false, false},
    {"collapse", "a lattice of ellipsoids falls into an open box and collapses", false, true},
    {"tube", "ellipsoids slide down an inclined tube and spill onto the floor", false, true},
    {"mixture", "spheres and rice, volumes 1000 : 1, densities 5 : 1, fall into a box", false, true},
    {"hopper", "spheres leave a silo by a rounded outlet", false, true},
}};

/// The folder scenes/bench of the source tree or the installation that the program belongs to: searched
/// upwards from the program itself.
std::filesystem::path bench_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  while (!folder.empty()) {
    for (const char* place : {"scenes/bench", "share/scree/scenes/bench"}) {
      if (std::filesystem::exists(folder / place / "settled_bed.toml", error)) return folder / place;
    }
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return "scenes/bench";
}

bool looks_like_a_file(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".toml");
}

}  // namespace

std::span<const BenchScene> bench_scenes() { return scenes; }

BenchTarget find_bench_scene(const std::string& text) {
  const auto known =
      std::find_if(scenes.begin(), scenes.end(), [&](const BenchScene& s) { return text == s.name; });
  if (known != scenes.end())
    return {bench_folder() / (text + ".toml"), true, known->comes_to_rest, known->whole_run};
  if (looks_like_a_file(text) || std::filesystem::is_regular_file(text)) return {text, false, false, false};
  std::vector<std::string> names;
  names.reserve(scenes.size());
  for (const BenchScene& s : scenes) names.emplace_back(s.name);
  const std::string near = io::did_you_mean(text, names);
  throw CLI::ValidationError(
      fmt::format("'{}' is neither a benchmark (`scree bench --list`) nor a scene file{}", text,
                  near.empty() ? "" : "; " + near));
}

std::string bench_scenes_text() {
  std::string text;
  for (const BenchScene& s : scenes)
    text += fmt::format("{:<14} {}{}\n", s.name, s.description, s.whole_run ? "; whole run" : "");
  return text + fmt::format("scene files in {}\n", bench_folder().string());
}

}  // namespace scree
