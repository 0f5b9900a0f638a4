#include "engine/core/parallel.h"

#include <memory>
#include <thread>

#ifdef SCREE_STD_THREADS
#include <atomic>
#else
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#endif

namespace scree {

namespace {
int threads_in_use = 0;  // 0: not set yet; written by set_thread_count only, between loops
}

int thread_count() {
  if (threads_in_use == 0) set_thread_count(0);
  return threads_in_use;
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

#else

void set_thread_count(int threads) {
  // One limit at a time: a second global_control would only tighten the first.
  static std::unique_ptr<tbb::global_control> limit;
  threads_in_use =
      threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  limit.reset();
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

#endif

}  // namespace scree
