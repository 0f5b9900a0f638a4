// trajectory.h5: the whole run in one HDF5 file that explains itself. Layout: docs/file_formats.md.
#pragma once

#include <filesystem>
#include <memory>

#include "io/results/frame.h"
#include "io/scene/scene.h"

namespace scree::io {

inline constexpr int trajectory_format_version = 1;

/// Writes the constants at once and then frame by frame; the file is flushed after every frame, so that it
/// can be read after a crash. All members throw WriteError.
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
