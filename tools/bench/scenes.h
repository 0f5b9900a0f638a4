// The scenes that are benchmarks by name, and how a scene file is found.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scree {

struct BenchScene {
  const char* name;
  const char* description;
  bool comes_to_rest;  // timed at rest: a warning if it is not
  bool whole_run;      // timed from its start to its end, if nothing else is asked for
};

std::span<const BenchScene> bench_scenes();

/// A scene file to measure and what is known about it.
struct BenchTarget {
  std::filesystem::path file;
  bool is_listed = false;  // one of bench_scenes()
  bool comes_to_rest = false, whole_run = false;
};

/// A name of bench_scenes() or a scene file. Throws CLI::ValidationError, with the nearest name, if it is
/// neither.
BenchTarget find_bench_scene(const std::string& name_or_file);

/// What `scree bench --list` prints.
std::string bench_scenes_text();

}  // namespace scree
