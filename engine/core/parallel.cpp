#include "engine/core/parallel.h"

#include <atomic>
#include <optional>
#include <thread>

#ifndef SCREE_STD_THREADS
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace scree {

namespace {
int threads_in_use = 0;  // 0: not set yet; written by set_thread_count only, between loops
}

int thread_count() {
  if (threads_in_use == 0) set_thread_count(0);
  return threads_in_use;
}

void append_even_blocks(std::int32_t begin, std::int32_t end, std::vector<std::int32_t>& first) {
  const auto n = static_cast<std::size_t>(end - begin), blocks = block_count(n, grain_medium);
  for (std::size_t k = 0; k < blocks; ++k) first.push_back(begin + static_cast<std::int32_t>(k * n / blocks));
}

std::span<const std::int32_t> even_blocks(std::size_t n) {
  static thread_local std::vector<std::int32_t> kept;
  kept.clear();
  append_even_blocks(0, static_cast<std::int32_t>(n), kept);
  kept.push_back(static_cast<std::int32_t>(n));
  return kept;
}

#ifdef SCREE_STD_THREADS

void set_thread_count(int threads) {
  threads_in_use =
      threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

namespace detail {
void run_blocks(std::size_t blocks, Sharing, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t b = next++; b < blocks; b = next++) body(b);
  };
  std::vector<std::jthread> pool;
  for (int t = 1; t < thread_count(); ++t) pool.emplace_back(work);
  work();
}
}  // namespace detail

namespace {
class TaskGroup {
 public:
  template <class F>
  void run(F f) {
    pool_.emplace_back(std::move(f));
  }
  void wait() { pool_.clear(); }

 private:
  std::vector<std::jthread> pool_;
};
}  // namespace

#else

void set_thread_count(int threads) {
  // One limit at a time: a second global_control would only tighten the first.
  static std::unique_ptr<tbb::global_control> limit;
  threads_in_use =
      threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  limit.reset();
  if (threads_in_use == 1) return;  // no loop uses oneTBB; other users of it in the process are not limited
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(threads_in_use));
}

namespace detail {
void run_blocks(std::size_t blocks, Sharing sharing, const std::function<void(std::size_t)>& body) {
  if (sharing == Sharing::even) {
    tbb::parallel_for(std::size_t{0}, blocks, std::size_t{1}, body, tbb::static_partitioner{});
  } else {
    tbb::parallel_for(std::size_t{0}, blocks, std::size_t{1}, body);
  }
}
}  // namespace detail

namespace {
using TaskGroup = tbb::task_group;
}

#endif

// Each thread has a share of the chunks of a loop. It does these first, so that its data stay in its cache;
// then it helps the others. A share is one number (next chunk and end), and taking a chunk is one exchange.
// A thread that takes a chunk sees the loop's data, because these are set before the shares.
struct Team::Members {
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next_and_end{0};
  };
  explicit Members(int threads) : share(static_cast<std::size_t>(threads)) {}

  std::vector<Share> share;
  const std::function<void(std::size_t)>* loop = nullptr;
  alignas(64) std::atomic<std::size_t> done{0};
  alignas(64) std::atomic<bool> over{false};
  TaskGroup helpers;

  /// Takes a chunk of a share; none if it is empty.
  static std::optional<std::size_t> take(Share& from) {
    std::uint64_t now = from.next_and_end.load(std::memory_order_acquire);
    while ((now >> 32) < (now & 0xffffffffu)) {
      if (from.next_and_end.compare_exchange_weak(now, now + (std::uint64_t{1} << 32),
                                                  std::memory_order_acq_rel))
        return static_cast<std::size_t>(now >> 32);
    }
    return std::nullopt;
  }

  /// Does all available chunks, those of its own share first; true if there was any.
  bool work(std::size_t member) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < share.size(); ++k) {
      Share& from = share[(member + k) % share.size()];
      for (std::optional<std::size_t> chunk = take(from); chunk; chunk = take(from)) {
        (*loop)(*chunk);
        done.fetch_add(1, std::memory_order_acq_rel);
        ++count;
      }
    }
    return count > 0;
  }

  void help(std::size_t member) {
    Patience patience;
    while (!over.load(std::memory_order_acquire)) {
      if (work(member))
        patience = {};
      else
        patience.wait();
    }
  }

  /// Waits for others: first active, then with sleep.
  class Patience {
   public:
    void wait() {
      if (++turns_ < 2000) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      } else {
        std::this_thread::yield();
      }
    }

   private:
    int turns_ = 0;
  };
};

Team::Team(int threads) {
  if (threads <= 1) return;
  members_ = std::make_unique<Members>(threads);
  for (int k = 1; k < threads; ++k)
    members_->helpers.run([m = members_.get(), k] { m->help(static_cast<std::size_t>(k)); });
}

Team::~Team() {
  if (!members_) return;
  members_->over.store(true, std::memory_order_release);
  members_->helpers.wait();
}

void Team::run_chunks(std::size_t chunks, const std::function<void(std::size_t)>& f) {
  Members& m = *members_;
  m.loop = &f;
  m.done.store(0, std::memory_order_relaxed);
  const std::size_t shares = m.share.size();
  for (std::size_t k = shares; k > 0; --k) {  // its own share last: so the others begin at once
    const std::uint64_t begin = chunks * (k - 1) / shares, end = chunks * k / shares;
    m.share[k - 1].next_and_end.store(begin << 32 | end, std::memory_order_release);
  }
  m.work(0);
  Members::Patience patience;
  while (m.done.load(std::memory_order_acquire) < chunks) patience.wait();
}

}  // namespace scree
