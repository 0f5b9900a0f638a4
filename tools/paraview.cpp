#include "tools/paraview.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "engine/geometry/glyph.h"
#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/results/paraview_script.h"
#include "io/results/vtk_export.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/output_files.h"
#include "tools/progress.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

struct ParaviewOptions {
  fs::path folder, picture;
  std::string colour = "speed";
  std::optional<double> time_s;
  bool chains = false, overwrite = false, script_only = false;
};

/// The arrays of the series by which bodies can be coloured.
std::vector<std::string> colour_names(const io::TrajectoryReader& reader) {
  std::vector<std::string> names{"speed", "velocity", "angular_velocity", "radii",
                                 "id",    "material", "contacts"};
  names.insert(names.end(), reader.run().fields.begin(), reader.run().fields.end());
  if (reader.run().wall_cells.size() > 0)
    for (const io::WallQuantity& q : io::wall_quantities()) names.emplace_back(q.name);
  return names;
}

void write_script(const io::RunFolder& folder, const ParaviewOptions& options) {
  const io::TrajectoryReader reader = open_trajectory(folder);
  const std::vector<std::string> names = colour_names(reader);
  if (std::find(names.begin(), names.end(), options.colour) == names.end()) {
    throw CLI::ValidationError("--color", not_among(fmt::format("bodies have no array '{}'", options.colour),
                                                    options.colour, names));
  }
  if (options.time_s) frame_at(*options.time_s, reader);
  if (!fs::exists(folder.bodies_series())) io::write_vtk_series(folder, reader, io::all_frames(reader));
  // Folders of older runs have no meshes.
  const bool has_meshes = fs::exists(folder.path / io::RunFolder::vtk_frame("shape", 0));
  const std::size_t shapes = has_meshes ? glyph_count(reader.run().model.shapes) : 0;
  // Runs of older versions have no outlines for ParaView.
  const bool outlined = fs::exists(folder.outlines()) || fs::exists(folder.outlines_series());
  io::write_whole_file(
      folder.view_script(),
      io::paraview_script(
          {fs::absolute(folder.path).lexically_normal(), reader.run().model.settings.gravity,
           fs::exists(folder.walls()), fs::exists(folder.contacts_series()), options.colour, options.chains,
           reader.run().impulse_time_s, shapes, fs::exists(folder.walls_series()),
           outlined ? reader.run().outlines : io::Outlines{}, fs::exists(folder.wall_cells_series())}));
}

std::vector<std::string> command_line(const io::RunFolder& folder, const ParaviewOptions& options) {
  const std::string script = folder.view_script().string();
  if (options.picture.empty()) return {"paraview", "--script=" + script};
  std::vector<std::string> command{"pvbatch", script, options.picture.string()};
  if (options.time_s) command.push_back(fmt::format("{}", *options.time_s));
  return command;
}

std::vector<char*> pointers(std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  return arguments;
}

/// Replaces this process by the other program; returns only if that fails.
int start(std::vector<std::string> command) {
  execvp(command[0].c_str(), pointers(command).data());
  spdlog::error("cannot start {}: {}", command[0], std::strerror(errno));
  return exit_missing_program;
}

/// The output of the other program, and its status: 128 + the signal that ended it.
struct Ended {
  int status = 0;
  std::string output;
};
Ended run_to_the_end(std::vector<std::string> command) {
  int ends[2];
  if (pipe(ends) != 0) return {exit_internal_error, std::strerror(errno)};
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    execvp(command[0].c_str(), pointers(command).data());
    _exit(127);
  }
  close(ends[1]);
  Ended ended;
  char part[4096];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;)
    ended.output.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

bool has_display() {
  const char* const display = std::getenv("DISPLAY");
  return display && *display;
}

/// Draws the image; a stack trace is reduced to its reason, the rest goes into a file.
int draw(const io::RunFolder& folder, const std::vector<std::string>& command) {
  const Ended ended = run_to_the_end(command);
  if (ended.status == 0) {
    show(ended.output);
    return exit_ok;
  }
  const std::filesystem::path log = folder.path / "paraview.log";
  io::write_whole_file(log, ended.output);
  const bool no_python = ended.output.find("No module named") != std::string::npos;
  const std::string reason =
      no_python        ? "ParaView's Python is missing (Debian: python3-paraview)"
      : !has_display() ? "there is no display: put `xvfb-run -a` before the command, or use `scree render`"
                       : "see its output for the reason";
  spdlog::error("{} ended with status {}: {}; its output is in {}", command[0], ended.status, reason,
                log.string());
  return exit_missing_program;
}

int paraview(const ParaviewOptions& options) {
  const io::RunFolder folder = find_run(options.folder);
  expect_writable(options.picture, {io::own_files(folder), options.overwrite});
  write_script(folder, options);
  const std::vector<std::string> command = command_line(folder, options);
  const std::string by_hand = fmt::format("{}", fmt::join(command, " "));
  if (options.script_only) {
    show(fmt::format("{}\n", by_hand));
    return exit_ok;
  }
  if (!has_program(command[0])) {
    spdlog::error("{} is not in PATH (Debian: paraview); on a machine that has it, type: {}", command[0],
                  by_hand);
    return exit_missing_program;
  }
  if (!options.picture.empty()) return draw(folder, command);
  if (!has_display()) {
    spdlog::error(
        "there is no display for a window; `scree render {0}` and `scree report {0}` do not need one",
        folder.path.string());
    return exit_missing_program;
  }
  return start(command);
}

}  // namespace

void add_paraview(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<ParaviewOptions>();
  CLI::App* command = app.add_subcommand("paraview", "Open a run in ParaView with a prepared view");
  add_run_folder(*command, options->folder);
  command
      ->add_option("--color,--colour", options->colour,
                   "Array that colours the bodies, or the wall cells (wear, pressure, ...)")
      ->type_name("ARRAY")
      ->capture_default_str();
  command->add_flag("--chains", options->chains, "Show force chains; bodies become transparent");
  command
      ->add_option("--picture", options->picture, "File of a picture that pvbatch draws, instead of a window")
      ->type_name("FILE.png");
  command->add_option("--time", options->time_s, "Time of the picture, s (default: the last frame)")
      ->check(number_in(any_number));
  add_overwrite(*command, options->overwrite);
  command->add_flag("--script-only", options->script_only,
                    "Only write view.py into the run's folder, and print the command that opens it");
  command->callback([options, &action] { action = [options] { return paraview(*options); }; });
}

}  // namespace scree
