#include "tools/output_files.h"

#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <unistd.h>

#include "io/files/file_errors.h"
#include "io/results/run_folder.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

/// Files that can be drawn again, recognised by bytes near their beginning.
struct Drawing {
  std::string_view ending, sign;
  std::size_t within;  // bytes from the start
};
constexpr Drawing drawings[] = {{".png", "\x89PNG", 4},
                                {".svg", "<svg", 512},
                                {".pdf", "%PDF", 4},
                                {".gif", "GIF8", 4},
                                {".mp4", "ftyp", 8},
                                {".webm", "\x1a\x45\xdf\xa3", 4},
                                {".html", " - Scree</title>", 4096}};

bool is_drawing(const fs::path& path) {
  for (const Drawing& drawing : drawings) {
    if (path.extension() != drawing.ending) continue;
    std::string begin(drawing.within, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(file.gcount());
    return begin.find(drawing.sign) != std::string::npos;
  }
  return false;
}

void expect_folder(const fs::path& output) {
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw io::WriteError(
        fmt::format("cannot write {}: there is no folder {}", output.string(), folder.string()));
  if (access(folder.c_str(), W_OK) != 0)
    throw io::WriteError(
        fmt::format("cannot write {}: the folder {} is not writable", output.string(), folder.string()));
}

}  // namespace

void add_overwrite(CLI::App& command, bool& overwrite) {
  command.add_flag("--overwrite", overwrite, "Replace existing files");
}

void expect_writable(const fs::path& output, const OutputRule& rule) {
  if (output.empty()) return;
  std::error_code error;
  const fs::file_status there = fs::status(output, error);
  if (!fs::exists(there)) return expect_folder(output);
  if (fs::is_directory(there))
    throw io::WriteError(fmt::format("cannot write {}: it is a folder", output.string()));
  if (!fs::is_regular_file(there)) return;  // /dev/null, a pipe
  for (const fs::path& input : rule.inputs) {
    if (fs::equivalent(output, input, error))
      throw io::WriteError(
          fmt::format("cannot write {}: this command reads it; choose another name", output.string()));
  }
  if (rule.overwrite || fs::file_size(output, error) == 0 || is_drawing(output)) return expect_folder(output);
  throw io::WriteError(
      fmt::format("{} already exists; choose another name or replace it (--overwrite)", output.string()));
}

void expect_problem_file(const fs::path& output, const fs::path& results, const OutputRule& rule) {
  if (output.empty()) return;
  if (output.extension() != ".h5" && output.extension() != ".hdf5")
    throw CLI::ValidationError("--dump-problem",
                               fmt::format("'{}' must end in .h5 or .hdf5", output.string()));
  std::error_code error;
  const fs::path file = fs::weakly_canonical(output, error), folder = fs::weakly_canonical(results, error);
  if (file == io::RunFolder{folder}.trajectory())
    throw io::WriteError(fmt::format("cannot write {}: it is the run's trajectory", output.string()));
  if (file.parent_path() == folder && !fs::exists(file)) return;
  expect_writable(output, rule);
}

}  // namespace scree
