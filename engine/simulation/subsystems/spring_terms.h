// Springs and dampers as rows of the contact problem.
#pragma once

#include <algorithm>

namespace scree {

/// Terms of a spring of stiffness k with a damper c in the problem, (A11): J v + bias + compliance p = 0.
struct SpringTerms {
  double theta, compliance, bias;
};

/// `x`: its deformation; `bending`: x'' at constant velocities; `w`: J M^-1 J^T.
inline SpringTerms spring_terms(double k, double c, double x, double bending, double w, double h) {
  // Below this, compliances of soft springs would exceed the range of single precision. It damps by 1e-4 of
  // sqrt(q) / 2 at most.
  constexpr double least_theta = 1e-4;
  const double q = h * h * k * w, theta = std::max(least_theta, q * q / (1.0 + q * q)),
               implicit = h * h * k * theta, give = 1.0 / (implicit + h * c);
  return {theta, give, give * (h * k * x + 0.5 * h * implicit * bending)};
}

/// J, of a spring between x and its deformation at the next step, y = x + `more`: see bonds.cpp.
inline double spring_energy(double k, double x, double more, double theta) {
  return 0.5 * k * (x * (x + more) + 0.5 * theta * more * more);
}

}  // namespace scree
