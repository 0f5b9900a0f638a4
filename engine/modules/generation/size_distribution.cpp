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

namespace {

/// The share below a size between the quantiles of two shares, to the last digits also where it is tiny.
double share_below(const SizeDistribution& distribution, double size, double low, double high) {
  low = std::max(low, 1e-300);
  for (int i = 0; i < 70; ++i) {
    const double middle = high > 2.0 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    (quantile(distribution, middle) < size ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Adds classes up to this size and share of mass to a distribution by number. A class is narrow, so that
/// there are as many grains in it as one mass has of its middle size.
void add_class(const SizeDistribution& by_mass, double size, double from, double to, SizeDistribution& law) {
  constexpr double narrow = 1.02;
  const double last = law.sizes.back();
  if (last > 0.0 && size > narrow * last) {
    const double middle = std::sqrt(size * last), share = share_below(by_mass, middle, from, to);
    add_class(by_mass, middle, from, share, law);
    add_class(by_mass, size, share, to, law);
    return;
  }
  const double middle = 0.5 * (size + last);
  law.sizes.push_back(size);
  law.shares.push_back(law.shares.back() + (to - from) / (middle * middle * middle));
}

}  // namespace

SizeDistribution by_number(const SizeDistribution& by_mass, std::size_t sizes) {
  if (by_mass.kind == DistributionKind::constant) return by_mass;
  SizeDistribution law;
  law.kind = DistributionKind::table;
  law.sizes.push_back(quantile(by_mass, 0.0));
  law.shares.push_back(0.0);
  for (std::size_t k = 1; k < sizes; ++k) {
    const auto share = [&](std::size_t n) { return static_cast<double>(n) / static_cast<double>(sizes - 1); };
    add_class(by_mass, quantile(by_mass, share(k)), share(k - 1), share(k), law);
  }
  for (double& share : law.shares) share /= law.shares.back();
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
