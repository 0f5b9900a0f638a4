#include "tools/recorded_run.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

#include "io/results/read_error.h"

namespace scree {

namespace fs = std::filesystem;

void add_run_folder(CLI::App& command, fs::path& folder) {
  command.add_option("run", folder, "Folder of a run, as `scree run -o` made it")
      ->required()
      ->type_name("FOLDER");
}

io::RunFolder find_run(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return {path};
  if (fs::is_regular_file(path, error)) return {path.has_parent_path() ? path.parent_path() : fs::path(".")};
  throw io::ReadError(
      fmt::format("{}: no such folder; name the one that `scree run` wrote its results to", path.string()));
}

io::TrajectoryReader open_trajectory(const io::RunFolder& folder) {
  if (!fs::exists(folder.trajectory())) {
    throw io::ReadError(fmt::format("{}: there is no {} in it; a run writes it unless output.hdf5 is false",
                                    folder.path.string(), folder.trajectory().filename().string()));
  }
  io::TrajectoryReader reader(folder.trajectory());
  if (reader.frames() == 0) {
    throw io::ReadError(fmt::format("{}: it holds no frame yet", folder.trajectory().string()));
  }
  return reader;
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
