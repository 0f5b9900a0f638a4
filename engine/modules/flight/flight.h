// How one body moves between two impacts: a polynomial path and a free rotation.
#pragma once

#include <array>
#include <cmath>
#include <functional>

#include "engine/bodies/bodies.h"
#include "engine/modules/flight/free_rotation.h"

namespace scree {

/// What acts on bodies on their way: steady gravity, and what depends on where they are and how fast.
struct Accelerations {
  Vec3 gravity = Vec3::Zero();  // m/s^2
  /// m/s^2, beyond gravity, of a body at a place and a velocity at a time; none: flights are parabolas.
  std::function<Vec3(std::size_t body, double time_s, const Vec3& place, const Vec3& velocity)> further = {};
};

/// A body as its flight begins; inertia about its axes.
struct Departure {
  std::size_t body;
  Vec3 inertia;
  Pose pose;
  Twist twist;
};

/// Times count from some moment that flights which meet have in common.
class Flight {
 public:
  Flight() = default;
  /// From now until then at the latest: a parabola, or, where more than gravity acts, the dense output of one
  /// step of the continuous formula of six stages (docs/integration.md). `epoch_s`: the moment times count
  /// from.
  Flight(const Departure& of, const Accelerations& acting, double epoch_s, double begin, double until);
  /// Of what stays where it is.
  static Flight at_rest(const Pose& pose);

  double begin() const { return begin_; }
  double until() const { return until_; }  // it is valid so long
  Vec3 position(double t) const { return value(path_, t - begin_); }
  Vec3 velocity(double t) const { return value(speed_, t - begin_); }
  Quat orientation(double t) const { return rotation_.orientation(t - begin_); }
  Vec3 angular_velocity(const Quat& orientation) const { return rotation_.angular_velocity(orientation); }
  const FreeRotation& rotation() const { return rotation_; }

  bool is_parabola() const { return degree_ <= 2; }
  Vec3 steady_acceleration() const { return 2.0 * path_[2]; }
  /// m/s^2, no acceleration differs more from the steady one until then.
  double most_further_acceleration(double until) const;
  /// m/s, no velocity is larger between two times.
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
