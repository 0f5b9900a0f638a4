// The contact problem of one step: data, no shapes and no bodies' poses.
//
// Unknown are the impulses p_c (N s) of every contact in its frame (n, t1, t2), n from body b to body a, and,
// where a contact resists twisting or rolling, torque impulses (N m s) in the same frame. With
//   u_c = frame_c (v_a + w_a x arm_a - v_b - w_b x arm_b)    relative velocity of a against b, m/s     (S1)
//   v   = v_free + M^-1 sum_c J_c^T p_c                                                               (S2)
// they have to fulfil, contact by contact,
//   0 <= u_n + offset  complementary to  p_n >= 0                                     (Signorini)     (S3)
//   |p_t| <= friction p_n, and p_t dissipates the most energy of all such impulses     (Coulomb)       (S4)
#pragma once

#include <optional>

#include "engine/core/types.h"
#include "engine/core/vector4.h"
#include "engine/solver/local_contact.h"

namespace scree {

inline constexpr std::int32_t fixed_partner = -1;

/// How a body answers impulses, world axes; all zero for a body that nothing moves.
struct alignas(64) BodyResponse {
  Vector4 inertia_x, inertia_y, inertia_z;  // columns of the inverse inertia about the centre, 1/(kg m^2)
  double inverse_mass;                      // 1/kg
};

SCREE_INLINE Vector4 inverse_inertia_times(const BodyResponse& b, Vector4 x) {
  return b.inertia_x * x[0] + b.inertia_y * x[1] + b.inertia_z * x[2];
}

/// Where a contact is: what sweeps read again and again, two cache lines. World axes.
struct alignas(64) ContactGeometry {
  Vector4 n, t1;         // unit; n from body b to body a
  Vector4 arm_a, arm_b;  // m, from the body's centre of mass to the contact
};

/// What a contact demands and how its bodies answer, beside its geometry.
struct alignas(32) ContactLaw {
  double offset;  // m/s, see (S3): positive lets bodies approach, negative drives them apart
  // t2 = tangent_ratio n x t1. Where friction is anisotropic t1 is the direction of the larger coefficient,
  // and t2 is shortened to the ratio of the two: in such components the ellipse of admissible impulses is a
  // circle, and u, p, W keep all their relations, for p.u stays the same (an impulse in world axes is frame^T
  // p).
  double tangent_ratio;
  LocalContact local;  // with the sliding coefficient, along t1
  double rho;          // kg, of the natural map (S5)
  std::int32_t a, b;   // bodies; b may be fixed_partner
};

SCREE_INLINE Vector4 second_tangent(const ContactGeometry& g, double tangent_ratio) {
  return tangent_ratio * cross(g.n, g.t1);
}

/// An impulse in world axes, of its components in the contact's frame.
SCREE_INLINE Vector4 to_world(const ContactGeometry& g, double tangent_ratio, const double* components) {
  return components[0] * g.n + components[1] * g.t1 + components[2] * second_tangent(g, tangent_ratio);
}

/// A contact that resists twisting and rolling.
struct TorqueLaw {
  std::int32_t contact;
  double torsional_friction, rolling_friction;  // m, one of them positive
  Vec3 start_impulse;                           // N m s, contact frame: where iterations begin
};

struct ContactProblem {
  // m/s that residuals are compared with: |gravity| * time step; 0 if there is none.
  double velocity_scale = 0.0;
  int friction_corners = 0;  // 0: (S4) on the smooth cone; else on the hull of as many sampled tangents

  // [body]
  std::vector<Twist> free_velocity;  // world axes, before any contact acts
  std::vector<BodyResponse> response;

  // [contact]
  std::vector<std::int32_t> body_a, body_b;  // body_b may be fixed_partner
  std::vector<ContactGeometry> geometry;
  std::vector<ContactLaw> law;      // respond() in contact_response.h fills what follows from the rest
  std::vector<double> gap;          // m, for position correction
  std::vector<double> length;       // m, smallest length of the two shapes, what overlaps are compared with
  std::vector<double> approach;     // m/s, normal velocity before the step; negative where bodies approach
  std::vector<Vec3> start_impulse;  // N s, contact frame: where iterations begin

  std::vector<TorqueLaw> torques;  // of the contacts that resist torques, ordered by contact

  // [contact], or empty without energetic impacts (impacts.h); (S3) and (S4) do not know it
  std::vector<double> restitution;

