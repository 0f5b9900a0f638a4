// What the subcommands that look at a run have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "io/results/run_folder.h"
#include "io/results/trajectory_reader.h"

namespace scree {

/// The argument that names the folder of a run.
void add_run_folder(CLI::App& command, std::filesystem::path& folder);

/// The folder of a run, or of its trajectory.h5 if that was named. Throws ReadError if there is no such
/// folder.
io::RunFolder find_run(const std::filesystem::path& path);

/// Its trajectory. Throws ReadError, also if it has no frames; `what` says what they are needed for.
io::TrajectoryReader open_trajectory(const io::RunFolder& folder);

/// Is a program of this name in PATH?
bool has_program(const std::string& name);

}  // namespace scree
