// A 64-bit fingerprint of numbers, bit for bit: two runs agree exactly when their hashes do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace scree {

/// Chains `bytes` of data, whole 8-byte words, into `seed`: XXH64 (Collet, xxHash specification 0.1.1).
std::uint64_t hash_words(const void* data, std::size_t bytes, std::uint64_t seed);

/// 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);

}  // namespace scree
