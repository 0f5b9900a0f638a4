// Proximal Newton: all contacts in one Newton step, for problems where ADMM or sweeps do not converge.
//
// Proximal points (Rockafellar 1976): from impulses p0 solve the problem whose Delassus operator has epsilon
// / rho added to its diagonal blocks, acting on p - p0,
//   u_eps = u(p) + epsilon / rho (p - p0),   F(p) = natural map (S5) of p and u_eps = 0,                 (N1)
// by semismooth Newton steps with backtracking on |F|: with D the derivative of the projection onto the cone
// at p - rho u~, S = I + friction n (u_t/|u_t|)^T that of the shift, and I - D the rest,
//   [(I - D) / rho + epsilon / rho D S] dp + D S W dp = -F.                                              (N2)
// epsilon makes the matrix regular if the contacts are statically indeterminate (W singular); its fixed
// point is the problem itself. It decreases while (N1) is solved easily and the residual is large: then
// impulses move steadily along the null space of W until a contact slips, opens or sticks. This is the
// movement on which other methods are slow. It increases, and the step is repeated, if Newton fails.
#pragma once

#include "engine/solver/solver.h"

namespace scree {

// Parameters of the ADMM iterations before it (`admm`, with and without bodies).
inline constexpr double kappa = 3.0;  // penalty over the mean of 1/W
inline constexpr double over_relaxation = 1.6;
inline constexpr int iterations_between_checks = 5;
// Runs with a tolerance of a thousandth or more end before; the residual left after this number of iterations
// is reduced by Newton steps.
inline constexpr int iterations_before_newton = 100;

/// The interface of a problem for this method.
class ImpulseSystem {
 public:
  virtual ~ImpulseSystem() = default;
  virtual std::size_t contacts() const = 0;
  virtual double friction(std::size_t contact) const = 0;
  virtual double trace(std::size_t contact) const = 0;  // of the contact's own block of W, 1/kg
  /// u = W p + q, offset included, m/s, contact frames.
  virtual void velocities(const std::vector<Vec3>& impulse, std::vector<Vec3>& velocity) = 0;
  /// Solves K_c dp_c + G_c (W dp)_c = -f_c; false if the matrix cannot be factored.
  virtual bool newton_step(const std::vector<Mat3>& k, const std::vector<Mat3>& g, const std::vector<Vec3>& f,
                           std::vector<Vec3>& dp) = 0;
};

struct NewtonReport {
  int steps = 0;
  double residual_m_s = 0.0;  // rms over active contacts
};

/// Continues from `impulse` for at most `max_steps` Newton steps, until the residual is at most `goal_m_s`.
/// The resulting impulses are in their cones, and never worse than the given ones.
NewtonReport proximal_newton(ImpulseSystem& system, double goal_m_s, int max_steps,
                             std::vector<Vec3>& impulse);

}  // namespace scree
