// The one parallel form of the engine. parallel.cpp is the only file that includes oneTBB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace scree {

/// A half-open range of items that one block works on, and the block's number.
struct Block {
  std::size_t index = 0, begin = 0, end = 0;
};

/// The number of threads that parallel loops may use; 0 asks for all of the machine's. Call it from one
/// thread.
void set_thread_count(int threads);
int thread_count();

/// Which thread takes which block: whoever is free, or, for loops that come back again and again to the same
/// data, the same share for the same thread every time, so that the data stay in its cache.
enum class Sharing { by_demand, even };

namespace detail {
void run_blocks(std::size_t blocks, Sharing sharing, const std::function<void(std::size_t)>& body);
}

inline std::size_t block_count(std::size_t n, std::size_t grain) { return (n + grain - 1) / grain; }

/// Calls f(Block) for consecutive blocks of `grain` items that cover [0, n). The cut depends on n and grain
/// alone, never on the number of threads; a block must write to its own range only. That makes every result
/// the same bits on every thread count, as long as what blocks return is merged in block order.
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

/// Calls f(Block) for the ranges [first[k], first[k + 1]), which are cut by others; else as for_blocks().
template <class F>
void for_ranges(std::span<const std::int32_t> first, F&& f) {
  for_blocks(first.empty() ? 0 : first.size() - 1, 1, [&](const Block& one) {
    f(Block{one.index, static_cast<std::size_t>(first[one.index]),
            static_cast<std::size_t>(first[one.index + 1])});
  });
}

/// Appends where blocks of [begin, end) begin: of at most grain_medium items, as even as may be.
void append_even_blocks(std::int32_t begin, std::int32_t end, std::vector<std::int32_t>& first);
/// Those of [0, n), and its end, for for_ranges(); valid until the next call by this thread.
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
/// Not to be called from inside a block.
template <class T, class F, class Merge>
T reduce_blocks(std::size_t n, std::size_t grain, T start, F&& f, Merge&& merge) {
  const std::size_t blocks = block_count(n, grain);
  if (blocks <= 1) {
    if (blocks == 1) start = merge(start, f(Block{0, 0, n}));
    return start;
  }
  struct alignas(64) OfBlock {  // a cache line each; and not vector<bool>, whose bits share a word
    T value;
  };
  // Kept from call to call; taken by reference here, for workers would each see one of their own.
  static thread_local std::vector<OfBlock> kept;
  std::vector<OfBlock>& part = kept;
  part.assign(blocks, OfBlock{start});
  for_blocks(n, grain, [&](const Block& block) { part[block.index].value = f(block); });
  for (const OfBlock& p : part) start = merge(start, p.value);
  return start;
}

/// Threads that stay together for many short loops, one after the other: they wait for the next loop awake,
/// so that one costs less than a microsecond to begin and end, where for_blocks costs several. Whoever has no
/// thread to spare does all the work alone, with the same bits.
class Team {
 public:
  /// With at most so many threads, the caller among them.
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

/// Items a block, for loops whose body costs tens, hundreds or thousands of nanoseconds.
inline constexpr std::size_t grain_light = 2048, grain_medium = 512, grain_heavy = 64;

}  // namespace scree
