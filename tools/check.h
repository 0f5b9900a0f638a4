// scree check: reads a scene, tells what is wrong with it or what a run of it will take.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/scene/scene.h"
#include "tools/trial_run.h"

namespace scree {

/// What a run of a scene is expected to take.
struct Forecast {
  std::int64_t steps = 0;  // of adaptive ones as many as if all were like the first
  double first_step_s = 0.0;
  std::int64_t frames = 0;
  std::int64_t bodies = 0;    // at most at one time
  std::int64_t contacts = 0;  // once all bodies lie packed
  double memory_bytes = 0.0;
  double output_bytes = 0.0;  // frames
  double table_bytes = 0.0;   // steps.csv, boundaries.csv
  double checkpoint_bytes = 0.0;
  double disk_bytes() const { return output_bytes + table_bytes + checkpoint_bytes; }
  double writing_s() const;  // wall time
};
/// With a trial bodies and contacts are its, else those of a packed bed that nobody has left.
Forecast forecast(const io::Scene& scene, const Trial& trial = {});

/// --memory-limit of a subcommand, bytes: "800MB", "1.5 GB"; as it was if not given.
void add_memory_limit(CLI::App& command, double& bytes);

/// What of this machine, or of --memory-limit, does not suffice for a run with results in that folder; empty
/// if all does.
std::string room_problem(const Forecast& expected, const std::filesystem::path& folder,
                         double memory_limit = infinity);
/// --until in place of the scene's end_time. Throws CLI::ValidationError where no run comes there.
void set_end_time(io::Scene& scene, std::optional<double> until_s);
/// Bodies that this machine, or --memory-limit, has the memory to place, or to run.
std::size_t bodies_with_room(bool whole_run = false, double memory_limit = infinity);
/// Where a run writes unless it is told otherwise.
std::filesystem::path default_folder(const io::Scene& scene);

/// How large boundaries are that are meshes at the start, a line each.
std::string meshes_text(const io::Scene& scene);

/// What `scree check` prints about a scene that is in order.
std::string check_text(const io::Scene& scene, const Trial& trial);

/// What `--exact` adds: how the pairs that almost touch lie to each other, by the characteristic polynomial.
std::string exact_text(const io::Scene& scene);

/// Adds the subcommand, and those that write docs/scene_reference.md, docs/scene.schema.json and docs/observables.md to the
/// standard output.
void add_check(CLI::App& app, std::function<int()>& action);

}  // namespace scree
