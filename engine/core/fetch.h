// What has machines bring numbers near before they are read. It changes time, never a result.
#pragma once

#include <cstddef>

namespace scree {

/// What caches of a core's own hold, about: where loops touch less, to fetch costs more than it brings.
inline constexpr std::size_t own_cache_bytes = 1 << 20;

/// Has what will be read or written soon come into the cache of this level. A batch of contacts takes all the
/// buffers that the first has for what is on its way; a contact alone does not.
/// (A call in an inner loop costs more than it brings.)
template <int level = 2>
__attribute__((always_inline)) inline void fetch(const void* from, std::size_t bytes) {
  static_assert(level == 1 || level == 2);
  for (std::size_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(static_cast<const char*>(from) + line, 0, 4 - level);
}

}  // namespace scree
