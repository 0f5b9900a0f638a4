// Seeded, counter-based random numbers: draw i of stream s depends on (seed, s, i) alone, so that the same
// seed gives the same bits, independent of the order of draws and the number of threads.
#pragma once

#include <cmath>
#include <numbers>

#include "engine/core/types.h"

namespace scree {

/// SplitMix64 (Steele, Lea, Flood 2014): a counter passed through a mixing function.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(seed) ^ mix(~stream)) {}

  std::uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15ull); }

  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Standard normal (Box and Muller 1958). The second number of the pair is not used, so that each draw
  /// costs the same.
  double normal() {
    const double u = 1.0 - uniform(), v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
  }

  /// Uniform over rotations (Shoemake 1992).
  Quat rotation() {
    const double u = uniform(), v = 2.0 * std::numbers::pi * uniform(),
                 w = 2.0 * std::numbers::pi * uniform();
    const double s = std::sqrt(1.0 - u), r = std::sqrt(u);
    return Quat(r * std::cos(w), s * std::sin(v), s * std::cos(v), r * std::sin(w)).normalized();
  }

  /// Uniform over the unit sphere.
  Vec3 direction() {
    const double z = uniform(-1.0, 1.0), a = 2.0 * std::numbers::pi * uniform();
    const double s = std::sqrt(1.0 - z * z);
    return {s * std::cos(a), s * std::sin(a), z};
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace scree
