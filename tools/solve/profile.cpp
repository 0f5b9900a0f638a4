#include "tools/solve/profile.h"

#include <algorithm>

#include "engine/core/types.h"

namespace scree {

Costs performance_ratios(const Costs& costs) {
  Costs ratios = costs;
  const std::size_t problems = costs.empty() ? 0 : costs.front().size();
  for (std::size_t p = 0; p < problems; ++p) {
    double least = infinity;
    for (const auto& of_solver : costs) least = std::min(least, of_solver[p]);
    for (auto& of_solver : ratios) {
      if (of_solver[p] < infinity) of_solver[p] = of_solver[p] == least ? 1.0 : of_solver[p] / least;
    }
  }
  return ratios;
}

double share_within(const std::vector<double>& ratios, double tau) {
  if (ratios.empty()) return 0.0;
  const auto within = std::count_if(ratios.begin(), ratios.end(), [&](double r) { return r <= tau; });
  return static_cast<double>(within) / static_cast<double>(ratios.size());
}

Stairs profile(const std::vector<double>& ratios, double end) {
  std::vector<double> at = ratios;
  std::erase_if(at, [&](double r) { return !(r > 1.0 && r <= end); });
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  Stairs stairs{{1.0}, {share_within(ratios, 1.0)}};
  const auto corner = [&](double tau, double share) {
    stairs.tau.push_back(tau);
    stairs.share.push_back(share);
  };
  for (const double tau : at) {
    corner(tau, stairs.share.back());
    corner(tau, share_within(ratios, tau));
  }
  corner(end, stairs.share.back());
  return stairs;
}

double largest_ratio(const Costs& ratios) {
  double largest = 1.0;
  for (const auto& of_solver : ratios) {
    for (const double r : of_solver) {
      if (r < infinity) largest = std::max(largest, r);
    }
  }
  return largest;
}

}  // namespace scree
