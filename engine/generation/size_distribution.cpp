#include "engine/generation/size_distribution.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace scree {

namespace {

/// Share of the standard normal law below x.
double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// A draw from the normal law (mean, deviation) cut off at [low, high].
double truncated_normal(double mean, double deviation, double low, double high, double u) {
  // Work on the side of the mean where shares are small: near 1 they would lose all digits.
  if (low > mean)
    return 2.0 * mean - truncated_normal(mean, deviation, 2.0 * mean - high, 2.0 * mean - low, u);
  const double from = normal_share((low - mean) / deviation), to = normal_share((high - mean) / deviation);
  const double share = from + u * (to - from);
  double left = low, right = high;
  for (int i = 0; i < 52; ++i) {  // halvings until the interval is down to the last bit of a double
    const double middle = 0.5 * (left + right);
    (normal_share((middle - mean) / deviation) < share ? left : right) = middle;
  }
  return 0.5 * (left + right);
}

}  // namespace

double sample(const SizeDistribution& distribution, Random& random) {
  const double u = random.uniform();
  const auto& [kind, mean, deviation, low, high] = distribution;
  switch (kind) {
    case DistributionKind::constant:
      return mean;
    case DistributionKind::uniform:
      return low + (high - low) * u;
    case DistributionKind::normal:
      return truncated_normal(mean, deviation, low, high, u);
    case DistributionKind::lognormal: {
      const double variance = std::log1p((deviation / mean) * (deviation / mean));  // of the logarithm
      const double logarithm = truncated_normal(std::log(mean) - 0.5 * variance, std::sqrt(variance),
                                                std::log(low), std::log(high), u);
      return std::clamp(std::exp(logarithm), low, high);
    }
  }
  assert(false);
  return mean;
}

double largest(const SizeDistribution& distribution) {
  return distribution.kind == DistributionKind::constant ? distribution.mean : distribution.high;
}

double smallest(const SizeDistribution& distribution) {
  return distribution.kind == DistributionKind::constant ? distribution.mean : distribution.low;
}

}  // namespace scree
