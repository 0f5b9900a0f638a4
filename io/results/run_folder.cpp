#include "io/results/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/files/file_errors.h"
#include "io/files/journaled_file.h"
#include "io/files/text_file.h"
#include "io/results/checkpoint.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw WriteError(fmt::format("cannot write to {}: {}", path.string(), reason));
}

/// Files of the folder whose names have this beginning and end, sorted.
std::vector<fs::path> files_named(const fs::path& folder, const std::string& begin, const std::string& end) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<fs::path> RunFolder::tables() const {
  std::vector<fs::path> all;
  for (const std::string_view name : table_names) all.push_back(table(name));
  for (const fs::path& file : files_named(path, "measured_", ".csv")) all.push_back(file);
  return all;
}

std::vector<fs::path> RunFolder::measured_files() const {
  std::vector<fs::path> all = files_named(path, "distribution_", ".csv");
  if (fs::exists(measurements())) all.push_back(measurements());
  return all;
}

bool is_vtk_frame(const fs::path& file) {
  const std::string suffix = ".vtp";
  std::string name = file.filename().string();
  while (name.ends_with(".tmp")) name.resize(name.size() - 4);
  if (name.size() <= suffix.size() || !name.ends_with(suffix)) return false;
  for (const std::string kind : {"bodies_", "contacts_", "outlines_", "shape_", "wall_cells_", "walls_"}) {
    if (!name.starts_with(kind)) continue;
    const std::string digits = name.substr(kind.size(), name.size() - kind.size() - suffix.size());
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  }
  return false;
}

std::string RunFolder::vtk_frame(const std::string& kind, std::int64_t frame) {
  return fmt::format("vtk/{}_{:06}.vtp", kind, frame);
}

std::vector<fs::path> own_files(const RunFolder& folder) {
  std::vector<fs::path> found;
  std::vector<fs::path> files = folder.tables();
  files.insert(files.end(),
               {folder.table_checksums(), folder.trajectory(), hdf5::journal_name(folder.trajectory()),
                folder.summary(), folder.stage_table(), folder.acted_on(), folder.view_script(),
                folder.bodies_series(), folder.contacts_series(), folder.walls(), folder.walls_series(),
                folder.outlines(), folder.outlines_series(), folder.wall_cells_series(), folder.bodies_hdf(),
                folder.contacts_hdf(), folder.measurements()});
  for (const fs::path& file : files_named(folder.path, "distribution_", ".csv")) files.push_back(file);
  for (const fs::path& file : files) {
    for (const fs::path& name : {file, temporary_name(file)}) {
      std::error_code ignored;
      if (fs::exists(fs::symlink_status(name, ignored))) found.push_back(name);
    }
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder.vtk(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_vtk_frame(entry->path())) found.push_back(entry->path());
  }
  for (const fs::path& file : checkpoints(folder)) found.push_back(file);
  std::sort(found.begin(), found.end());
  return found;
}

FolderLock::FolderLock(const fs::path& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(folder, std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(descriptor_);
  fail(folder, "another run writes to it");
}

FolderLock::~FolderLock() { close(descriptor_); }

namespace {

void expect_free(const fs::path& path, bool overwrite) {
  const std::vector<fs::path> present = own_files(RunFolder{path});
  if (!present.empty() && !overwrite) {
    fail(path,
         fmt::format(
             "it already holds results ({}{}); choose another folder (-o) or replace them (--overwrite)",
             present.front().filename().string(), present.size() > 1 ? " and others" : ""));
  }
}

}  // namespace

void expect_run_folder(const fs::path& path, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) fail(path, "it is not a folder");
  expect_free(path, overwrite);
  const FolderLock nobody_else(path);
}

RunFolder prepare_run_folder(const fs::path& path, bool overwrite) {
  const RunFolder folder{path};
  expect_run_folder(path, overwrite);
  std::error_code error;
  // A trial file before anything is removed: old results must survive an attempt that could not have written
  // new ones.
  fs::create_directories(path, error);
  if (error) fail(path, error.message());
  const FolderLock nobody_else(path);
  expect_free(path, overwrite);  // still
  const fs::path trial = temporary_name(folder.summary());
  TextFile::make_new(trial).close();
  fs::remove(trial, error);
  for (const fs::path& file : own_files(folder)) {
    fs::remove(file, error);
    if (error) fail(file, error.message());
  }
  return folder;
}

}  // namespace scree::io
