#include "tools/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {

namespace {

// For a normal distribution: standard deviation over the median absolute deviation, and over the distance of
// the quartiles.
constexpr double deviation_per_mad = 1.4826, deviation_per_quartiles = 0.7413;
constexpr double noise_deviations = 3.0;
constexpr std::size_t fewest_for_quartiles = 5;

double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double noise_of(const Spread& s) {
  if (s.count < 2) return std::numeric_limits<double>::infinity();
  return s.count < fewest_for_quartiles ? s.max - s.min : s.deviation();
}

}  // namespace

double Spread::deviation() const {
  return std::max(deviation_per_mad * mad, deviation_per_quartiles * (upper_quartile - lower_quartile));
}

Spread spread(std::vector<double> values) {
  Spread s;
  s.count = values.size();
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  s.min = values.front();
  s.lower_quartile = quantile_of_sorted(values, 0.25);
  s.median = quantile_of_sorted(values, 0.5);
  s.upper_quartile = quantile_of_sorted(values, 0.75);
  s.max = values.back();
  for (double& value : values) value = std::abs(value - s.median);
  std::sort(values.begin(), values.end());
  s.mad = quantile_of_sorted(values, 0.5);
  return s;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : quantile_of_sorted(values, q);
}

Difference difference(const std::vector<double>& a, const std::vector<double>& b, double least_relative) {
  const Spread of_a = spread(a), of_b = spread(b);
  Difference d;
  if (of_a.median <= 0.0 || b.empty()) return d;
  d.relative = (of_b.median - of_a.median) / of_a.median;
  d.noise = noise_deviations * std::hypot(noise_of(of_a), noise_of(of_b)) / of_a.median;
  d.significant = std::abs(d.relative) > std::max(d.noise, least_relative);
  return d;
}

}  // namespace scree
