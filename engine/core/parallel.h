// The parallel loops of the engine. parallel.cpp is the only file that includes oneTBB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace scree {

/// A half-open range of items for one block, and the block's number.
struct Block {
  std::size_t index = 0, begin = 0, end = 0;
};

/// Sets the number of threads that parallel loops may use; 0: all of the machine's. Must be called from one
/// thread.
void set_thread_count(int threads);
int thread_count();

/// The thread that takes a block: any free thread, or, for loops that run again and again over the same data,
/// the same thread for the same share each time, so that the data stay in its cache.
enum class Sharing { by_demand, even };

namespace detail {
void run_blocks(std::size_t blocks, Sharing sharing, const std::function<void(std::size_t)>& body);
}

inline std::size_t block_count(std::size_t n, std::size_t grain) { return (n + grain - 1) / grain; }

/// Calls f(Block) for consecutive blocks of `grain` items that cover [0, n). The cut depends on n and grain
/// alone, never on the number of threads; a block must write to its own range only. That makes every result
/// the same bits on every thread count, if the results of blocks are merged in block order.
template <class F>
void for_blocks(std::size_t n, std::size_t grain, F&& f, Sharing sharing = Sharing::by_demand) {
  const std::size_t blocks = block_count(n, grain);
  const auto body = [&](std::size_t b) { f(Block{b, b * grain, std::min(n, (b + 1) * grain)}); };
  if (blocks <= 1 || thread_count() == 1) {
    for (std::size_t b = 0; b < blocks; ++b) body(b);
    return;
  }
  detail::run_blocks(blocks, sharing, std::cref(body));
}

/// Calls f(Block) for the given ranges [first[k], first[k + 1]); otherwise as for_blocks().
template <class F>
void for_ranges(std::span<const std::int32_t> first, F&& f) {
  for_blocks(first.empty() ? 0 : first.size() - 1, 1, [&](const Block& one) {
    f(Block{one.index, static_cast<std::size_t>(first[one.index]),
            static_cast<std::size_t>(first[one.index + 1])});
  });
}

/// Appends the beginnings of blocks of [begin, end): at most grain_medium items each, as even as possible.
void append_even_blocks(std::int32_t begin, std::int32_t end, std::vector<std::int32_t>& first);
/// The beginnings for [0, n), and n, for for_ranges(); valid until the next call by this thread.
std::span<const std::int32_t> even_blocks(std::size_t n);

/// Calls f(i) for every i in [0, n).
template <class F>
void for_each_index(std::size_t n, std::size_t grain, F&& f, Sharing sharing = Sharing::by_demand) {
  for_blocks(
      n, grain,
      [&](const Block& block) {
        for (std::size_t i = block.begin; i < block.end; ++i) f(i);
      },
      sharing);
}

/// Reduces f(Block) -> T over the blocks, merged in block order (so the result does not depend on threads).
/// Must not be called from inside a block.
template <class T, class F, class Merge>
T reduce_blocks(std::size_t n, std::size_t grain, T start, F&& f, Merge&& merge) {
  const std::size_t blocks = block_count(n, grain);
  if (blocks <= 1) {
    if (blocks == 1) start = merge(start, f(Block{0, 0, n}));
    return start;
  }
  struct alignas(64) OfBlock {  // a cache line each; not vector<bool>, whose bits share a word
    T value;
  };
  // Kept from call to call. Taken by reference here, else each worker would see its own.
  static thread_local std::vector<OfBlock> kept;
  std::vector<OfBlock>& part = kept;
  part.assign(blocks, OfBlock{start});
  for_blocks(n, grain, [&](const Block& block) { part[block.index].value = f(block); });
  for (const OfBlock& p : part) start = merge(start, p.value);
  return start;
}

/// Threads that stay together for many short loops in a row. They wait for the next loop without sleep, so
/// that a loop costs less than a microsecond to begin and end, where for_blocks costs several. If no thread
/// is free, the caller does all the work alone, with the same bits.
class Team {
 public:
  /// With at most this number of threads, including the caller.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls f(chunk) for every chunk in [0, chunks); returns when all are done.
  template <class F>
  void run(std::size_t chunks, F&& f) {
    if (chunks <= 1 || !members_) {
      for (std::size_t k = 0; k < chunks; ++k) f(k);
      return;
    }
    run_chunks(chunks, std::cref(f));
  }

 private:
  struct Members;
  void run_chunks(std::size_t chunks, const std::function<void(std::size_t)>& f);
  std::unique_ptr<Members> members_;
};

/// Items per block, for loops whose body costs tens, hundreds or thousands of nanoseconds.
inline constexpr std::size_t grain_light = 2048, grain_medium = 512, grain_heavy = 64;

}  // namespace scree
