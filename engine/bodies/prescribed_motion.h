// Motion that is prescribed as a function of time: exact at any time, never summed up over steps.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/core/types.h"

namespace scree {

/// A distance (m) or an angle (rad) as a function of time: the sum of what is given, between `start` and
/// `stop`; before and after it stays what it is there.
struct TimeLaw {
  double rate = 0.0;  // m/s or rad/s
  double amplitude = 0.0, frequency = 1.0,
         phase = 0.0;  // m or rad; Hz; rad: amplitude (sin(2 pi frequency t + phase) - sin(phase))
  std::vector<double> times, values;       // s, ascending; m or rad: straight lines between, constant beyond
  std::function<double(double)> function;  // of s
  double start = 0.0, stop = infinity;     // s; in the first two t counts from `start`

  double at(double time_s) const;
  /// m/s or rad/s, its derivative; at corners of tables and at `start` that of what follows. Of `function`
  /// by differences of fourth order, d = 10 microseconds apart: to (w d)^4 / 30 of it where that goes as
  /// sin(w t), and a few roundings of the distance over d.
  double rate_at(double time_s) const;
};

/// One motion of several that are stacked: each carries those that come after it, as a carriage does a screw.
struct MotionStage {
  enum class Kind : std::uint8_t { translation, rotation };
  Kind kind = Kind::translation;
  Vec3 axis = Vec3::UnitX();  // unit, as it is at rest: direction of the translation, axis of the rotation
  Vec3 point = Vec3::Zero();  // m, any point of the axis of a rotation, as it is at rest
  TimeLaw law;
};

/// The time as a motion knows it: it can be stopped and started again, and goes on where it stood. A reading
/// is one difference from the simulated time, never a sum over steps.
struct MotionClock {
  bool runs = true;
  double reading_s = -infinity;  // where it stands, or where it stood when it was started last
  double delay_s = 0.0;          // while it runs: how far it is behind the simulated time

  double at(double time_s) const { return runs ? std::max(time_s - delay_s, reading_s) : reading_s; }
  void start(double time_s);  // as it is if it runs already
  void stop(double time_s);
};

struct PrescribedMotion {
  std::vector<MotionStage> stages;  // empty: none

  bool is_none() const { return stages.empty(); }
  /// Where a point goes that is at x at rest: orientation * x + position.
  Pose at(double time_s) const;
  /// At a moment, linear of the point that is at `centre` at rest.
  Twist twist_at(double time_s, const Vec3& centre) const;
};

/// Moves with a constant velocity and turns at a constant rate about a centre that goes with it, from time
/// zero on.
PrescribedMotion steady_motion(const Twist& twist, const Vec3& centre);

/// The constant twist that takes one pose to another in a time (s), linear of the point that is at `centre`
/// at rest.
Twist twist_between(const Pose& from, const Pose& to, const Vec3& centre, double duration_s);

}  // namespace scree
