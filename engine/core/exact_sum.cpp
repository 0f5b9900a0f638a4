#include "engine/core/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace scree {

namespace {

constexpr int limb_bits = 32, mantissa_bits = 52, least_exponent = -1074;
constexpr std::int64_t limb_mask = (std::int64_t{1} << limb_bits) - 1;
// One addition adds less than 2^32 to a limb, which holds 2^63.
constexpr std::uint32_t most_added = 1u << 30;

}  // namespace

void ExactSum::carry(Limbs& limb, std::size_t low, std::size_t high) {
  for (std::size_t k = low; k + 1 < high; ++k) {
    limb[k + 1] += limb[k] >> limb_bits;
    limb[k] &= limb_mask;
  }
}

void ExactSum::add_number(double x) {
  if (!std::isfinite(x)) {
    not_finite_ += x;
    return;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::uint32_t>(bits >> mantissa_bits & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  if (exponent > 0) mantissa |= std::uint64_t{1} << mantissa_bits;
  const std::uint32_t place = exponent > 0 ? exponent - 1 : 0, k = place / limb_bits,
                      shift = place % limb_bits;
  const std::uint64_t low = mantissa << shift, high = shift > 0 ? mantissa >> (64 - shift) : 0;
  const std::int64_t part[] = {static_cast<std::int64_t>(low & limb_mask),
                               static_cast<std::int64_t>(low >> limb_bits), static_cast<std::int64_t>(high)};
  const std::int64_t sign = x < 0.0 ? -1 : 1;
  for (std::uint32_t i = 0; i < 3; ++i) limb_[k + i] += sign * part[i];
  low_ = std::min(low_, k);
  high_ = std::max(high_, k + 3);
  if (++added_ < most_added) return;
  high_ = limbs;
  carry(limb_, low_, high_);
  added_ = 0;
}

ExactSum& ExactSum::operator+=(const ExactSum& o) {
  not_finite_ += o.not_finite_;
  if (o.low_ >= o.high_) return *this;
  Limbs other = o.limb_;
  carry(other, o.low_, limbs);
  for (std::size_t k = o.low_; k < limbs; ++k) limb_[k] += other[k];
  low_ = std::min(low_, o.low_);
  high_ = limbs;
  if (++added_ < most_added) return *this;
  carry(limb_, low_, high_);
  added_ = 0;
  return *this;
}

double ExactSum::value() const {
  if (not_finite_ != 0.0) return not_finite_;  // also for NaN
  if (low_ >= high_) return 0.0;
  Limbs limb = limb_;
  const std::size_t end = std::min<std::size_t>(limbs, high_ + std::size_t{3});
  carry(limb, low_, end);
  const bool negative = limb[end - 1] < 0;
  if (negative) {
    for (std::size_t k = low_; k < end; ++k) limb[k] = -limb[k];
    carry(limb, low_, end);
  }
  std::size_t top = end;
  while (top > low_ && limb[top - 1] == 0) --top;
  if (top == low_) return 0.0;
  // Its 64 leading digits, with the last one set if any later digit is: enough for one rounding.
  const auto width_of = [](std::uint64_t x) { return static_cast<int>(std::bit_width(x)); };
  std::uint64_t leading = 0;
  int digits = 0;
  bool more = false;
  for (std::size_t k = top; k-- > low_;) {
    const auto next = static_cast<std::uint64_t>(limb[k]);
    const int width = k + 1 == top ? width_of(next) : limb_bits, taken = std::min(width, 64 - digits);
    if (taken > 0) leading = leading << taken | next >> (width - taken);
    more = more || (next & ((std::uint64_t{1} << (width - taken)) - 1)) != 0;
    digits += taken;
  }
  const int all = limb_bits * static_cast<int>(top - 1) + width_of(static_cast<std::uint64_t>(limb[top - 1])),
            last =
                std::max(limb_bits * static_cast<int>(low_), all - 64);  // the place of the last digit used
  if (more) leading |= 1;
  const double size = std::ldexp(static_cast<double>(leading), last + least_exponent);
  return negative ? -size : size;
}

}  // namespace scree
