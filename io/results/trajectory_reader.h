// Reads trajectory.h5, in whole or in part, also while its run goes on or after it was interrupted.
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

/// Constant data of a run.
struct RecordedRun {
  std::string scene, description, scree_version, created;  // created: UTC
  Provenance made_with;                                    // "unknown" in files of older versions
  std::string text;                                        // the scene file
  std::vector<std::string> overrides;                      // "key=value"
  double end_time_s = 0.0, frame_interval_s = 0.0;
  double impulse_time_s = 0.0;  // time in which the impulses of contacts acted: impulse / this = mean force
  Model model;                  // of its settings only gravity and time step
  Bodies bodies;  // all that were ever in the run, at rest in the origin; frames have their states
  std::vector<std::string> fields;  // names of frame data beyond pose and velocity
  Outlines outlines;
  WallCellMesh wall_cells;     // empty if the scene has none
  Vec3 origin = Vec3::Zero();  // m, origin of all coordinates
};

/// Some bodies of a frame: [first, first + count), limited to existing ones.
struct BodyRange {
  std::size_t first = 0, count = std::numeric_limits<std::size_t>::max();
};

/// One body over time. All arrays are [moment].
struct BodyTrack {
  std::vector<std::size_t> frame;                 // frames in which it exists
  std::vector<Vec3f> position;                    // m
  std::vector<std::array<float, 4>> orientation;  // w x y z
  std::vector<Vec3f> velocity;                    // m/s
  std::vector<Vec3f> angular_velocity;            // rad/s, world axes
};

/// Only requested data are read, by a separate process: damage of a file is reported, even if HDF5
/// crashes. All indices in the results are valid. In a running simulation the reader has the frames that were
/// complete when it was made or refreshed; the file is not locked, so the run is not
/// delayed. All members throw ReadError; requesting a frame or body that does not exist asserts.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::filesystem::path& path);
  /// Reads from another source.
  explicit TrajectoryReader(hdf5::File file);
  ~TrajectoryReader();
  TrajectoryReader(TrajectoryReader&&) noexcept;

  const RecordedRun& run() const;
  std::size_t frames() const { return time_s().size(); }
  const std::vector<double>& time_s() const;  // [frame]
  /// The frame nearest to a time, s; the earlier one of two equally near ones. There must be a frame.
  std::size_t nearest_frame(double time_s) const;
  /// Reads frames, and bodies, that were written since then.
  void refresh();

  /// Pose, velocities and extra fields of some bodies; no contacts. `contacts_of_body` stays empty: it is not
  /// in the file.
  Frame frame(std::size_t k, const BodyRange& range = {}) const;
  /// [quantity][cell] wall data at the last recorded moment up to frame k, zeros before the first one;
  /// empty if the scene has no wall cells. And whether that moment is the frame's.
  WallValues walls(std::size_t k) const;
  bool has_walls(std::size_t k) const;
  /// [body of frame k] index in run().bodies.
  std::vector<std::int32_t> rows(std::size_t k) const;
  /// Does this frame have contacts? The first one has none: contacts belong to steps.
  bool has_contacts(std::size_t k) const;
  FrameContacts contacts(std::size_t k) const;
  BodyTrack track(BodyId id) const;
  bool walls_move() const;  // or can be removed
  /// Is space periodic? Then bodies are images in the cell, and partners of contacts may be elsewhere.
  bool is_periodic() const;
  /// m, columns, of a periodic cell in a frame; shortest lattice vectors.
  Mat3 lattice(std::size_t k) const;
  /// The same as a cell, without periodic directions if there is none; its past deformation is not in the
  /// file. Throws ReadError also if the lattice is not valid.
  PlacedCell cell(std::size_t k) const;
  /// Is the flow of the cell known? Not in files of older versions: then cell().rate is 0.
  bool knows_flow() const;
  /// The boundaries in their poses, without motions.
  Boundaries boundaries(std::size_t k) const;
  /// The bodies in this frame, in double precision as far as the file has it; unit quaternions.
  Bodies bodies(std::size_t k) const;
  /// [body of frame k] m: where the recorded image is, relative to the body; empty without a periodic cell.
  std::vector<Vec3f> image_shifts(std::size_t k) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// [body] number of contacts with an impulse.
std::vector<std::int32_t> contacts_of_bodies(const FrameContacts& contacts, std::size_t bodies);

}  // namespace scree::io
