#include "engine/solver/residual.h"

#include <cmath>

#include "engine/core/parallel.h"
#include "engine/solver/friction_disc.h"
#include "engine/solver/torques.h"

namespace scree {

Vec3 natural_map(const Vec3& impulse, const Vec3& u, double friction, double trace, int corners) {
  const double rho = 3.0 / trace;
  if (corners == 0) return natural_map_of_cone(impulse, u, friction, rho);
  Vec3 aim = impulse - rho * u;
  const double radius = friction * std::max(0.0, impulse[0]);
  aim[0] = std::max(0.0, aim[0]);
  aim.tail<2>() = project_on_disc(aim.tail<2>(), radius, corners);
  return (impulse - aim) / rho;
}

double torque_residual_squared(const ContactProblem& p, const TorqueLaw& law, const Vec3& spin,
                               double normal_impulse, const Vec3& torque) {
  const double rho = 3.0 / relative_inverse_inertia(p, static_cast<std::size_t>(law.contact)).trace();
  const double bound_t = law.torsional_friction * normal_impulse,
               bound_r = law.rolling_friction * normal_impulse;
  const double torsion = torque[0] - std::clamp(torque[0] - rho * spin[0], -bound_t, bound_t);
  const Vec2 rolling = torque.tail<2>() - project_on_disc(torque.tail<2>() - rho * spin.tail<2>(), bound_r);
  const double r_t = law.torsional_friction * torsion / rho;
  return r_t * r_t + (law.rolling_friction * rolling / rho).squaredNorm();
}

Residual residual(const ContactProblem& p, const std::vector<Twist>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<Vec3>& torque_impulse) {
  return reduce_blocks(
             p.contacts(), grain_medium, ResidualSum{},
             [&](const Block& block) {
               ResidualSum sum;
               for (std::size_t c = block.begin; c < block.end; ++c) {
                 Vec3 u = p.frame(c) * relative_velocity(p, c, velocity);
                 u[0] += p.offset(c);
                 if (impulse[c][0] <= 0.0 && u[0] >= 0.0) continue;  // numbers that are not finite stay in
                 double squared =
                     natural_map(impulse[c], u, p.friction(c), p.delassus[c].trace(), p.friction_corners)
                         .squaredNorm();
                 if (const auto t = p.torque_of(c))
                   squared +=
                       torque_residual_squared(p, p.torques[*t], p.frame(c) * relative_spin(p, c, velocity),
                                               impulse[c][0], torque_impulse[*t]);
                 sum.add(squared);
               }
               return sum;
             },
             [](ResidualSum a, const ResidualSum& b) { return a += b; })
      .residual();
}

}  // namespace scree
