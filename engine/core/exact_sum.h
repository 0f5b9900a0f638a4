// Sums without rounding: the same bits in any order, and for any division into parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/types.h"

namespace scree {

/// A sum of doubles as one fixed-point number that is wide enough for all of them (Kulisch, Miranker 1981).
/// Addition is associative, so partial sums of threads or processes can be combined in any order. One
/// addition costs a few nanoseconds. So many numbers are first summed as usual, in a fixed order, and only
/// these partial sums are added here. Up to 2^63 additions.
class ExactSum {
 public:
  void add(double x) {
    if (x != 0.0) add_number(x);
  }
  ExactSum& operator+=(const ExactSum& o);
  /// Rounded to nearest, ties to even. Infinity and NaN are as in a usual sum.
  double value() const;

 private:
  // 2046 exponents and 53 digits of the largest, 64 bits for carries, in limbs of 32
  static constexpr std::size_t limbs = 68;
  using Limbs = std::array<std::int64_t, limbs>;
  void add_number(double x);
  static void carry(Limbs& limb, std::size_t low, std::size_t high);

  Limbs limb_{};  // each times 2^(32 k - 1074); above 32 bits until carries are propagated
  double not_finite_ = 0.0;
  std::uint32_t low_ = limbs, high_ = 0;  // only limbs in [low_, high_) may differ from zero
  std::uint32_t added_ = 0;               // since carries were propagated
};

namespace detail {
template <class F>
void each_component(double& x, F&& f) {
  f(x);
}
template <class Derived, class F>
void each_component(Eigen::MatrixBase<Derived>& m, F&& f) {
  for (Eigen::Index k = 0; k < m.size(); ++k) f(m.derived().data()[k]);
}
}  // namespace detail

/// Exact sums of the numbers of a struct. T has `sums`, their number; `each_sum(f)`, which calls f for each
/// double, vector or matrix that is added up; and `join(o)` for everything else (counts, maxima), which must
/// not depend on order either.
template <class T>
class ExactSums {
 public:
  void add(T part) {
    std::size_t k = 0;
    part.each_sum([&](auto& of) { detail::each_component(of, [&](double& x) { sum_[k++].add(x); }); });
    whole_.join(part);
  }
  /// The sums, and the struct with all joined values, for callers that combine parts.
  std::span<ExactSum> parts() { return sum_; }
  T& joined() { return whole_; }
  T value() const {
    T whole = whole_;
    std::size_t k = 0;
    whole.each_sum([&](auto& of) { detail::each_component(of, [&](double& x) { x = sum_[k++].value(); }); });
    return whole;
  }

 private:
  T whole_{};
  std::array<ExactSum, T::sums> sum_{};
};

/// A double in the form that ExactSums needs.
struct ExactDouble {
  static constexpr std::size_t sums = 1;
  double value = 0.0;
  template <class F>
  void each_sum(F&& f) {
    f(value);
  }
  void join(const ExactDouble&) {}
  template <class Ranks>
  void over_ranks(Ranks&) {}
};

/// Adds up the values that f(Block) returns for the ranges [first[k], first[k + 1]), without rounding between
/// them. Must not be called from inside a block.
template <class T, class F>
void add_ranges(std::span<const std::int32_t> first, F&& f, ExactSums<T>& sum) {
  struct alignas(64) OfRange {
    T value;
  };
  // Kept from call to call. Taken by reference here, else each worker would see its own.
  static thread_local std::vector<OfRange> kept;
  std::vector<OfRange>& part = kept;
  const std::size_t ranges = first.empty() ? 0 : first.size() - 1;
  part.assign(ranges, OfRange{T{}});
  for_ranges(first, [&](const Block& block) { part[block.index].value = f(block); });
  for (const OfRange& p : part) sum.add(p.value);
}
template <class T, class F>
T sum_ranges(std::span<const std::int32_t> first, F&& f) {
  ExactSums<T> sum;
  add_ranges(first, f, sum);
  return sum.value();
}
/// The same for numbers.
template <class F>
double sum_numbers(std::span<const std::int32_t> first, F&& f) {
  return sum_ranges<ExactDouble>(first, [&](const Block& block) { return ExactDouble{f(block)}; }).value;
}

}  // namespace scree
