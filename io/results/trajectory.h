// trajectory.h5: the whole run in one HDF5 file that explains itself. Layout: docs/file_formats.md.
#pragma once

#include <filesystem>
#include <memory>

#include "io/results/frame.h"
#include "io/scene/scene.h"

namespace scree::io {

inline constexpr int trajectory_format_version = 2;

/// To be called before anything uses HDF5. Its exit handler closes files once more, and on a full disk, where
/// closing has failed before, it crashes; every file here is closed by its owner.
void leave_out_hdf5_exit_handler();

/// Writes the constants at once, bodies as they come, and then frame by frame; the file is flushed after
/// every frame, so that it can be read after a crash. All members throw WriteError.
class Trajectory {
 public:
  Trajectory(const std::filesystem::path& path, const Scene& scene);
  ~Trajectory();
  Trajectory(Trajectory&&) noexcept;

  void append(const Frame& frame);
  /// The state in double precision, all that a restart needs; once, at the end.
  void write_final_state(const State& state);
  void close();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
