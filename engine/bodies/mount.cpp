#include "engine/bodies/mount.h"

#include "engine/core/frames.h"

namespace scree {

Pose carried_by(const Mount& mount, const MountState& now) {
  if (mount.kind == MountKind::slider) return {now.travel * mount.axis, Quat::Identity()};
  if (mount.is_free()) return {now.pose.position - now.pose.orientation * mount.point, now.pose.orientation};
  const Quat turn(Eigen::AngleAxisd(now.travel, mount.axis));
  return {mount.point - turn * mount.point, turn};
}

Twist Mount::twist(double rate) const {
  if (kind == MountKind::slider) return {rate * axis, Vec3::Zero()};
  return {Vec3::Zero(), rate * axis};
}

Vec3 origin_of(const Mount& mount, const MountState& now) {
  if (mount.is_free()) return now.pose.position;
  return mount.kind == MountKind::slider ? Vec3(mount.point + now.travel * mount.axis) : mount.point;
}

Twist twist_of(const Mount& mount, const MountState& now) {
  return mount.is_free() ? now.twist : mount.twist(now.rate);
}

Mat3 inverse_inertia_of(const Mount& mount, const MountState& now) {
  return symmetric_in_world(now.pose.orientation * mount.axes, mount.moments.cwiseInverse());
}

MountEnergy energy_of(const Mount& mount, const MountState& now, const Vec3& gravity) {
  const Vec3 spin = (now.pose.orientation * mount.axes).conjugate() * now.twist.angular;
  MountEnergy e;
  e.kinetic =
      0.5 * (mount.inertia * now.twist.linear.squaredNorm() + spin.dot(mount.moments.cwiseProduct(spin)));
  if (mount.weight) e.potential = -mount.inertia * gravity.dot(now.pose.position);
  return e;
}

}  // namespace scree
