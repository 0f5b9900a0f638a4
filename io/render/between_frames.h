// Bodies at times between the frames of a run.
#pragma once

#include <map>

#include "io/results/trajectory_reader.h"

namespace scree::io {

/// Where a point is that was at x0 with the velocity v0, and h seconds later is at x1 with v1, a part of the
/// time after x0; m, m/s, s. Smooth: the cubic through both, which is a parabola of free fall. If both are on
/// parabolas of gravity g (m/s^2) that meet in between, there was one impact, where they do.
Vec3 between(const Vec3& x0, const Vec3& v0, const Vec3& x1, const Vec3& v1, const Vec3& g, double h,
             double part);

/// Reads frames, keeps the last few, and puts bodies between them; those that are in one of the two frames
/// only are as there. Throws ReadError.
class BetweenFrames {
 public:
  explicit BetweenFrames(const TrajectoryReader& reader) : reader_(reader) {}
  /// The last frame not after a time.
  std::size_t frame_before(double time_s) const;
  /// As that frame has them, moved on to the time.
  Bodies bodies(double time_s);

 private:
  const Bodies& frame(std::size_t k);
  const TrajectoryReader& reader_;
  std::map<std::size_t, Bodies> kept_;
};

}  // namespace scree::io
