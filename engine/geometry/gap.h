// The result for a pair of shapes.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// Status of a contact search; failures are counted and reported.
enum class GapStatus : std::uint8_t { converged, iteration_limit };

/// One place where two surfaces are closest. The normal is unit and points from the second shape towards the
/// first; the distance along it is negative where they overlap; the point lies midway between the two
/// surfaces.
struct Gap {
  Vec3 point = Vec3::Zero();   // m, world
  Vec3 normal = Vec3::Zero();  // world
  double distance = infinity;  // m
  double acceleration = 0.0;   // m/s^2, of the distance at constant twists; if it was requested
  double apart = -infinity;    // m: lower bound of the distance, if there is no contact
  std::uint32_t feature = 0;   // distinguishes the contacts of a pair; stays the same from step to step
  GapStatus status = GapStatus::converged;
  bool is_sharp = false;  // does an edge, a corner or a rim of a wall touch, which has no tangent plane?
};

/// Velocity of a wall: its centre has the linear velocity, its surface rotates about the centre.
struct WallMotion {
  Vec3 centre = Vec3::Zero();  // m
  Twist twist;
};

/// Velocities of a body and a wall, for second differences over +-dt_s, or less if they are fast.
struct PairMotion {
  Twist body;
  double dt_s;
  WallMotion wall{};
};

/// The pose after t seconds of this motion.
inline Pose moved(const Pose& pose, const WallMotion& motion, double t) {
  const Vec3& spin = motion.twist.angular;
  const double angle = spin.norm() * t;
  const Quat turn = angle != 0.0 ? Quat(Eigen::AngleAxisd(angle, spin.normalized())) : Quat::Identity();
  return {motion.centre + t * motion.twist.linear + turn * (pose.position - motion.centre),
          turn * pose.orientation};
}

}  // namespace scree
