// How well a contact problem is solved: one measure for every solver.
#pragma once

#include "engine/solver/contact_problem.h"

namespace scree {

/// Natural map of the complementarity between the impulse p and the velocity shifted after De Saxce and Feng
/// (1998),
///   u~ = u + (offset + friction |u_t|) n,   r = (p - P_K(p - rho u~)) / rho,   rho = 3 / trace W,    (S5)
/// in m/s; zero exactly where (S3) and (S4) hold. Over active contacts: those with an impulse or a violated
/// constraint.
struct Residual {
  double rms_m_s = 0.0, max_m_s = 0.0;
  std::int64_t active = 0;
};

/// The map of one contact, m/s; u with the offset, trace that of its Delassus block. On a sampled cone
/// (corners > 0) the normal and the tangential law apart: r_n = (p_n - max(0, p_n - rho u_n)) / rho, and r_t
/// = (p_t - P(p_t - rho u_t)) / rho with P the projection onto the polygon of radius friction p_n.
Vec3 natural_map(const Vec3& impulse, const Vec3& u, double friction, double trace, int corners = 0);

Residual residual(const ContactProblem& problem, const std::vector<Twist>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<Vec3>& torque_impulse);

/// Projection onto the Coulomb cone |p_t| <= mu p_n.
Vec3 project_on_cone(const Vec3& p, double mu);

}  // namespace scree
