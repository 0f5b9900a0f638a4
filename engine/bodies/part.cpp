#include "engine/bodies/part.h"

#include "engine/core/frames.h"

namespace scree {

PartState start_of(const Part& part) {
  PartState start;
  start.locked = part.starts_locked;
  start.pose.position = part.centre;
  if (!start.locked) {
    start.rate = part.start_rate;
    start.twist = part.start_twist;
  }
  if (part.motion_waits) start.clock = {.runs = false, .reading_s = 0.0, .delay_s = 0.0};
  return start;
}

PartState state_of(const std::vector<Part>& parts, std::span<const PartState> states, std::size_t part) {
  return states.empty() ? start_of(parts[part]) : states[part];
}

Pose carried_by(const Part& part, const PartState& now) {
  switch (part.freedom) {
    case Freedom::none:
      return {};
    case Freedom::along:
      return {now.travel * part.axis, Quat::Identity()};
    case Freedom::about: {
      const Quat turn(Eigen::AngleAxisd(now.travel, part.axis));
      return {part.centre - turn * part.centre, turn};
    }
    case Freedom::all:
      return {now.pose.position - now.pose.orientation * part.centre, now.pose.orientation};
  }
  return {};
}

Pose pose_of(const Part& part, const PartState& now, double time_s) {
  const Pose prescribed = part.motion.at(now.clock.at(time_s));
  return part.is_driven() ? carried_by(part, now) * prescribed : prescribed;
}

Vec3 centre_of(const Part& part, const PartState& now, double time_s) {
  if (part.is_free()) return now.pose.position;
  const Pose moved = pose_of(part, now, time_s);
  return moved.position + moved.orientation * part.centre;
}

Twist Part::twist(double rate) const {
  if (freedom == Freedom::along) return {rate * axis, Vec3::Zero()};
  return {Vec3::Zero(), rate * axis};
}

Vec3 origin_of(const Part& part, const PartState& now) {
  if (part.is_free()) return now.pose.position;
  return part.freedom == Freedom::along ? Vec3(part.centre + now.travel * part.axis) : part.centre;
}

Twist twist_of(const Part& part, const PartState& now) {
  return part.is_free() ? now.twist : part.twist(now.rate);
}

Mat3 inverse_inertia_of(const Part& part, const PartState& now) {
  return symmetric_in_world(now.pose.orientation * part.axes, part.moments.cwiseInverse());
}

PartEnergy energy_of(const Part& part, const PartState& now, const Vec3& gravity) {
  const Vec3 spin = (now.pose.orientation * part.axes).conjugate() * now.twist.angular;
  PartEnergy e;
  e.kinetic =
      0.5 * (part.inertia * now.twist.linear.squaredNorm() + spin.dot(part.moments.cwiseProduct(spin)));
  if (part.weight) e.potential = -part.inertia * gravity.dot(now.pose.position);
  return e;
}

}  // namespace scree
