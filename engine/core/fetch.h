// Prefetch: brings numbers into a cache before they are read. It changes run time, never a result.
#pragma once

#include <cstddef>

namespace scree {

/// Approximate size of a core's own caches: prefetching for loops that touch less costs more than it saves.
inline constexpr std::size_t own_cache_bytes = 1 << 20;

/// Prefetches the memory that is read or written next into the cache of this level. A batch of contacts fills
/// all line fill buffers of the first level; one contact does not.
/// (Inline: a call in an inner loop costs more than it saves.)
template <int level = 2>
__attribute__((always_inline)) inline void fetch(const void* from, std::size_t bytes) {
  static_assert(level == 1 || level == 2);
  for (std::size_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(static_cast<const char*>(from) + line, 0, 4 - level);
}

}  // namespace scree
