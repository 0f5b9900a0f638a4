#include "io/results/series_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace scree::io {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// The value below which a share of all is: linear between the order statistics, as NumPy's default.
double interpolated(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(below);
  return (1.0 - part) * sorted[below] + part * sorted[above];
}

/// The variance of the mean of a series with fluctuations d about its mean: for an autoregression it is the
/// variance of its noise over n (1 - sum of its coefficients)^2. The coefficients are Burg's; their number
/// minimises Akaike's criterion for short series (Hurvich and Tsai).
double variance_of_mean(const std::vector<double>& d) {
  const auto n = static_cast<double>(d.size());
  double noise = 0.0;
  for (const double x : d) noise += x * x / n;
  if (noise == 0.0) return 0.0;
  std::vector<double> forwards = d, backwards = d, filter{1.0};
  constexpr double fewest = 8.0;  // with fewer values correlations are unknown
  const auto most =
      n < fewest ? std::size_t{0} : static_cast<std::size_t>(std::min(10.0 * std::log10(n), n / 4.0));
  double least = std::numeric_limits<double>::infinity(), variance = 0.0;
  for (std::size_t order = 0;; ++order) {
    const auto p = static_cast<double>(order);
    const double criterion = n * std::log(noise) + 2.0 * p + 2.0 * p * (p + 1.0) / (n - p - 1.0);
    if (criterion < least) {
      least = criterion;
      const double gain = std::accumulate(filter.begin(), filter.end(), 0.0);
      variance = noise / (gain * gain) / (n - 1.0 - p);
    }
    if (order == most) return variance;
    // Errors of the prediction forwards from k on, and backwards one earlier.
    double both = 0.0, squares = 0.0;
    for (std::size_t k = order + 1; k < d.size(); ++k) {
      both += forwards[k] * backwards[k - 1];
      squares += forwards[k] * forwards[k] + backwards[k - 1] * backwards[k - 1];
    }
    if (!(squares > 0.0)) return variance;
    const double reflection = -2.0 * both / squares;
    for (std::size_t k = d.size() - 1; k > order; --k) {
      const double f = forwards[k], b = backwards[k - 1];
      forwards[k] = f + reflection * b;
      backwards[k] = b + reflection * f;
    }
    filter.push_back(0.0);
    const std::vector<double> before = filter;
    for (std::size_t k = 0; k < filter.size(); ++k) filter[k] += reflection * before[filter.size() - 1 - k];
    noise *= 1.0 - reflection * reflection;
    if (!(noise > 0.0)) return variance;
  }
}

/// The deviations from the straight line of least squares. x: deviations from the mean.
std::vector<double> without_trend(std::vector<double> x) {
  const double middle = 0.5 * (static_cast<double>(x.size()) - 1.0);
  double moment = 0.0, squares = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double t = static_cast<double>(k) - middle;
    moment += t * x[k];
    squares += t * t;
  }
  for (std::size_t k = 0; k < x.size(); ++k) x[k] -= moment / squares * (static_cast<double>(k) - middle);
  return x;
}

}  // namespace

SeriesStatistics series_statistics(std::span<const double> values) {
  std::vector<double> x;
  for (const double v : values)
    if (std::isfinite(v)) x.push_back(v);
  SeriesStatistics s{none, none, none, none, none, none, none, none, none, none, none, none, x.size()};
  if (x.empty()) return s;
  s.mean = mean_of(x);
  s.last = x.back();
  const auto [least, largest] = std::ranges::minmax(x);
  s.least = least;
  s.largest = largest;
  std::vector<double> sorted = x;
  std::ranges::sort(sorted);
  s.median = interpolated(sorted, 0.5);
  s.p01 = interpolated(sorted, 0.01);
  s.p99 = interpolated(sorted, 0.99);
  if (x.size() < 2) return s;
  const auto n = static_cast<double>(x.size());
  const std::size_t middle = x.size() / 2;
  s.drift = mean_of({x.end() - static_cast<std::ptrdiff_t>(middle), x.end()}) -
            mean_of({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(middle)});
  for (double& value : x) value -= s.mean;
  double squares = 0.0;
  for (const double d : x) squares += d * d;
  s.deviation = std::sqrt(squares / (n - 1.0));
  s.error = std::sqrt(variance_of_mean(x));
  s.error_about_trend = std::sqrt(variance_of_mean(without_trend(x)));
  s.independent = s.error > 0.0 ? s.deviation * s.deviation / (s.error * s.error) : n;
  return s;
}

}  // namespace scree::io
