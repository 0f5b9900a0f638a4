// trajectory.h5: the whole run in one HDF5 file that explains itself. Layout: docs/file_formats.md.
#pragma once

#include <filesystem>
#include <memory>

#include "io/results/frame.h"
#include "io/scene/scene.h"

namespace scree::io {

inline constexpr int trajectory_format_version = 2;

/// Where the balances of frames are: "ledger/kinetic_energy", ...
std::vector<std::string> ledger_names();

/// To be called before anything uses HDF5. Its exit handler closes files once more, and on a full disk, where
/// closing has failed before, it crashes; every file here is closed by its owner.
void leave_out_hdf5_exit_handler();

/// Writes the constants at once, bodies as they come, and then frame by frame. The file is whole at any
/// moment, whatever ends the program (io/files/journaled_file.h): it then ends with a frame, the last one of
/// the last commit() or a later one. All members throw WriteError.
class Trajectory {
 public:
  Trajectory(const std::filesystem::path& path, const Scene& scene);
  /// Goes on with a file of the same scene after the rows [array] that position() gave.
  Trajectory(const std::filesystem::path& path, const Scene& scene,
             const std::vector<std::int64_t>& position);
  ~Trajectory();
  Trajectory(Trajectory&&) noexcept;

  void append(const Frame& frame);
  /// Puts all on disk.
  void commit();
  /// Is every frame there, whatever ends the program now?
  bool is_on_disk() const;
  /// [array] rows, for going on from here.
  std::vector<std::int64_t> position();
  void close();

 private:
  void open_arrays(const Scene& scene);
  void reopen(const Scene& scene);
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
