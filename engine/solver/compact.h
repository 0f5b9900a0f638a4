// What one contact does to its two bodies, in the compact layout. Shared by the sweeps.
#pragma once

#include "engine/solver/solver.h"

namespace scree {

/// v_a + w_a x arm_a - v_b - w_b x arm_b, world axes.
inline Vec3 relative_velocity(const CompactContact& c, const std::vector<CompactBody>& bodies) {
  const CompactBody& a = bodies[static_cast<std::size_t>(c.a)];
  Vec3 u = a.linear + a.angular.cross(c.arm_a);
  if (c.b != fixed_partner) {
    const CompactBody& b = bodies[static_cast<std::size_t>(c.b)];
    u -= b.linear + b.angular.cross(c.arm_b);
  }
  return u;
}

inline Vec3 inverse_inertia_times(const CompactBody& b, const Vec3& x) {
  return {b.i00 * x[0] + b.i01 * x[1] + b.i02 * x[2], b.i01 * x[0] + b.i11 * x[1] + b.i12 * x[2],
          b.i02 * x[0] + b.i12 * x[1] + b.i22 * x[2]};
}

/// Adds the impulse (N s, world) to body a at the contact and its opposite to body b.
inline void apply(const CompactContact& c, const Vec3& impulse, std::vector<CompactBody>& bodies) {
  CompactBody& a = bodies[static_cast<std::size_t>(c.a)];
  a.linear += a.inverse_mass * impulse;
  a.angular += inverse_inertia_times(a, c.arm_a.cross(impulse));
  if (c.b != fixed_partner) {
    CompactBody& b = bodies[static_cast<std::size_t>(c.b)];
    b.linear -= b.inverse_mass * impulse;
    b.angular -= inverse_inertia_times(b, c.arm_b.cross(impulse));
  }
}

/// Adds the torque impulse (N m s, world) to body a and its opposite to body b.
inline void apply_torque(const CompactContact& c, const Vec3& torque, std::vector<CompactBody>& bodies) {
  CompactBody& a = bodies[static_cast<std::size_t>(c.a)];
  a.angular += inverse_inertia_times(a, torque);
  if (c.b != fixed_partner) {
    CompactBody& b = bodies[static_cast<std::size_t>(c.b)];
    b.angular -= inverse_inertia_times(b, torque);
  }
}

}  // namespace scree
