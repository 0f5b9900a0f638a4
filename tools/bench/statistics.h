// What a few repeated timings say.
#pragma once

#include <cstddef>
#include <vector>

namespace scree {

/// Order statistics of a sample, all in the unit of its values; zero for an empty one.
struct Spread {
  std::size_t count = 0;
  double min = 0.0, lower_quartile = 0.0, median = 0.0, upper_quartile = 0.0, max = 0.0;
  double mad = 0.0;  // median of the absolute deviations from the median

  /// Robust standard deviation: the larger of the two that the MAD and the quartiles give for a normal law.
  double deviation() const;
};

/// Quartiles are linear between order statistics (Hyndman, Fan 1996, type 7).
Spread spread(std::vector<double> values);

/// The value that a share `q` of the sample does not exceed, as for quartiles; 0 for an empty one.
double quantile(std::vector<double> values, double q);

/// Two samples of one quantity: is the second different by more than the noise of both?
struct Difference {
  double relative = 0.0;  // (median of b - median of a) / median of a
  double noise = 0.0;     // the relative difference that noise may make
  bool significant = false;
};

/// A difference is noise up to 3 sqrt(deviation_a^2 + deviation_b^2), the deviations those of single values,
/// not of medians: what disturbs a machine lasts longer than a repeat, so repeats are not independent. With
/// fewer than five values on a side its whole range stands in for the deviation, and one
/// value alone tells nothing. Nothing below
/// `least_relative` counts.
Difference difference(const std::vector<double>& a, const std::vector<double>& b, double least_relative);

}  // namespace scree
