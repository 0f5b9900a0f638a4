// Rotation of a body without torque, at any time of a flight.
#pragma once

#include <array>

#include "engine/core/types.h"

namespace scree {

/// Bodies with two equal moments of inertia: closed form, for all times. Others: Euler's equations and the
/// quaternion's as power series about the beginning, to rounding while |w| t is below about 2 (valid_s()).
/// The angular momentum is constant by construction, the kinetic energy to 1e-14 in that time
/// (test: FreeRotation.*).
class FreeRotation {
 public:
  FreeRotation() = default;
  /// Inertia: principal moments, kg m^2; angular velocity in world axes.
  FreeRotation(const Vec3& inertia, const Quat& orientation, const Vec3& angular_velocity);

  Quat orientation(double t) const;
  /// World axes, at an orientation of the body.
  Vec3 angular_velocity(const Quat& orientation) const;

  double valid_s() const { return valid_s_; }
  double most_spin() const { return most_spin_; }  // rad/s, bound of |w|
  /// rad/s^2, bound of the rate of w.
  double most_spin_change() const { return most_spin_change_; }

 private:
  static constexpr int degree = 16;
  void expand(const Quat& orientation, const Vec3& body_spin);

  Vec3 inertia_ = Vec3::Ones();
  Vec3 momentum_ = Vec3::Zero();  // world
  Quat begin_ = Quat::Identity();
  int axis_ = 0;                    // of symmetry; -1: none
  Vec3 precession_ = Vec3::Zero();  // rad/s, world
  double own_rate_ = 0.0;           // rad/s, about the axis of symmetry, beyond the precession
  double rate_ = 0.0;               // 1/s, unit of the series' time
  std::array<Eigen::Vector4d, degree + 1> series_;  // x, y, z, w
  double valid_s_ = infinity, most_spin_ = 0.0, most_spin_change_ = 0.0;
};

}  // namespace scree
