// Performance profiles: Dolan and More (2002), "Benchmarking optimization software with performance
// profiles"; for contact solvers as in Acary, Bremond and Huber (2018), "On solving contact problems with
// Coulomb friction".
#pragma once

#include <vector>

namespace scree {

/// Costs of the solvers' runs, [solver][problem]; infinity if a problem was not solved.
using Costs = std::vector<std::vector<double>>;

/// Each cost over the least cost of all solvers for the same problem, [solver][problem]; infinity if a
/// problem was not solved.
Costs performance_ratios(const Costs& costs);

/// rho(tau): the share of problems whose ratio is at most tau.
double share_within(const std::vector<double>& ratios, double tau);

/// Corners of a solver's rho, from tau = 1 to `end`: two for each step.
struct Stairs {
  std::vector<double> tau, share;
};
Stairs profile(const std::vector<double>& ratios, double end);

/// Largest finite ratio, at least 1.
double largest_ratio(const Costs& ratios);

}  // namespace scree
