// Response of the bodies of a contact, or of a row, to its impulses. Vector code for solvers; the data are in
// contact_problem.h.
#pragma once

#include "engine/core/vector4.h"
#include "engine/solver/problem/contact_problem.h"
#include "engine/solver/sweeps/local_contact.h"

namespace scree {

SCREE_INLINE Vector4 inverse_inertia_times(const BodyResponse& b, Vector4 x) {
  const char* const numbers = reinterpret_cast<const char*>(&b);
  const Vector4 y_column{b.xy, b.yy, b.yz, 0.0};
  return first_three(numbers) * x[0] + y_column * x[1] + first_three(numbers + 2 * sizeof(double)) * x[2];
}

/// The vectors of a row: a fourth number follows each.
SCREE_INLINE Vector4 linear_of(const Row& r) { return first_three(&r.linear); }
SCREE_INLINE Vector4 angular_a_of(const Row& r) { return first_three(&r.angular_a); }
SCREE_INLINE Vector4 angular_b_of(const Row& r) { return first_three(&r.angular_b); }

/// The vector to which a body responds for an impulse along d at an arm: the moment, or d itself.
SCREE_INLINE Vector4 lever(const BodyResponse& b, Vector4 arm, Vector4 d) {
  return b.slides ? d : cross(arm, d);
}

/// The vectors of a contact: 0 n, 1 t1, 2 arm_a, 3 arm_b.
template <int which>
SCREE_INLINE Vector4 vector_of(const ContactTerms& c) {
  return first_three(reinterpret_cast<const char*>(&c) + which * sizeof(Vec3));
}
SCREE_INLINE Vector4 normal_of(const ContactTerms& c) { return vector_of<0>(c); }
SCREE_INLINE Vector4 first_tangent(const ContactTerms& c) { return vector_of<1>(c); }
SCREE_INLINE Vector4 second_tangent(const ContactTerms& c) {
  return double{c.tangent_ratio} * cross(normal_of(c), first_tangent(c));
}
SCREE_INLINE Vector4 arm_a_of(const ContactTerms& c) { return vector_of<2>(c); }
SCREE_INLINE Vector4 arm_b_of(const ContactTerms& c) { return vector_of<3>(c); }

/// An impulse in world axes, from its components in the contact's frame.
SCREE_INLINE Vector4 to_world(const ContactTerms& c, const double* components) {
  return components[0] * normal_of(c) + components[1] * first_tangent(c) + components[2] * second_tangent(c);
}

/// J M^-1 J^T of one contact without the masses: rows arm x (n, t1, t2), as lanes that are not
/// summed yet.
struct InertiaSpread {
  Vector4 nn{}, n1{}, n2{}, t11{}, t12{}, t22{};

  SCREE_INLINE void add(const BodyResponse& body, Vector4 arm, Vector4 n, Vector4 t1, Vector4 t2) {
    const Vector4 cn = lever(body, arm, n), c1 = lever(body, arm, t1), c2 = lever(body, arm, t2);
    const Vector4 yn = inverse_inertia_times(body, cn), y1 = inverse_inertia_times(body, c1),
                  y2 = inverse_inertia_times(body, c2);
    nn += cn * yn;
    n1 += cn * y1;
    n2 += cn * y2;
    t11 += c1 * y1;
    t12 += c1 * y2;
    t22 += c2 * y2;
  }
};

SCREE_INLINE double sum_of_lanes(Vector4 v) { return v[0] + v[1] + v[2]; }

/// The parts of the Delassus block that sweeps use.
SCREE_INLINE LocalContact respond(const ContactTerms& c, const Edge& edge, const BodyResponse* bodies) {
  const Vector4 n = normal_of(c), t1 = first_tangent(c), t2 = second_tangent(c);
  InertiaSpread w;
  w.add(bodies[edge.a], arm_a_of(c), n, t1, t2);
  w.add(bodies[edge.b], arm_b_of(c), n, t1, t2);
  const double inverse_mass = bodies[edge.a].inverse_mass + bodies[edge.b].inverse_mass;
  const double nn = inverse_mass + sum_of_lanes(w.nn), t11 = inverse_mass + sum_of_lanes(w.t11),
               t22 = double{c.tangent_ratio} * double{c.tangent_ratio} * inverse_mass + sum_of_lanes(w.t22);
  return local_contact(
      DelassusEntries{nn, sum_of_lanes(w.n1), sum_of_lanes(w.n2), t11, sum_of_lanes(w.t12), t22}, c.friction);
}

/// W_nn, 1/kg.
SCREE_INLINE double normal_response(const ContactTerms& c, const Edge& edge, const BodyResponse* bodies) {
  const auto share = [&](std::int32_t body, Vector4 arm) __attribute__((always_inline)) {
    const Vector4 spun = lever(bodies[body], arm, normal_of(c));
    return bodies[body].inverse_mass + dot(spun, inverse_inertia_times(bodies[body], spun));
  };
  return share(edge.a, arm_a_of(c)) + share(edge.b, arm_b_of(c));
}

/// J M^-1 J'^T of two rows between the same bodies, 1/kg (or as the units of the rows require).
SCREE_INLINE double row_coupling(const ContactProblem& p, const Row& row, const Row& other) {
  const BodyResponse &a = p.response[row.edge.a], &b = p.response[row.edge.b];
  const auto of_b = [&](const Row& r) { return b.slides ? linear_of(r) : angular_b_of(r); };
  const double spin = dot(angular_a_of(row), inverse_inertia_times(a, angular_a_of(other))) +
                      dot(of_b(row), inverse_inertia_times(b, of_b(other)));
  if (row.contact >= 0) return spin;
  return spin + (a.inverse_mass + b.inverse_mass) * dot(linear_of(row), linear_of(other));
}

/// J v + bias of a row, without its compliance.
SCREE_INLINE double velocity_of(const Row& row, const std::vector<BodyVelocity>& v) {
  const BodyVelocity &a = v[row.edge.a], &b = v[row.edge.b];
  if (row.contact >= 0) return dot(angular_a_of(row), load(a.angular) - load(b.angular));
  return row.bias + dot(linear_of(row), load(a.linear) - load(b.linear)) +
         dot(angular_a_of(row), load(a.angular)) - dot(angular_b_of(row), load(b.angular));
}

/// Calls f(r) for the rows of the contacts in [begin, end).
template <class F>
void for_rows_of(const ContactProblem& p, std::size_t begin, std::size_t end, F&& f) {
  if (p.contact_rows == 0) return;
  for (std::size_t r = p.first_row(begin);
       r < p.contact_rows && static_cast<std::size_t>(p.rows[r].contact) < end; ++r)
    f(r);
}

}  // namespace scree
