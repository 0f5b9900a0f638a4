// Springs and dampers as rows of the contact problem.
#pragma once

#include <algorithm>

namespace scree {

/// How a spring of stiffness k with a damper c enters the problem, (A11): J v + bias + compliance p = 0.
struct SpringTerms {
  double theta, compliance, bias;
};

/// `x`: its deformation; `bending`: x'' while bodies move on; `w`: J M^-1 J^T.
inline SpringTerms spring_terms(double k, double c, double x, double bending, double w, double h) {
  // Below, compliances of soft springs would leave the range of single precision. It damps by 1e-4 of
  // sqrt(q) / 2 at most.
  constexpr double least_theta = 1e-4;
  const double q = h * h * k * w, theta = std::max(least_theta, q * q / (1.0 + q * q)),
               implicit = h * h * k * theta, give = 1.0 / (implicit + h * c);
  return {theta, give, give * (h * k * x + 0.5 * h * implicit * bending)};
}

/// J, of a spring between x and what it comes to until the next step, y = x + `more`: see bonds.cpp.
inline double spring_energy(double k, double x, double more, double theta) {
  return 0.5 * k * (x * (x + more) + 0.5 * theta * more * more);
}

}  // namespace scree
