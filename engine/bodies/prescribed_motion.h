// Motion that is prescribed as a function of time: exact at any time, never summed up over steps.
#pragma once

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
};

/// One motion of several that are stacked: each carries those that come after it, as a carriage does a screw.
struct MotionStage {
  enum class Kind : std::uint8_t { translation, rotation };
  Kind kind = Kind::translation;
  Vec3 axis = Vec3::UnitX();  // unit, as it is at rest: direction of the translation, axis of the rotation
  Vec3 point = Vec3::Zero();  // m, any point of the axis of a rotation, as it is at rest
  TimeLaw law;
};

struct PrescribedMotion {
  std::vector<MotionStage> stages;  // empty: none

  bool is_none() const { return stages.empty(); }
  /// Where a point goes that is at x at rest: orientation * x + position.
  Pose at(double time_s) const;
};

/// Moves with a constant velocity and turns at a constant rate about a centre that goes with it, from time
/// zero on.
PrescribedMotion steady_motion(const Twist& twist, const Vec3& centre);

/// The constant twist that takes one pose to another in a time (s), linear of the point that is at `centre`
/// at rest.
Twist twist_between(const Pose& from, const Pose& to, const Vec3& centre, double duration_s);

}  // namespace scree
