// Random sizes of grains.
#pragma once

#include <vector>

#include "engine/core/random.h"

namespace scree {

enum class DistributionKind { constant, uniform, normal, lognormal, weibull, table };

/// The distribution of a factor on a grain's size. Mean and deviation are those of the full normal or
/// lognormal distribution, characteristic size and modulus those of Weibull's (Rosin and Rammler 1933), with
/// a share exp(-(x / characteristic)^modulus) larger than x. The part outside [low, high] is cut off and the
/// rest scaled up. A table gives the share below each size, as a set of sieves does, linear in between.
struct SizeDistribution {
  DistributionKind kind = DistributionKind::constant;
  double mean = 1.0;                           // constant, normal, lognormal
  double deviation = 0.0;                      // normal, lognormal: standard deviation, > 0
  double low = 1.0, high = 1.0;                // uniform, normal, lognormal, weibull: 0 < low < high
  double characteristic = 1.0, modulus = 1.0;  // weibull, > 0
  std::vector<double> sizes{}, shares{};       // table: both ascending, shares from 0 to 1
};

/// One draw, always within [low, high], at a fixed cost of one random number. Truncated distributions invert
/// the distribution function by bisection to 1e-15 of the interval: there is no rejection, so a window far
/// in a tail costs the same. Moments: test SizeDistribution.*.
double sample(const SizeDistribution& distribution, Random& random);

/// The value below which a share u, 0 to 1, of all draws lies.
double quantile(const SizeDistribution& distribution, double u);

/// Converts a distribution by mass to one by number of grains, as a table with at least this number of sizes.
SizeDistribution by_number(const SizeDistribution& by_mass, std::size_t sizes = 4097);

/// `count` sizes of equal share, each the median of its class, with the cumulative share of grains by number.
/// With `by_mass` the distribution is by mass: then the classes have equal mass, and classes of small grains
/// have more grains.
struct SizeClasses {
  std::vector<double> size, until;  // ascending; the last of `until` is 1
};
SizeClasses size_classes(const SizeDistribution& distribution, std::size_t count, bool by_mass);

/// The largest and the smallest value that `sample` can return.
double largest(const SizeDistribution& distribution);
double smallest(const SizeDistribution& distribution);

}  // namespace scree
