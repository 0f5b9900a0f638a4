// Bodies at times between the frames of a run.
#pragma once

#include <map>
#include <optional>

#include "io/results/impact_table.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

/// A moving point: m, m/s.
struct MovingPoint {
  Vec3 place, velocity;
};

/// Where a point is, m, a part of the h seconds after its start. Smooth: the cubic through both ends, which
/// is a parabola of free fall. If both are on parabolas of gravity g (m/s^2) that meet in between, there was
/// one impact, where they do.
Vec3 between(const MovingPoint& start, const MovingPoint& end, const Vec3& g, double h, double part);

/// How a body is turned a time (s) after it was turned so with this angular velocity, as no torque acts.
Quat turned(const Vec3& inertia, const Quat& orientation, const Vec3& angular_velocity, double time_s);

/// Reads frames, keeps the last few, and puts bodies between them; those that are in one of the two frames
/// only are as there. Recorded impacts of piecewise steps are knots of the ways, any number between two
/// frames. Bodies turn freely from knot to knot; by how much they miss the next frame so, they are turned
/// beside it in the course of time. Throws ReadError.
class BetweenFrames {
 public:
  /// `impacts`: impacts.csv of the run, which may be absent.
  explicit BetweenFrames(const TrajectoryReader& reader, const std::filesystem::path& impacts = {})
      : reader_(reader), file_(impacts) {}
  /// The last frame not after a time.
  std::size_t frame_before(double time_s) const;
  /// As that frame has them, moved on to the time.
  Bodies bodies(double time_s);
  /// Where a body was struck between two times, the first one excluded, on its way from a place.
  std::vector<Vec3> corners(BodyId body, const Vec3& from, double after_s, double until_s);

 private:
  const Bodies& frame(std::size_t k);
  const TrajectoryReader& reader_;
  const RecordedImpacts& impacts();
  /// The image of a place (in the cell of a frame, if there is one) which is nearest to the expected place,
  /// m.
  Vec3 nearest_image(std::size_t frame, const Vec3& place, const Vec3& expected) const;
  std::filesystem::path file_;
  std::optional<RecordedImpacts> impacts_;  // read when they are asked for
  std::map<std::size_t, Bodies> kept_;
};

}  // namespace scree::io
