// What a shape pair answers with.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// How far a contact search could be trusted; counted and reported, never hidden.
enum class GapStatus : std::uint8_t { converged, iteration_limit };

/// One place where two surfaces are closest. The normal is unit and points from the second shape towards the
/// first; the distance along it is negative where they overlap; the point lies midway between the two
/// surfaces.
struct Gap {
  Vec3 point = Vec3::Zero();   // m, world
  Vec3 normal = Vec3::Zero();  // world
  double distance = infinity;  // m
  double acceleration = 0.0;   // m/s^2, of the distance while both move on as they do; where it was asked for
  double apart = -infinity;    // m: the shapes are at least so far apart, where they are no contact
  std::uint32_t feature = 0;   // tells the contacts of one pair apart, and is the same from step to step
  GapStatus status = GapStatus::converged;
  bool is_sharp = false;  // does an edge, a corner or the rim of a wall touch, which has no tangent plane?
};

/// How a wall moves: its centre with the linear velocity, its surface turns about the centre.
struct WallMotion {
  Vec3 centre = Vec3::Zero();  // m
  Twist twist;
};

/// How a body and a wall move, for second differences over +-dt_s, or less where they move fast.
struct PairMotion {
  Twist body;
  double dt_s;
  WallMotion wall{};
};

/// Where a pose is after t seconds of such a motion.
inline Pose moved(const Pose& pose, const WallMotion& motion, double t) {
  const Vec3& spin = motion.twist.angular;
  const double angle = spin.norm() * t;
  const Quat turn = angle != 0.0 ? Quat(Eigen::AngleAxisd(angle, spin.normalized())) : Quat::Identity();
  return {motion.centre + t * motion.twist.linear + turn * (pose.position - motion.centre),
          turn * pose.orientation};
}

}  // namespace scree
