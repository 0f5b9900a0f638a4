#include "engine/solver/residual.h"

#include <cmath>

#include "engine/core/parallel.h"
#include "engine/solver/friction_disc.h"

namespace scree {

Vec3 project_on_cone(const Vec3& p, double mu) {
  const double t = std::hypot(p[1], p[2]);
  if (t <= mu * p[0]) return p;
  if (mu * t <= -p[0]) return Vec3::Zero();
  const double n = (p[0] + mu * t) / (1.0 + mu * mu);
  const double scale = mu * n / t;
  return {n, scale * p[1], scale * p[2]};
}

Vec3 natural_map(const Vec3& impulse, const Vec3& u, double friction, double trace, int corners) {
  const double rho = 3.0 / trace;
  Vec3 aim = impulse - rho * u;
  if (corners == 0) {
    aim[0] -= rho * friction * std::hypot(u[1], u[2]);
    return (impulse - project_on_cone(aim, friction)) / rho;
  }
  const double radius = friction * std::max(0.0, impulse[0]);
  aim[0] = std::max(0.0, aim[0]);
  aim.tail<2>() = project_on_disc(aim.tail<2>(), radius, corners);
  return (impulse - aim) / rho;
}

namespace {

struct Sum {
  double squares = 0.0, largest = 0.0;
  std::int64_t active = 0;
};

/// Natural map of torsion and rolling, as velocities: angular residual times the coefficient's length.
double torque_residual_squared(const ContactProblem& p, std::size_t c, const std::vector<Twist>& velocity,
                               const Vec3& impulse, const Vec3& torque) {
  Mat3 inverse_inertia = p.inverse_inertia[static_cast<std::size_t>(p.body_a[c])];
  if (p.body_b[c] != fixed_partner)
    inverse_inertia += p.inverse_inertia[static_cast<std::size_t>(p.body_b[c])];
  const double rho = 3.0 / inverse_inertia.trace();
  const Vec3 spin = p.frame[c] * relative_spin(p, c, velocity);
  const double bound_t = p.torsional_friction[c] * impulse[0], bound_r = p.rolling_friction[c] * impulse[0];
  const double torsion = torque[0] - std::clamp(torque[0] - rho * spin[0], -bound_t, bound_t);
  const Vec2 rolling = torque.tail<2>() - project_on_disc(torque.tail<2>() - rho * spin.tail<2>(), bound_r);
  const double r_t = p.torsional_friction[c] * torsion / rho;
  return r_t * r_t + (p.rolling_friction[c] * rolling / rho).squaredNorm();
}

}  // namespace

Residual residual(const ContactProblem& p, const std::vector<Twist>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<Vec3>& torque_impulse) {
  const Sum sum = reduce_blocks(
      p.contacts(), grain_medium, Sum{},
      [&](const Block& block) {
        Sum s;
        for (std::size_t c = block.begin; c < block.end; ++c) {
          Vec3 u = p.frame[c] * relative_velocity(p, c, velocity);
          u[0] += p.offset[c];
          if (impulse[c][0] <= 0.0 && u[0] >= 0.0) continue;  // numbers that are not finite stay in
          double squared =
              natural_map(impulse[c], u, p.friction[c], p.delassus[c].trace(), p.friction_corners)
                  .squaredNorm();
          if (p.has_torques)
            squared += torque_residual_squared(p, c, velocity, impulse[c], torque_impulse[c]);
          s.squares += squared;
          s.largest = std::max(s.largest, squared);
          ++s.active;
        }
        return s;
      },
      [](Sum a, const Sum& b) {
        a.squares += b.squares;
        a.largest = std::max(a.largest, b.largest);
        a.active += b.active;
        return a;
      });
  Residual result;
  result.active = sum.active;
  if (sum.active > 0) result.rms_m_s = std::sqrt(sum.squares / static_cast<double>(sum.active));
  result.max_m_s = std::sqrt(sum.largest);
  return result;
}

}  // namespace scree
