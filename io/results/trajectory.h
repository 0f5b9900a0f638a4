// trajectory.h5: the whole run in one self-describing HDF5 file. Layout: docs/file_formats.md.
#pragma once

#include <filesystem>
#include <memory>

#include "io/files/piece.h"
#include "io/results/frame.h"
#include "io/scene/scene.h"

namespace scree::io {

inline constexpr int trajectory_format_version = 2;

/// Datasets of the balances of frames: "ledger/kinetic_energy", ...
std::vector<std::string> ledger_names();

/// To be called before any use of HDF5. HDF5's exit handler closes files again, and on a full disk, where
/// closing has failed before, it crashes. Here each file is closed by its owner.
void leave_out_hdf5_exit_handler();

/// A frame as rows, to be written next. Their pieces may be packed elsewhere before.
class TrajectoryRows {
 public:
  ~TrajectoryRows();
  TrajectoryRows(TrajectoryRows&&) noexcept;
  std::vector<Piece*> pieces();

 private:
  friend class Trajectory;
  TrajectoryRows();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Writes the constants at once, bodies when they are inserted, and then frame by frame. The file is
/// consistent at any time, however the program ends (io/files/journaled_file.h): then it ends with a frame,
/// the last one of the last commit() or a later one. All members throw WriteError.
class Trajectory {
 public:
  Trajectory(const std::filesystem::path& path, const Scene& scene);
  /// Continues a file of the same scene after the rows [array] of position().
  Trajectory(const std::filesystem::path& path, const Scene& scene,
             const std::vector<std::int64_t>& position);
  ~Trajectory();
  Trajectory(Trajectory&&) noexcept;

  void append(const Frame& frame);
  /// The same in two parts, with all rows in memory between them. Rows must be written in the order in which
  /// they were made, and before position() or close(). rows_of() does not use the file: another thread may be
  /// writing.
  TrajectoryRows rows_of(const Frame& frame);
  void write(TrajectoryRows rows);
  /// Puts everything on disk.
  void commit();
  /// Would all frames remain if the program ended now?
  bool is_on_disk() const;
  /// [array] rows, to continue from here.
  std::vector<std::int64_t> position();
  void close();

 private:
  void open_arrays(const Scene& scene);
  void reopen(const Scene& scene);
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
