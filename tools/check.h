// scree check: reads a scene and reports its errors, or the resources that a run needs.
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

/// Expected resources of a run.
struct Forecast {
  std::int64_t steps = 0;  // for adaptive steps as if all had the length of the first
  double first_step_s = 0.0;
  std::int64_t frames = 0;
  std::int64_t bodies = 0;    // at most at one time
  std::int64_t contacts = 0;  // when all bodies are packed
  double memory_bytes = 0.0;
  double output_bytes = 0.0;  // frames
  double table_bytes = 0.0;   // steps.csv, boundaries.csv
  double checkpoint_bytes = 0.0;
  double disk_bytes() const { return output_bytes + table_bytes + checkpoint_bytes; }
  double writing_s() const;  // wall time
};
/// With a trial, bodies and contacts are those of the trial, else those of a packed bed that still has all
/// its bodies.
Forecast forecast(const io::Scene& scene, const Trial& trial = {});

/// --memory-limit of a subcommand, bytes: "800MB", "1.5 GB"; without it `bytes` does not change.
void add_memory_limit(CLI::App& command, double& bytes);

/// The resource of this machine, or --memory-limit, that is not sufficient for a run with results in that
/// folder; empty if all are sufficient.
std::string room_problem(const Forecast& expected, const std::filesystem::path& folder,
                         double memory_limit = infinity);
/// Replaces the scene's end_time by --until. Throws CLI::ValidationError if no run can reach it.
void set_end_time(io::Scene& scene, std::optional<double> until_s);
/// Number of bodies that this machine, or --memory-limit, has the memory to place, or to run.
std::size_t bodies_with_room(bool whole_run = false, double memory_limit = infinity);
/// The default folder of a run's results.
std::filesystem::path default_folder(const io::Scene& scene);

/// Size of boundaries that are meshes at the start, one line each.
std::string meshes_text(const io::Scene& scene);

/// The output of `scree check` for a scene without errors.
std::string check_text(const io::Scene& scene, const Trial& trial);

/// The output of `--exact`: relations of the pairs that almost touch, by the characteristic polynomial.
std::string exact_text(const io::Scene& scene);

/// Adds the subcommand, and those that write docs/scene_reference.md, docs/scene.schema.json and
/// docs/observables.md to the standard output.
void add_check(CLI::App& app, std::function<int()>& action);

}  // namespace scree
