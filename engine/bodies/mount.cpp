#include "engine/bodies/mount.h"

namespace scree {

Pose Mount::at(double travel) const {
  if (kind == MountKind::slider) return {travel * axis, Quat::Identity()};
  const Quat turn(Eigen::AngleAxisd(travel, axis));
  return {point - turn * point, turn};
}

Twist Mount::twist(double rate) const {
  if (kind == MountKind::slider) return {rate * axis, Vec3::Zero()};
  return {Vec3::Zero(), rate * axis};
}

}  // namespace scree
