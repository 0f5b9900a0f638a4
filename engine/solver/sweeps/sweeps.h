// The effect of one contact, or one row, on its two bodies. Common code of the sweeps.
#pragma once

#include "engine/solver/problem/contact_response.h"
#include "engine/solver/solver.h"

namespace scree {

/// (P3) for the impulse of a contact or a row: x <- x + beta d, d <- beta d + g, g the change since the last
/// time. Only the constraint's own update uses its impulse, so the extrapolation is made there.
template <int count>
SCREE_INLINE void follow(double beta, double* impulse, ConjugateDirection<count>& d) {
  for (int k = 0; k < count; ++k) {
    const double gain = impulse[k] - d.last[k];
    impulse[k] += beta * d.step[k];
    d.step[k] = beta * d.step[k] + gain;
    d.last[k] = impulse[k];
  }
}

/// Calls improve(k) for the contacts [0, count) of an update: those whose body a has an even number, then the
/// others. Neighbours in an update mostly touch, and a sweep in their order would propagate changes
/// in one direction only (docs/decisions/0008).
template <class F>
SCREE_INLINE void for_contacts_of_update(const Edge* edge, std::size_t count, F&& improve) {
  for (const std::int32_t odd : {0, 1}) {
    for (std::size_t k = 0; k < count; ++k) {
      if ((edge[k].a & 1) == odd) improve(k);
    }
  }
}

/// The bodies that sweeps work on.
struct SweptBodies {
  const BodyResponse* response;
  BodyVelocity* velocity;
};

/// v_a + w_a x arm_a - v_b - w_b x arm_b, world axes.
SCREE_INLINE Vector4 relative_velocity(const ContactTerms& g, const Edge& edge,
                                       const BodyVelocity* velocity) {
  const BodyVelocity &a = velocity[edge.a], &b = velocity[edge.b];
  return load(a.linear) + cross(load(a.angular), arm_a_of(g)) - load(b.linear) -
         cross(load(b.angular), arm_b_of(g));
}

/// Adds a moment (N m s, world) to a body.
SCREE_INLINE void turn(std::int32_t body, Vector4 moment, SweptBodies bodies) {
  if (bodies.response[body].slides) return;
  Padded3& spin = bodies.velocity[body].angular;
  store(load(spin) + inverse_inertia_times(bodies.response[body], moment), spin);
}

/// Adds an impulse with its moment about the centre (N s, N m s, world) to a body.
SCREE_INLINE void push(std::int32_t body, Vector4 impulse, Vector4 moment, SweptBodies bodies) {
  Padded3& linear = bodies.velocity[body].linear;
  const BodyResponse& response = bodies.response[body];
  if (response.slides) {
    store(load(linear) + inverse_inertia_times(response, impulse), linear);
    return;
  }
  store(load(linear) + response.inverse_mass * impulse, linear);
  turn(body, moment, bodies);
}

/// Adds the impulse (N s, world) to body a at the contact and its opposite to body b.
SCREE_INLINE void apply(const ContactTerms& g, const Edge& edge, Vector4 impulse, SweptBodies bodies) {
  push(edge.a, impulse, cross(arm_a_of(g), impulse), bodies);
  push(edge.b, -impulse, cross(impulse, arm_b_of(g)), bodies);
}

/// The same for a row's impulse.
SCREE_INLINE void apply(const Row& row, double impulse, SweptBodies bodies) {
  const Vector4 moment_a = impulse * angular_a_of(row), moment_b = -impulse * angular_b_of(row);
  if (row.contact >= 0) {
    turn(row.edge.a, moment_a, bodies);
    turn(row.edge.b, moment_b, bodies);
    return;
  }
  const Vector4 linear = impulse * linear_of(row);
  push(row.edge.a, linear, moment_a, bodies);
  push(row.edge.b, -linear, moment_b, bodies);
}

/// Fulfils the block's bilateral rows exactly, in double precision.
void meet_block(const ContactProblem& problem, ContactSolution& solution);

/// Access to a solution's rows for the block that solves some of them together.
struct SolvedRows {
  const ContactProblem& p;
  ContactSolution& s;

  double velocity(std::size_t r) const {
    return velocity_of(p.rows[r], s.velocity) + p.rows[r].compliance * s.row_impulse[r];
  }
  void push(std::size_t r, double impulse) const {
    s.row_impulse[r] += impulse;
    apply(p.rows[r], impulse, {p.response.data(), s.velocity.data()});
  }
};

}  // namespace scree
