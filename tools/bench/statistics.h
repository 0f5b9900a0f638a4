// Statistics of a few repeated timings.
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

/// Comparison of two samples of one quantity: is the difference larger than the noise of both?
struct Difference {
  double relative = 0.0;  // (median of b - median of a) / median of a
  double noise = 0.0;     // the relative difference that noise may cause
  bool significant = false;
};

/// A difference up to 3 sqrt(deviation_a^2 + deviation_b^2) is noise, with the deviations of single values,
/// not of medians: disturbances of a machine last longer than a repeat, so repeats are not independent. With
/// fewer than five values in a sample its whole range is used as the deviation, and one
/// value alone is never significant. Differences below
/// `least_relative` do not count.
Difference difference(const std::vector<double>& a, const std::vector<double>& b, double least_relative);

}  // namespace scree
