// scree check: reads a scene, tells what is wrong with it or what a run of it will take.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/scene/scene.h"

namespace scree {

/// What a run of a scene is expected to take.
struct Forecast {
  std::int64_t steps = 0;  // of adaptive ones as many as if all were like the first
  double first_step_s = 0.0;
  std::int64_t frames = 0;
  std::int64_t contacts = 0;  // once all bodies lie packed
  double memory_bytes = 0.0;
  double output_bytes = 0.0;
};
Forecast forecast(const io::Scene& scene);

/// Time of one step at the start of the scene, s, and how many steps it was measured over; 0 if there was no
/// time left for a whole one.
struct Probe {
  double step_s = 0.0;
  int steps = 0;
};
Probe probe(const io::Scene& scene, double patience_s);

/// What `scree check` prints about a scene that is in order.
std::string check_text(const io::Scene& scene, const Probe& probe);

/// What `--exact` adds: how the pairs that almost touch lie to each other, by the characteristic polynomial.
std::string exact_text(const io::Scene& scene);

/// Adds the subcommand, and those that write docs/scene_reference.md and docs/scene.schema.json to the
/// standard output.
void add_check(CLI::App& app, std::function<int()>& action);

}  // namespace scree
