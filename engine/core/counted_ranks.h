// Ranks that count their messages.
#pragma once

#include <chrono>

#include "engine/core/ranks.h"
#include "engine/core/stopwatch.h"

namespace scree {

/// Messages of one rank, with the time in which it sent them and waited for those of others.
struct RankTraffic {
  std::int64_t swaps = 0, swap_bytes = 0;  // exchanges of ghosts' velocities, one per sweep; bytes sent
  double swap_s = 0.0;
  std::int64_t others = 0, other_bytes = 0;  // sums, and messages of detections, sorts and frames
  double others_s = 0.0;
};

/// Passes everything on to other ranks.
class CountedRanks final : public Ranks {
 public:
  explicit CountedRanks(Ranks& ranks) : ranks_(ranks) {}
  const RankTraffic& traffic() const { return traffic_; }
  /// Begins to count.
  void reset() {
    traffic_ = {};
    begin_ = Clock::now();
  }
  /// Time since then, s.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  int rank() const override { return ranks_.rank(); }
  int count() const override { return ranks_.count(); }
  std::optional<double> busy_s() const override { return seconds() - traffic_.swap_s - traffic_.others_s; }
  void sum(std::span<ExactSum> sums) override {
    const Other other(traffic_, sums.size_bytes());
    ranks_.sum(sums);
  }
  void total(std::span<std::int64_t> counts) override {
    const Other other(traffic_, counts.size_bytes());
    ranks_.total(counts);
  }
  void most(std::span<double> numbers) override {
    const Other other(traffic_, numbers.size_bytes());
    ranks_.most(numbers);
  }
  Bytes gather(std::span<const std::byte> own, std::vector<std::size_t>* first) override {
    const Other other(traffic_, own.size());
    return ranks_.gather(own, first);
  }
  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    std::size_t bytes = 0;
    for (const Bytes& message : to) bytes += message.size();
    const Other other(traffic_, bytes);
    return ranks_.exchange(std::move(to));
  }
  void swap(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    ++traffic_.swaps;
    for (const Outgoing& message : out)
      traffic_.swap_bytes += static_cast<std::int64_t>(message.bytes.size());
    const Stopwatch watch(traffic_.swap_s);
    ranks_.swap(out, in);
  }

 private:
  using Clock = std::chrono::steady_clock;

  class Other {
   public:
    Other(RankTraffic& traffic, std::size_t bytes) : watch_(traffic.others_s) {
      ++traffic.others;
      traffic.other_bytes += static_cast<std::int64_t>(bytes);
    }

   private:
    Stopwatch watch_;
  };

  Ranks& ranks_;
  RankTraffic traffic_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace scree
