// Newton steps of a contact problem with bodies, see proximal_newton.h.
#pragma once

#include "engine/solver/sweeps/proximal_newton.h"

namespace scree {

/// Eliminates the impulses: with dp = -K^-1 (f + G J dv), the bodies' velocity changes obey
///   (M + J^T K^-1 G J) dv = -J^T K^-1 f,                                                               (N3)
/// six unknowns per body for any number of contacts.
class BodySystem final : public ImpulseSystem {
 public:
  explicit BodySystem(const ContactProblem& problem);
  std::size_t contacts() const override { return p_.contacts(); }
  double friction(std::size_t c) const override { return p_.friction(c); }
  double trace(std::size_t c) const override { return p_.delassus[c].trace(); }
  void velocities(const std::vector<Vec3>& impulse, std::vector<Vec3>& velocity) override;
  bool newton_step(const std::vector<Mat3>& k, const std::vector<Mat3>& g, const std::vector<Vec3>& f,
                   std::vector<Vec3>& dp) override;

 private:
  const ContactProblem& p_;
  ContactSolution scratch_;
};

}  // namespace scree
