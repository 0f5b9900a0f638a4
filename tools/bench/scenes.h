// The named benchmark scenes, and the search for a scene file.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scree {

struct BenchScene {
  const char* name;
  const char* description;
  bool comes_to_rest;  // timed at rest: a warning if it is not at rest
  bool whole_run;      // timed from its start to its end by default
};

std::span<const BenchScene> bench_scenes();

/// A scene file for measurement, with its properties.
struct BenchTarget {
  std::filesystem::path file;
  bool is_listed = false;  // one of bench_scenes()
  bool comes_to_rest = false, whole_run = false;
};

/// A name of bench_scenes() or a scene file. Throws CLI::ValidationError, with the nearest name, if it is
/// neither.
BenchTarget find_bench_scene(const std::string& name_or_file);

/// The output of `scree bench --list`.
std::string bench_scenes_text();

}  // namespace scree
