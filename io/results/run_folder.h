// The folder of a run: the names of its files, and protection against accidental overwriting.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scree::io {

/// The files of one run. docs/file_formats.md describes their contents.
struct RunFolder {
  std::filesystem::path path;

  std::filesystem::path trajectory() const { return path / "trajectory.h5"; }
  std::filesystem::path steps() const { return table("steps"); }
  /// A table that grows during the run: "steps" is steps.csv.
  std::filesystem::path table(std::string_view name) const { return path / (std::string(name) + ".csv"); }
  static constexpr std::string_view table_names[] = {"steps",   "boundaries", "parts",     "joints",
                                                     "machine", "models",     "kinematic", "bonds",
                                                     "impacts", "cell",       "openings",  "events"};
  /// All possible tables: these, and those of existing measurements.
  std::vector<std::filesystem::path> tables() const;
  /// The table of a measurement, and its additional table at the end.
  std::filesystem::path measured(const std::string& name) const { return table("measured_" + name); }
  std::filesystem::path distribution(const std::string& name) const { return table("distribution_" + name); }
  std::filesystem::path measurements() const { return path / "measurements.json"; }
  /// This and all distributions that exist.
  std::vector<std::filesystem::path> measured_files() const;
  /// Checksums of these tables while they grow.
  std::filesystem::path table_checksums() const { return path / "tables.crc32"; }
  std::filesystem::path summary() const { return path / "summary.json"; }
  std::filesystem::path stage_table() const { return path / "stage_table.txt"; }
  /// Exists if a program has controlled machines or applied forces during the run; checkpoints do not contain
  /// this.
  std::filesystem::path acted_on() const { return path / "acted_on.txt"; }
  std::filesystem::path view_script() const { return path / "view.py"; }
  std::filesystem::path bodies_series() const { return path / "bodies.pvd"; }
  std::filesystem::path contacts_series() const { return path / "contacts.pvd"; }
  std::filesystem::path walls() const { return path / "walls.vtp"; }
  std::filesystem::path walls_series() const { return path / "walls.pvd"; }
  std::filesystem::path wall_cells_series() const { return path / "wall_cells.pvd"; }
  std::filesystem::path outlines() const { return path / "outlines.vtp"; }
  std::filesystem::path outlines_series() const { return path / "outlines.pvd"; }
  /// Links into the trajectory, for ParaView 5.12 and later.
  std::filesystem::path bodies_hdf() const { return path / "bodies.vtkhdf"; }
  std::filesystem::path contacts_hdf() const { return path / "contacts.vtkhdf"; }
  std::filesystem::path vtk() const { return path / "vtk"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  /// "vtk/bodies_000042.vtp", relative to the folder; `kind` is "bodies", "contacts", "walls", "wall_cells"
  /// or "outlines", or "shape" for the mesh of a function, with its number instead of a frame.
  static std::string vtk_frame(const std::string& kind, std::int64_t frame);
};

/// Keeps other runs out of a folder during its lifetime, or until this process ends. On file systems without
/// locks it does nothing.
class FolderLock {
 public:
  /// Throws WriteError if another process has locked the folder, or if it does not exist.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// Is this a file of a frame or a shape: "bodies_<digits>.vtp" and so on, or its temporary file?
bool is_vtk_frame(const std::filesystem::path& file);

/// The files in the folder that a run would write or replace, sorted. Files of other names are never touched.
std::vector<std::filesystem::path> own_files(const RunFolder& folder);

/// Throws WriteError if prepare_run_folder would refuse the folder, or if another run writes to it.
void expect_run_folder(const std::filesystem::path& path, bool overwrite);

/// Prepares the folder for a run. Throws WriteError without any changes if it contains results
/// and `overwrite` is off, or if it is not a folder. With `overwrite` it removes own_files() and nothing
/// else. Also throws if the folder is not writable.
RunFolder prepare_run_folder(const std::filesystem::path& path, bool overwrite);

}  // namespace scree::io
