// Random sizes of grains.
#pragma once

#include <vector>

#include "engine/core/random.h"

namespace scree {

enum class DistributionKind { constant, uniform, normal, lognormal, weibull, table };

/// The law of a factor on a grain's size. Mean and deviation are those of the whole normal or lognormal law,
/// characteristic size and modulus those of Weibull's (Rosin and Rammler 1933): a share
/// exp(-(x / characteristic)^modulus) is larger than x. What lies outside [low, high] is cut off and the rest
/// scaled up. A table says what share is below a size, as a set of sieves does, with straight lines between.
struct SizeDistribution {
  DistributionKind kind = DistributionKind::constant;
  double mean = 1.0;                           // constant, normal, lognormal
  double deviation = 0.0;                      // normal, lognormal: standard deviation, > 0
  double low = 1.0, high = 1.0;                // uniform, normal, lognormal, weibull: 0 < low < high
  double characteristic = 1.0, modulus = 1.0;  // weibull, > 0
  std::vector<double> sizes{}, shares{};       // table: both rising, shares from 0 to 1
};

/// One draw, always within [low, high], at a fixed cost of one random number. Truncated laws are drawn by
/// inverting the distribution function with bisection to 1e-15 of the interval: no rejection, so a window far
/// out in a tail costs the same. Moments: test SizeDistribution.*.
double sample(const SizeDistribution& distribution, Random& random);

/// What a share u, 0 to 1, of all draws lies below.
double quantile(const SizeDistribution& distribution, double u);

/// The law by number of grains of which the given one is that of their mass, as a table of so many sizes.
SizeDistribution by_number(const SizeDistribution& by_mass, std::size_t sizes = 4097);

/// So many sizes of equal share, each the middle one of its part, with the share of the grains, by number,
/// that are of it or a smaller one. With `by_mass` the law is that of mass: equal parts of the mass then, of
/// which small grains have more in number.
struct SizeClasses {
  std::vector<double> size, until;  // rising; the last of `until` is 1
};
SizeClasses size_classes(const SizeDistribution& distribution, std::size_t count, bool by_mass);

/// The largest and the smallest value that `sample` can return.
double largest(const SizeDistribution& distribution);
double smallest(const SizeDistribution& distribution);

}  // namespace scree
