// Random sizes of grains.
#pragma once

#include "engine/core/random.h"

namespace scree {

enum class DistributionKind { constant, uniform, normal, lognormal };

/// The law of a factor on a grain's size. Mean and deviation are those of the whole normal or lognormal law;
/// what lies outside [low, high] is cut off and the rest scaled up.
struct SizeDistribution {
  DistributionKind kind = DistributionKind::constant;
  double mean = 1.0;             // constant, normal, lognormal
  double deviation = 0.0;        // normal, lognormal: standard deviation, > 0
  double low = 1.0, high = 1.0;  // uniform, normal, lognormal: 0 < low < high
};

/// One draw, always within [low, high], at a fixed cost of one random number. Truncated laws are drawn by
/// inverting the distribution function with bisection to 1e-15 of the interval: no rejection, so a window far
/// out in a tail costs the same. Moments: test SizeDistribution.*.
double sample(const SizeDistribution& distribution, Random& random);

/// The largest and the smallest value that `sample` can return.
double largest(const SizeDistribution& distribution);
double smallest(const SizeDistribution& distribution);

}  // namespace scree
