#include "tools/recorded_run.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

#include "io/files/file_errors.h"
#include "io/results/recorded_fields.h"
#include "io/scene/faults.h"
#include "tools/command_line.h"

namespace scree {

namespace fs = std::filesystem;

void add_run_folder(CLI::App& command, fs::path& folder) {
  command.add_option("run", folder, "Folder of a run, written by `scree run`")
      ->required()
      ->type_name("FOLDER");
}

namespace {

/// Folders with a trajectory beside the given path, and in results/; at most eight.
std::vector<std::string> runs_beside(const fs::path& path) {
  constexpr std::size_t most = 8;
  std::vector<std::string> found;
  for (const fs::path& folder :
       {path.has_parent_path() ? path.parent_path() : fs::path("."), fs::path("results")}) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code ignored;
      if (!fs::exists(io::RunFolder{entry->path()}.trajectory(), ignored)) continue;
      const std::string name = entry->path().lexically_normal().string();
      if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace

io::RunFolder find_run(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return {path};
  if (fs::is_regular_file(path, error)) return {path.has_parent_path() ? path.parent_path() : fs::path(".")};
  const std::vector<std::string> runs = runs_beside(path);
  const std::string near = io::did_you_mean(path.string(), runs);
  throw io::ReadError(fmt::format("{}: no such folder; {}{}{}", path.string(),
                                  runs.empty() ? "name the folder with the results of `scree run`"
                                               : fmt::format("there are {}", fmt::join(runs, ", ")),
                                  near.empty() ? "" : "; ", near));
}

std::vector<std::string> names_of(const std::vector<io::RunFolder>& runs) {
  std::vector<fs::path> paths;
  for (const io::RunFolder& run : runs) {
    paths.push_back(fs::absolute(run.path).lexically_normal());
    if (!paths.back().has_filename()) paths.back() = paths.back().parent_path();  // it ended with a slash
  }
  std::vector<std::string> names;
  for (const fs::path& path : paths) {
    const auto has_its_name = [&](const fs::path& other) {
      return other != path && other.filename() == path.filename();
    };
    names.push_back(std::ranges::any_of(paths, has_its_name)
                        ? (path.parent_path().filename() / path.filename()).string()
                        : path.filename().string());
  }
  return names;
}

io::TrajectoryReader open_trajectory(const io::RunFolder& folder) {
  if (!fs::exists(folder.trajectory())) {
    throw io::ReadError(fmt::format("{}: there is no {} in it; runs write it unless output.hdf5 is false",
                                    folder.path.string(), folder.trajectory().filename().string()));
  }
  io::TrajectoryReader reader(folder.trajectory());
  if (reader.frames() == 0) {
    throw io::ReadError(fmt::format("{}: it has no frames yet", folder.trajectory().string()));
  }
  return reader;
}

void add_frame_choice(CLI::App& command, FrameChoice& choice, const std::string& otherwise) {
  CLI::Option* time = command.add_option(
      "--time", choice.time_s, "Use only the frames nearest to these times, s (default: " + otherwise + ")");
  time->expected(1, 1000)->check(number_in(any_number))->type_name("TIME ...");
  command.add_option("--from", choice.from_s, "Use only frames from this time on, s")
      ->check(number_in(any_number))
      ->excludes(time);
  command.add_option("--until", choice.until_s, "Use only frames up to this time, s")
      ->check(number_in(any_number))
      ->excludes(time);
  command.add_option("--every", choice.every, "Use only every N-th of these frames")
      ->check(whole_number_in({.low = 1.0, .high = 1e9}))
      ->excludes(time)
      ->capture_default_str();
}

std::size_t frame_at(double time_s, const io::TrajectoryReader& reader) {
  const std::vector<double>& times = reader.time_s();
  const double slack = reader.run().frame_interval_s;
  if (time_s >= times.front() - slack && time_s <= times.back() + slack) return reader.nearest_frame(time_s);
  throw CLI::ValidationError(
      "--time", fmt::format("the run has no frame near this time (value {:g} s, allowed {:g} to {:g} s)",
                            time_s, times.front(), times.back()));
}

std::vector<std::size_t> chosen_frames(const FrameChoice& choice, const io::TrajectoryReader& reader) {
  std::vector<std::size_t> frames;
  for (const double time : choice.time_s) frames.push_back(frame_at(time, reader));
  const std::vector<double>& times = reader.time_s();
  for (std::size_t k = 0, inside = 0; choice.time_s.empty() && k < times.size(); ++k) {
    // The times of steps are sums of rounded numbers: a thousandth of a frame interval distinguishes them.
    const double slack = 1e-3 * reader.run().frame_interval_s;
    if (times[k] < choice.from_s.value_or(times[k]) - slack) continue;
    if (times[k] > choice.until_s.value_or(times[k]) + slack) continue;
    if (inside++ % choice.every == 0) frames.push_back(k);
  }
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  if (frames.empty()) {
    throw CLI::ValidationError(
        "--from, --until",
        fmt::format("there is no frame between these times; the run has frames from {:g} s to {:g} s",
                    times.front(), times.back()));
  }
  return frames;
}

void require_field(const io::RecordedRun& run, const std::string& option, const std::string& name) {
  const std::vector<io::RecordedField> fields = io::recorded_fields(run);
  if (io::find_field(fields, name)) return;
  std::vector<std::string> known;
  known.reserve(fields.size());
  for (const io::RecordedField& field : fields) known.push_back(field.name);
  const bool has_cells = run.wall_cells.size() > 0;
  if (has_cells && io::wall_quantity(name)) return;
  if (has_cells)
    for (const io::WallQuantity& q : io::wall_quantities()) known.emplace_back(q.name);
  if (!has_cells && io::wall_quantity(name))
    throw CLI::ValidationError(
        option,
        fmt::format("walls have no '{}' in this run, because its scene has no output.wall_cells", name));
  throw CLI::ValidationError(option, not_among(fmt::format("bodies have no '{}'", name), name, known));
}

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace scree
