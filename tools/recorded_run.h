// Common parts of the subcommands that read a run.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/results/run_folder.h"
#include "io/results/trajectory_reader.h"

namespace scree {

/// The argument that names the folder of a run.
void add_run_folder(CLI::App& command, std::filesystem::path& folder);

/// The folder of a run, given by itself or by its trajectory.h5. Throws ReadError if there is no such
/// folder.
io::RunFolder find_run(const std::filesystem::path& path);

/// Names of runs for people: those of their folders; where two are equal, with the folders that hold them.
std::vector<std::string> names_of(const std::vector<io::RunFolder>& runs);

/// Its trajectory, with at least one frame; otherwise throws ReadError.
io::TrajectoryReader open_trajectory(const io::RunFolder& folder);

/// Selection of frames of a run; by default all.
struct FrameChoice {
  std::vector<double> time_s;  // the nearest frame to each
  std::optional<double> from_s, until_s;
  std::size_t every = 1;
  bool given() const { return !time_s.empty() || from_s || until_s || every > 1; }
};
/// --time, --from, --until and --every; `otherwise` describes the selection if none of them is given.
void add_frame_choice(CLI::App& command, FrameChoice& choice, const std::string& otherwise);
/// The frame nearest to a time. Throws CLI::ValidationError if the time is more than a frame's interval
/// outside the run.
std::size_t frame_at(double time_s, const io::TrajectoryReader& reader);
/// Ordered by time, at least one. Throws CLI::ValidationError if none is left.
std::vector<std::size_t> chosen_frames(const FrameChoice& choice, const io::TrajectoryReader& reader);

/// Throws CLI::ValidationError, with the existing names, unless recorded_fields() has this one.
void require_field(const io::RecordedRun& run, const std::string& option, const std::string& name);

/// Is a program of this name in PATH?
bool has_program(const std::string& name);

}  // namespace scree
