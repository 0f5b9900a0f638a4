// Reading trajectory.h5, whole or in parts, also while its run goes on or after it was cut off.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/results/frame.h"
#include "io/results/outlines.h"
#include "io/results/provenance.h"

namespace scree::io {

namespace hdf5 {
class File;
}

/// What stays the same during a run.
struct RecordedRun {
  std::string scene, description, scree_version, created;  // created: UTC
  Provenance made_with;                                    // "unknown" in files of older versions
  std::string text;                                        // the scene file
  std::vector<std::string> overrides;                      // "key=value"
  double end_time_s = 0.0, frame_interval_s = 0.0;
  double impulse_time_s = 0.0;  // how long the impulses of contacts acted: impulse / this = mean force
  Model model;                  // of its settings only gravity and time step
  Bodies bodies;  // all that were ever in the run, at rest in the origin: the rest comes with the frames
  std::vector<std::string> fields;  // names of what frames hold beyond pose and velocity
  Outlines outlines;
  WallCellMesh wall_cells;     // empty where the scene asked for none
  Vec3 origin = Vec3::Zero();  // m, what all coordinates are counted from
};

/// Some bodies of a frame: [first, first + count), cut off at the end.
struct BodyRange {
  std::size_t first = 0, count = std::numeric_limits<std::size_t>::max();
};

/// One body over time. All arrays are [moment].
struct BodyTrack {
  std::vector<std::size_t> frame;                 // in which it is there
  std::vector<Vec3f> position;                    // m
  std::vector<std::array<float, 4>> orientation;  // w x y z
  std::vector<Vec3f> velocity;                    // m/s
  std::vector<Vec3f> angular_velocity;            // rad/s, world axes
};

/// Only what is asked for is read, by a process of its own: a damaged file is told, whatever it makes HDF5
/// do. Every index that comes out of here names something. Of a run that goes on, the frames that were
/// complete when the reader was made or refreshed are there; the file is not locked, so its run is not held
/// up. All members throw ReadError; asking for a frame or body that is not there asserts.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::filesystem::path& path);
  /// Of whoever answers for a file.
  explicit TrajectoryReader(hdf5::File file);
  ~TrajectoryReader();
  TrajectoryReader(TrajectoryReader&&) noexcept;

  const RecordedRun& run() const;
  std::size_t frames() const { return time_s().size(); }
  const std::vector<double>& time_s() const;  // [frame]
  /// The frame nearest to a time, s; the earlier one of two that are equally near. There must be a frame.
  std::size_t nearest_frame(double time_s) const;
  /// Looks for frames, and bodies, that were written since.
  void refresh();

  /// Pose, velocities and extra fields of some bodies; no contacts. `contacts_of_body` stays empty: it is not
  /// in the file.
  Frame frame(std::size_t k, const BodyRange& range = {}) const;
  /// [quantity][cell] what walls had felt at the last moment recorded until frame k, zeros before the first;
  /// empty where the scene asked for none. And whether that moment is the frame's.
  WallValues walls(std::size_t k) const;
  bool has_walls(std::size_t k) const;
  /// [body of frame k] its row in run().bodies.
  std::vector<std::int32_t> rows(std::size_t k) const;
  /// Were contacts written with this frame? Those of the first one are none: contacts belong to steps.
  bool has_contacts(std::size_t k) const;
  FrameContacts contacts(std::size_t k) const;
  BodyTrack track(BodyId id) const;
  bool walls_move() const;  // or may go
  /// Does space repeat itself? Bodies are then images in the cell, and partners of contacts may be elsewhere.
  bool is_periodic() const;
  /// m, columns, of a periodic cell in a frame; as short as its lattice has them.
  Mat3 lattice(std::size_t k) const;
  /// The same as a cell, one that repeats nothing if there is none; how it came to it is not in the file.
  /// Throws ReadError also where the lattice is none.
  PlacedCell cell(std::size_t k) const;
  /// Is it known how fast the cell flowed? Not in files of older versions: cell().rate is 0 then.
  bool knows_flow() const;
  /// The boundaries as they stood, without motions.
  Boundaries boundaries(std::size_t k) const;
  /// The bodies as they were, in double precision as far as the file has it; unit quaternions.
  Bodies bodies(std::size_t k) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// [body] contacts that carry an impulse.
std::vector<std::int32_t> contacts_of_bodies(const FrameContacts& contacts, std::size_t bodies);

}  // namespace scree::io
