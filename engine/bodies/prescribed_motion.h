// Motion that is prescribed as a function of time: exact at any time, never summed up over steps.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/core/types.h"

namespace scree {

/// A distance (m) or an angle (rad) as a function of time: the sum of all terms below, between `start` and
/// `stop`; before and after it is constant.
struct TimeLaw {
  double rate = 0.0;  // m/s or rad/s
  double amplitude = 0.0, frequency = 1.0,
         phase = 0.0;  // m or rad; Hz; rad: amplitude (sin(2 pi frequency t + phase) - sin(phase))
  std::vector<double> times, values;       // s, ascending; m or rad: linear between, constant beyond
  std::function<double(double)> function;  // of s
  double start = 0.0, stop = infinity;     // s; for rate and amplitude t counts from `start`

  double at(double time_s) const;
  /// Its derivative, m/s or rad/s; at corners of tables and at `start` the right-hand one. For `function` by
  /// differences of fourth order, d = 10 microseconds apart. Relative error for sin(w t): (w d)^4 / 30, plus
  /// a few roundings of the distance over d.
  double rate_at(double time_s) const;
};

/// One of several motions in sequence: each carries those after it, as a carriage carries a screw.
struct MotionStage {
  enum class Kind : std::uint8_t { translation, rotation };
  Kind kind = Kind::translation;
  Vec3 axis = Vec3::UnitX();  // unit, at rest: direction of the translation or axis of the rotation
  Vec3 point = Vec3::Zero();  // m, at rest: any point of the axis of rotation
  TimeLaw law;
};

/// The time of a motion: its clock can be stopped and started again, and then goes on from its reading. The
/// reading is one difference from the simulated time, never a sum over steps.
struct MotionClock {
  bool runs = true;
  double reading_s = -infinity;  // reading while stopped, or when it was started last
  double delay_s = 0.0;          // while it runs: its delay behind the simulated time

  double at(double time_s) const { return runs ? std::max(time_s - delay_s, reading_s) : reading_s; }
  void start(double time_s);  // no effect if it runs already
  void stop(double time_s);
};

struct PrescribedMotion {
  std::vector<MotionStage> stages;  // empty: none

  bool is_none() const { return stages.empty(); }
  /// Motion of a point that is at x at rest: orientation * x + position.
  Pose at(double time_s) const;
  /// The twist at a time; `linear` is that of the point that is at `centre` at rest.
  Twist twist_at(double time_s, const Vec3& centre) const;
};

/// Constant velocity and constant rate of rotation about a centre that moves with it, from time zero
/// on.
PrescribedMotion steady_motion(const Twist& twist, const Vec3& centre);

/// The constant twist that takes one pose to another in a time (s); `linear` is that of the point that is at
/// `centre` at rest.
Twist twist_between(const Pose& from, const Pose& to, const Vec3& centre, double duration_s);

}  // namespace scree
