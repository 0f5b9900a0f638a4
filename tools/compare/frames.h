// The first difference of two trajectories.
#pragma once

#include <optional>
#include <string>

#include "io/results/run_folder.h"
#include "io/results/trajectory_reader.h"

namespace scree {

/// One number of two trajectories or, without numbers, data that only one of them has.
struct DifferentNumber {
  std::int64_t step = 0;
  double time_s = 0.0;
  std::string array = {};      // "position", "mass", "bodies", "contact impulse", ...
  std::string component = {};  // "x", "w", ...; empty for scalars
  std::string who = {};        // "body 17", "contact of body 3 with boundary 'floor'"
  std::string words = {};      // "is in A only", if there are no numbers
  double a = 0.0, b = 0.0;
  std::optional<std::int64_t> ulps = {};  // in the precision of the file
  std::size_t bodies = 0;  // number with a difference in this array; 0 if it is not an array of bodies
};

struct FrameComparison {
  bool comparable = true;  // they begin with the same bodies
  std::size_t frames_a = 0, frames_b = 0;
  std::size_t same_frames = 0;  // from the first one on
  std::int64_t last_step = 0;   // of the last frame that both have
  std::optional<DifferentNumber> first;
  bool in_checkpoint = false;  // all frames are the same, in single precision, but the state is not
  std::optional<std::int64_t>
      same_checkpoint;  // step of the last one that both have and that is the same to the last bit
};

/// Compares frame by frame, with bodies by id; then, in double precision, the last checkpoint that both have.
/// With a tolerance, numbers may differ by that share of the largest of their array in their frame. Throws
/// ReadError.
FrameComparison compare_frames(const io::TrajectoryReader& a, const io::TrajectoryReader& b,
                               double tolerance);
void compare_checkpoints(const io::RunFolder& a, const io::RunFolder& b, double tolerance,
                         FrameComparison& result);

}  // namespace scree
