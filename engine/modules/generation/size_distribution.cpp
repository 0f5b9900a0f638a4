#include "engine/modules/generation/size_distribution.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace scree {

namespace {

/// Share of the standard normal distribution below x.
double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// A draw from the normal distribution (mean, deviation) cut off at [low, high].
double truncated_normal(double mean, double deviation, double low, double high, double u) {
  // Compute on the side of the mean where shares are small: near 1 they would lose all digits.
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
  return quantile(distribution, random.uniform());
}

double quantile(const SizeDistribution& distribution, double u) {
  const auto& [kind, mean, deviation, low, high, characteristic, modulus, sizes, shares] = distribution;
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
    case DistributionKind::weibull: {
      const auto larger = [&, characteristic = characteristic, modulus = modulus](double x) {
        return std::exp(-std::pow(x / characteristic, modulus));
      };
      const double share = larger(low) + u * (larger(high) - larger(low));
      return std::clamp(characteristic * std::pow(-std::log(share), 1.0 / modulus), low, high);
    }
    case DistributionKind::table: {
      const auto above = std::ranges::upper_bound(shares, u);
      if (above == shares.end()) return sizes.back();
      const auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, above - shares.begin()));
      const double part = (u - shares[k - 1]) / (shares[k] - shares[k - 1]);
      return sizes[k - 1] + std::clamp(part, 0.0, 1.0) * (sizes[k] - sizes[k - 1]);
    }
  }
  assert(false);
  return mean;
}

SizeDistribution by_number(const SizeDistribution& by_mass, std::size_t sizes) {
  if (by_mass.kind == DistributionKind::constant) return by_mass;
  SizeDistribution law;
  law.kind = DistributionKind::table;
  double sum = 0.0;
  for (std::size_t k = 0; k < sizes; ++k) {
    const double size = quantile(by_mass, static_cast<double>(k) / static_cast<double>(sizes - 1));
    // Between two sizes of a continuous distribution there are as many grains as one mass has of the middle
    // size.
    if (k > 0) {
      const double middle = 0.5 * (size + law.sizes.back());
      sum += 1.0 / (middle * middle * middle);
    }
    law.sizes.push_back(size);
    law.shares.push_back(sum);
  }
  for (double& share : law.shares) share /= sum;
  return law;
}

SizeClasses size_classes(const SizeDistribution& distribution, std::size_t count, bool by_mass) {
  if (distribution.kind == DistributionKind::constant) count = 1;
  SizeClasses classes;
  double sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double size = quantile(distribution, (static_cast<double>(k) + 0.5) / static_cast<double>(count));
    sum += by_mass ? 1.0 / (size * size * size) : 1.0;
    classes.size.push_back(size);
    classes.until.push_back(sum);
  }
  for (double& share : classes.until) share /= sum;
  return classes;
}

double largest(const SizeDistribution& distribution) {
  if (distribution.kind == DistributionKind::table) return distribution.sizes.back();
  return distribution.kind == DistributionKind::constant ? distribution.mean : distribution.high;
}

double smallest(const SizeDistribution& distribution) {
  if (distribution.kind == DistributionKind::table) return distribution.sizes.front();
  return distribution.kind == DistributionKind::constant ? distribution.mean : distribution.low;
}

}  // namespace scree
