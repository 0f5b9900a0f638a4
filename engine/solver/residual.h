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

Residual residual(const ContactProblem& problem, const std::vector<Twist>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<Vec3>& torque_impulse);

/// Projection onto the Coulomb cone |p_t| <= mu p_n.
Vec3 project_on_cone(const Vec3& p, double mu);

}  // namespace scree
