// Statistics of a series of measured values: its mean and the error of the mean.
#pragma once

#include <cmath>
#include <span>

namespace scree::io {

/// For the finite ones among values in time order, at equal intervals. NaN if there are too
/// few.
struct SeriesStatistics {
  double mean, deviation;                         // standard deviation of a value
  double error;                                   // standard error of the mean
  double independent;                             // number of independent values that would give this error
  double drift;                                   // mean of the second half minus that of the first
  double error_about_trend;                       // error of the mean after a straight line is subtracted
  double median, least, p01, p99, largest, last;  // p01, p99: one of a hundred is below, above (interpolated)
  std::size_t count = 0;
  /// False if there is no steady mean: the drift is larger than three times the error of a difference of two
  /// halves, which is two errors, without the share of the drift itself. Short series need a larger drift,
  /// because their errors are uncertain.
  bool is_steady() const {
    constexpr double rounding = 1e-10, short_series = 20.0;
    const double limit = 6.0 * (1.0 + short_series / static_cast<double>(count)) * error_about_trend;
    return !(std::abs(drift) > limit && std::abs(drift) > rounding * std::abs(mean));
  }
};

/// The error takes correlation into account: an autoregression (Burg 1968; its order by Akaike's
/// criterion, Hurvich and Tsai 1989) is fitted to the series, and gives the variance of the mean
/// (docs/decisions/0053). For a series shorter than about ten times its correlation time the error is too
/// small.
SeriesStatistics series_statistics(std::span<const double> values);

}  // namespace scree::io
