// Comparison of two numbers that should be the same.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>

namespace scree {

/// Number of steps between two numbers of the same precision; 0 for the same bits. None for numbers
/// that are not finite.
template <class Float, class Bits>
std::optional<std::int64_t> ulps(Float a, Float b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return {};
  // In the order of the numbers: negative ones count downwards from zero.
  const auto place = [](Float x) {
    const auto bits = static_cast<std::int64_t>(std::bit_cast<Bits>(std::abs(x)));
    return std::signbit(x) ? -bits - 1 : bits;
  };
  // The distance of large numbers with opposite signs overflows: then the largest value is returned.
  std::int64_t count = 0;
  if (__builtin_sub_overflow(place(a), place(b), &count)) return std::numeric_limits<std::int64_t>::max();
  return std::abs(count);
}
inline std::optional<std::int64_t> ulps(double a, double b) { return ulps<double, std::uint64_t>(a, b); }
inline std::optional<std::int64_t> ulps(float a, float b) { return ulps<float, std::uint32_t>(a, b); }

/// Equality within a tolerance: the same bits, or a difference up to the tolerance times the scale. A
/// number that is not finite is equal only to the same value.
inline bool agree(double a, double b, double tolerance, double scale) {
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
  if (tolerance == 0.0) return false;
  if (std::isnan(a) && std::isnan(b)) return true;
  return a == b || std::abs(a - b) <= tolerance * scale;
}

/// "0.1 (0x1.999999999999ap-4)"
inline std::string exact(double x) { return fmt::format("{:.17g} ({:a})", x, x); }

}  // namespace scree
