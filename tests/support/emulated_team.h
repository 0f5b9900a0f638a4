// Ranks in one process: threads, with messages in shared memory.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/core/ranks.h"

namespace scree::test {

/// A barrier for all ranks, with sleep: there are more ranks than processors.
class Meeting {
 public:
  explicit Meeting(std::size_t ranks) : ranks_(ranks) {}
  void wait() {
    std::unique_lock lock(mutex_);
    const std::size_t round = round_;
    if (++here_ == ranks_) {
      here_ = 0;
      ++round_;
      all_.notify_all();
    } else {
      all_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  std::size_t ranks_, here_ = 0, round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
};

class EmulatedTeam {
 public:
  explicit EmulatedTeam(std::size_t ranks) : together_(ranks), members_(ranks), told_(ranks) {
    for (std::size_t r = 0; r < ranks; ++r) {
      members_[r].team = this;
      members_[r].number = static_cast<int>(r);
    }
  }
  std::size_t size() const { return members_.size(); }
  Ranks& rank(std::size_t r) { return members_[r]; }
  Meeting& together() { return together_; }
  /// Each time a rank is asked for how long it has been busy, its answer grows by this.
  void set_busy(std::size_t r, double seconds) { members_[r].busy_each_time = seconds; }

  /// Calls f(rank) on all ranks in parallel.
  void run(const std::function<void(std::size_t)>& f) const {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < members_.size(); ++r) threads.emplace_back([&f, r] { f(r); });
  }

 private:
  struct Member : Ranks {
    EmulatedTeam* team = nullptr;
    int number = 0;

    int rank() const override { return number; }
    int count() const override { return static_cast<int>(team->size()); }
    double busy_each_time = 0.0;  // 0: it is not measured
    mutable double busy = 0.0;
    std::optional<double> busy_s() const override {
      if (busy_each_time == 0.0) return {};
      return busy += busy_each_time;
    }
    void sum(std::span<ExactSum> sums) override {
      reduce(sums, [](ExactSum& a, const ExactSum& b) { a += b; });
    }
    void total(std::span<std::int64_t> counts) override {
      reduce(counts, [](std::int64_t& a, std::int64_t b) {  // sums of hashes overflow
        a = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      });
    }
    void most(std::span<double> numbers) override {
      reduce(numbers, [](double& a, double b) { a = std::max(a, b); });
    }
    Bytes gather(std::span<const std::byte> own, std::vector<std::size_t>* first) override {
      Bytes all;
      if (first != nullptr) first->assign(1, 0);
      tell({Bytes(own.begin(), own.end())}, [&](std::size_t, const std::vector<Bytes>& of) {
        all.insert(all.end(), of[0].begin(), of[0].end());
        if (first != nullptr) first->push_back(all.size());
      });
      return all;
    }
    std::vector<Bytes> exchange(std::vector<Bytes> to) override {
      std::vector<Bytes> from;
      tell(std::move(to), [&](std::size_t, const std::vector<Bytes>& of) { from.push_back(of[number]); });
      return from;
    }
    void swap(std::span<const Outgoing> out, std::span<const Incoming> in) override {
      std::vector<Bytes> to(team->size());
      for (const Outgoing& o : out) to[o.rank].assign(o.bytes.begin(), o.bytes.end());
      tell(std::move(to), [&](std::size_t r, const std::vector<Bytes>& of) {
        for (const Incoming& i : in) {
          if (i.rank != static_cast<int>(r)) continue;
          if (of[number].size() != i.bytes.size()) throw std::logic_error("a message of another size");
          std::ranges::copy(of[number], i.bytes.begin());
        }
      });
    }

    /// Calls f(rank, its message) for all ranks, when all have sent one.
    template <class F>
    void tell(std::vector<Bytes> what, F&& f) {
      team->told_[number] = std::move(what);
      team->together_.wait();
      for (std::size_t r = 0; r < team->size(); ++r) f(r, team->told_[r]);
      team->together_.wait();
    }
    /// From the last rank to the first: no result may depend on the order.
    template <class T, class Merge>
    void reduce(std::span<T> own, Merge&& merge) {
      Bytes bytes(own.size() * sizeof(T));
      std::memcpy(bytes.data(), static_cast<const void*>(own.data()), bytes.size());
      std::vector<T> all(own.size());
      bool is_first = true;
      std::vector<std::vector<T>> parts;
      tell({bytes}, [&](std::size_t, const std::vector<Bytes>& of) {
        if (of.size() != 1 || of[0].size() != bytes.size()) std::abort();  // another call there
        parts.emplace_back(own.size());
        std::memcpy(static_cast<void*>(parts.back().data()), of[0].data(), of[0].size());
      });
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        for (std::size_t k = 0; k < own.size(); ++k)
          if (is_first)
            all[k] = (*part)[k];
          else
            merge(all[k], (*part)[k]);
        is_first = false;
      }
      std::ranges::copy(all, own.begin());
    }
  };

  Meeting together_;
  std::vector<Member> members_;
  std::vector<std::vector<Bytes>> told_;  // [rank]
};

}  // namespace scree::test
