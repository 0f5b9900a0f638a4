// Motion of one body between two impacts: a polynomial path and a free rotation.
#pragma once

#include <array>
#include <cmath>
#include <functional>

#include "engine/bodies/bodies.h"
#include "engine/modules/flight/free_rotation.h"

namespace scree {

/// Accelerations of flying bodies: constant gravity, and accelerations that depend on place and velocity.
struct Accelerations {
  Vec3 gravity = Vec3::Zero();  // m/s^2
  /// m/s^2, beyond gravity, for a body at a place, velocity and time; empty: flights are parabolas.
  std::function<Vec3(std::size_t body, double time_s, const Vec3& place, const Vec3& velocity)> further = {};
};

/// A body at the beginning of its flight; inertia about its axes.
struct Departure {
  std::size_t body;
  Vec3 inertia;
  Pose pose;
  Twist twist;
};

/// Times count from an epoch that is common to flights which may meet.
class Flight {
 public:
  Flight() = default;
  /// From `begin` to `until` at the latest: a parabola, or, if more than gravity acts, the dense output of
  /// one step of the continuous six-stage formula (docs/integration.md). `epoch_s`: the origin of times.
  Flight(const Departure& of, const Accelerations& acting, double epoch_s, double begin, double until);
  /// A body that does not move.
  static Flight at_rest(const Pose& pose);

  double begin() const { return begin_; }
  double until() const { return until_; }  // end of validity
  Vec3 position(double t) const { return value(path_, t - begin_); }
  Vec3 velocity(double t) const { return value(speed_, t - begin_); }
  Quat orientation(double t) const { return rotation_.orientation(t - begin_); }
  Vec3 angular_velocity(const Quat& orientation) const { return rotation_.angular_velocity(orientation); }
  const FreeRotation& rotation() const { return rotation_; }

  bool is_parabola() const { return degree_ <= 2; }
  Vec3 steady_acceleration() const { return 2.0 * path_[2]; }
  /// m/s^2, bound of the difference of any acceleration from the constant one until then.
  double most_further_acceleration(double until) const;
  /// m/s, bound of velocities between two times.
  double most_speed(double from, double until) const;

 private:
  using Polynomial = std::array<Vec3, 5>;
  Vec3 value(const Polynomial& p, double x) const {
    Vec3 sum = p[degree_];
    for (auto k = static_cast<std::size_t>(degree_); k-- > 0;) sum = p[k] + x * sum;
    return sum;
  }
  double begin_ = 0.0, until_ = infinity;
  int degree_ = 0;
  Polynomial path_, speed_;
  FreeRotation rotation_;
};

}  // namespace scree
