// What a series of measured values says: its mean, and how well that is known.
#pragma once

#include <cmath>
#include <span>

namespace scree::io {

/// Of the finite ones among some values in the order of time, at equal distances. NaN where there are too
/// few.
struct SeriesStatistics {
  double mean, deviation;  // standard deviation of a value
  double error;            // standard error of the mean
  double independent;      // values that would give this error if they knew nothing of each other
  double drift;            // mean of the second half less that of the first
  double median, least, largest, last;
  std::size_t count = 0;
  /// Is the drift so much larger than the error of a difference of two halves, 2 errors, that there is no
  /// steady mean?
  bool is_steady() const {
    constexpr double rounding = 1e-10;
    return !(std::abs(drift) > 6.0 * error && std::abs(drift) > rounding * std::abs(mean));
  }
};

/// The error knows of what follows from what came before: an autoregression (Burg 1968; its order by Akaike's
/// criterion, Hurvich and Tsai 1989) is fitted to the series, and of that the variance of the mean follows
/// (docs/decisions/0053). A series that is shorter than some ten times its memory has an error that is too
/// small.
SeriesStatistics series_statistics(std::span<const double> values);

}  // namespace scree::io
