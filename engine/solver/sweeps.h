// What one contact does to its two bodies. Shared by the sweeps.
#pragma once

#include "engine/solver/solver.h"

namespace scree {

/// (P3) of one contact's impulse: x <- x + beta d, d <- beta d + g, g the gain since last time. Only the
/// contact's own visit looks at its impulse, so that is where it goes on.
SCREE_INLINE void follow(double beta, double* impulse, ImpulseDirection& d) {
  for (int k = 0; k < 3; ++k) {
    const double gain = impulse[k] - d.last[k];
    impulse[k] += beta * d.step[k];
    d.step[k] = beta * d.step[k] + gain;
    d.last[k] = impulse[k];
  }
}

/// Calls improve(k) for the contacts [0, count) of a visit: those whose body_a has an even number, then the
/// others. Neighbours in a visit mostly touch, and changes of a sweep straight through them would travel one
/// way only (docs/decisions/0008).
template <class F>
SCREE_INLINE void for_contacts_of_visit(const ContactLaw* law, std::size_t count, F&& improve) {
  for (const std::int32_t odd : {0, 1}) {
    for (std::size_t k = 0; k < count; ++k) {
      if ((law[k].a & 1) == odd) improve(k);
    }
  }
}

/// The bodies that sweeps work on.
struct SweptBodies {
  const BodyResponse* response;
  BodyVelocity* velocity;
};

/// v_a + w_a x arm_a - v_b - w_b x arm_b, world axes.
SCREE_INLINE Vector4 relative_velocity(const ContactGeometry& g, const ContactLaw& c,
                                       const BodyVelocity* velocity) {
  const BodyVelocity& a = velocity[c.a];
  Vector4 u = a.linear + cross(a.angular, g.arm_a);
  if (c.b != fixed_partner) {
    const BodyVelocity& b = velocity[c.b];
    u -= b.linear + cross(b.angular, g.arm_b);
  }
  return u;
}

/// Adds the impulse (N s, world) to body a at the contact and its opposite to body b.
SCREE_INLINE void apply(const ContactGeometry& g, const ContactLaw& c, Vector4 impulse, SweptBodies bodies) {
  BodyVelocity& a = bodies.velocity[c.a];
  const BodyResponse& of_a = bodies.response[c.a];
  a.linear += of_a.inverse_mass * impulse;
  a.angular += inverse_inertia_times(of_a, cross(g.arm_a, impulse));
  if (c.b != fixed_partner) {
    BodyVelocity& b = bodies.velocity[c.b];
    const BodyResponse& of_b = bodies.response[c.b];
    b.linear -= of_b.inverse_mass * impulse;
    b.angular -= inverse_inertia_times(of_b, cross(g.arm_b, impulse));
  }
}

/// Adds the torque impulse (N m s, world) to body a and its opposite to body b.
SCREE_INLINE void apply_torque(const ContactLaw& c, Vector4 torque, SweptBodies bodies) {
  bodies.velocity[c.a].angular += inverse_inertia_times(bodies.response[c.a], torque);
  if (c.b != fixed_partner)
    bodies.velocity[c.b].angular -= inverse_inertia_times(bodies.response[c.b], torque);
}

}  // namespace scree
