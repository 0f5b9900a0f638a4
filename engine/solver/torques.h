// What the torques of torsional and rolling friction act on.
#pragma once

#include "engine/solver/contact_problem.h"

namespace scree {

/// Relative spin of the two bodies of a contact by a torque impulse, world axes, 1/(kg m^2).
inline Mat3 relative_inverse_inertia(const ContactProblem& p, std::size_t c) {
  Mat3 sum = p.inverse_inertia(static_cast<std::size_t>(p.body_a[c]));
  if (p.body_b[c] != fixed_partner) sum += p.inverse_inertia(static_cast<std::size_t>(p.body_b[c]));
  return sum;
}

}  // namespace scree
