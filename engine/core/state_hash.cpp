#include "engine/core/state_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace scree {

std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace scree