  // What follows from the above: filled by complete(), empty until then. `per_body` on the smooth cone, which
  // is made for speed, does without.
  std::vector<Mat3>
      delassus;  // [contact], 1/kg, contact frame: W = J M^-1 J^T of the contact alone, du = W dp
  std::vector<std::int32_t> body_row;      // [body + 1]: the contacts of a body are the entries
  std::vector<std::int32_t> body_contact;  // [body_row[i], body_row[i + 1]) of body_contact, rising

  std::vector<std::vector<TorqueLaw>> found_torques;  // [block] scratch of assembly

  std::size_t bodies() const { return free_velocity.size(); }
  std::size_t contacts() const { return body_a.size(); }
  double inverse_mass(std::size_t body) const { return response[body].inverse_mass; }
  Mat3 inverse_inertia(std::size_t body) const {
    const BodyResponse& r = response[body];
    Mat3 columns;
    columns << to_vec3(r.inertia_x), to_vec3(r.inertia_y), to_vec3(r.inertia_z);
    return columns;
  }
  /// The first in `torques` whose contact is not before this one.
  std::size_t first_torque(std::size_t contact) const;
  /// The place of a contact in `torques`, if it resists any.
  std::optional<std::size_t> torque_of(std::size_t contact) const;
  double offset(std::size_t contact) const { return law[contact].offset; }
  double friction(std::size_t contact) const { return law[contact].local.friction; }
  SCREE_INLINE Mat3 frame(std::size_t contact) const {  // rows n, t1, t2
    const ContactGeometry& g = geometry[contact];
    Mat3 rows;
    rows << to_vec3(g.n).transpose(), to_vec3(g.t1).transpose(),
        to_vec3(second_tangent(g, law[contact].tangent_ratio)).transpose();
    return rows;
  }
  SCREE_INLINE Vec3 in_world(std::size_t contact, const Vec3& components) const {  // frame^T components
    return to_vec3(to_world(geometry[contact], law[contact].tangent_ratio, components.data()));
  }
  SCREE_INLINE Vec3 normal(std::size_t contact) const { return to_vec3(geometry[contact].n); }
  SCREE_INLINE Vec3 arm_a(std::size_t contact) const { return to_vec3(geometry[contact].arm_a); }
  SCREE_INLINE Vec3 arm_b(std::size_t contact) const { return to_vec3(geometry[contact].arm_b); }
  /// Makes room, also for restitution if asked for, and empties `torques` and what complete() fills.
  void resize(std::size_t bodies, std::size_t contacts, bool impacts);
  /// Also fills `local` and `rho` of the laws.
  void complete();
  bool is_complete() const { return body_row.size() == bodies() + 1; }
};

/// What a solver returns.
struct ContactSolution {
  std::vector<Twist> velocity;       // [body]
  std::vector<Vec3> impulse;         // [contact], N s, contact frame, on body a
  std::vector<Vec3> torque_impulse;  // [torque], N m s, contact frame, on body a; of ContactProblem::torques
  /// Impulses on body b where they are not minus those on a, else empty; only one_pass breaks this symmetry.
  std::vector<Vec3> impulse_on_b, torque_impulse_on_b;
  std::vector<Twist> correction;  // [body], m/s and rad/s: moves overlapping bodies apart, is no momentum
  void resize(const ContactProblem& problem);
};

/// The torque impulse of a contact, N m s, contact frame: zero where it resists none.
inline Vec3 torque_impulse_of(const ContactProblem& p, std::size_t c,
                              const std::vector<Vec3>& torque_impulse) {
  const auto t = p.torque_of(c);
  return t ? torque_impulse[*t] : Vec3(Vec3::Zero());
}

/// (S1), world axes.
inline Vec3 relative_velocity(const ContactProblem& p, std::size_t c, const std::vector<Twist>& v) {
  const Twist& a = v[static_cast<std::size_t>(p.body_a[c])];
  Vec3 u = a.linear + a.angular.cross(p.arm_a(c));
  if (p.body_b[c] != fixed_partner) {
    const Twist& b = v[static_cast<std::size_t>(p.body_b[c])];
    u -= b.linear + b.angular.cross(p.arm_b(c));
  }
  return u;
}

/// Angular velocity of a against b, world axes, rad/s.
inline Vec3 relative_spin(const ContactProblem& p, std::size_t c, const std::vector<Twist>& v) {
  const Vec3 w = v[static_cast<std::size_t>(p.body_a[c])].angular;
  return p.body_b[c] == fixed_partner ? w : Vec3(w - v[static_cast<std::size_t>(p.body_b[c])].angular);
}

/// The share of it that one body brings, 1/kg.
Mat3 delassus_share(const Mat3& frame, const Vec3& arm, double inverse_mass, const Mat3& inverse_inertia);

}  // namespace scree
