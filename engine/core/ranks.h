// Ranks: processes that share one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/bytes.h"
#include "engine/core/exact_sum.h"

namespace scree {

using Bytes = std::vector<std::byte>;

/// The processes of a run (ranks), as seen by one of them. All ranks call the same members in the same order.
/// Each call returns when the other ranks have made it too, as far as it needs them.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  // this one's number, from 0
  virtual int count() const = 0;
  /// Time that this rank has not spent in messages or waiting for others, since some moment, s; none if it is
  /// not measured.
  virtual std::optional<double> busy_s() const { return {}; }

  // Over all ranks; each rank gets the same bits.
  virtual void sum(std::span<ExactSum> sums) = 0;
  virtual void total(std::span<std::int64_t> counts) = 0;
  virtual void most(std::span<double> numbers) = 0;
  /// The bytes of all ranks, in the order of ranks; [rank + 1] where the bytes of each rank begin.
  virtual Bytes gather(std::span<const std::byte> own, std::vector<std::size_t>* first = nullptr) = 0;
  /// Sends `to` [rank] to each rank; returns [rank] the bytes from each rank.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> to) = 0;

  /// A message whose size both sides know, at most one from each rank to each other.
  struct Outgoing {
    int rank;
    std::span<const std::byte> bytes;
  };
  struct Incoming {
    int rank;
    std::span<std::byte> bytes;
  };
  virtual void swap(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
};

// Null: there is only one process.

inline double most(Ranks* ranks, double number) {
  if (ranks != nullptr) ranks->most({&number, 1});
  return number;
}
inline double least(Ranks* ranks, double number) { return -most(ranks, -number); }
inline std::int64_t total(Ranks* ranks, std::int64_t count) {
  if (ranks != nullptr) ranks->total({&count, 1});
  return count;
}
inline bool any(Ranks* ranks, bool is) { return ranks == nullptr ? is : total(ranks, is ? 1 : 0) > 0; }

/// The values of all ranks, in the order of ranks; a T is copied byte by byte.
template <class T>
std::vector<T> of_all(Ranks* ranks, const std::vector<T>& own) {
  if (ranks == nullptr) return own;
  std::vector<T> all;
  append_all(ranks->gather(std::as_bytes(std::span(own))), all);
  return all;
}

/// Combines a sum by parts over all ranks; T::over_ranks(ranks) does for ranks what T::join() does for parts.
template <class T>
void sum_over(Ranks* ranks, ExactSums<T>& sum) {
  if (ranks == nullptr) return;
  ranks->sum(sum.parts());
  sum.joined().over_ranks(*ranks);
}
template <class T, class F>
T sum_ranges(std::span<const std::int32_t> first, Ranks* ranks, F&& f) {
  ExactSums<T> sum;
  add_ranges(first, f, sum);
  sum_over(ranks, sum);
  return sum.value();
}
template <class F>
double sum_numbers(std::span<const std::int32_t> first, Ranks* ranks, F&& f) {
  return sum_ranges<ExactDouble>(first, ranks, [&](const Block& block) { return ExactDouble{f(block)}; })
      .value;
}

}  // namespace scree
