// Sums without rounding: the same bits in any order, and by any parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/types.h"

namespace scree {

/// A sum of doubles as one fixed-point number that is wide enough for all of them (Kulisch, Miranker 1981),
/// so that adding is associative: what threads or processes have added up can be put together in any order.
/// One addition costs a few nanoseconds: parts of many numbers are summed up as usual, in a fixed order, and
/// the parts go here. Up to 2^63 additions.
class ExactSum {
 public:
  void add(double x) {
    if (x != 0.0) add_number(x);
  }
  ExactSum& operator+=(const ExactSum& o);
  /// To the nearest double, ties to even. Infinities and what is no number are as in any sum of them.
  double value() const;

 private:
  // 2046 exponents and 53 digits of the largest, 64 bits for carries, in limbs of 32
  static constexpr std::size_t limbs = 68;
  using Limbs = std::array<std::int64_t, limbs>;
  void add_number(double x);
  static void carry(Limbs& limb, std::size_t low, std::size_t high);

  Limbs limb_{};  // each times 2^(32 k - 1074); beyond 32 bits where carries have not been taken
  double not_finite_ = 0.0;
  std::uint32_t low_ = limbs, high_ = 0;  // [low_, high_) is all that may differ from zero
  std::uint32_t added_ = 0;               // since carries were taken
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

/// Exact sums of the numbers of a struct. T has `sums`, how many there are, `each_sum(f)`, which calls f for
/// every double, vector or matrix that is to be added up, and `join(o)` for what else is put together
/// (counts, maxima), which must not depend on order either.
template <class T>
class ExactSums {
 public:
  void add(T part) {
    std::size_t k = 0;
    part.each_sum([&](auto& of) { detail::each_component(of, [&](double& x) { sum_[k++].add(x); }); });
    whole_.join(part);
  }
  /// What is being added up, for whoever puts parts together, and what is joined.
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

/// A double as ExactSums wants it.
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

/// Adds up what f(Block) returns for the ranges [first[k], first[k + 1]), without rounding between them.
/// Not to be called from inside a block.
template <class T, class F>
void add_ranges(std::span<const std::int32_t> first, F&& f, ExactSums<T>& sum) {
  struct alignas(64) OfRange {
    T value;
  };
  // Kept from call to call; taken by reference here, for workers would each see one of their own.
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
/// Likewise of numbers.
template <class F>
double sum_numbers(std::span<const std::int32_t> first, F&& f) {
  return sum_ranges<ExactDouble>(first, [&](const Block& block) { return ExactDouble{f(block)}; }).value;
}

}  // namespace scree
