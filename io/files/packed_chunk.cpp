#include "io/files/packed_chunk.h"

#include <algorithm>
#include <cstdint>
#include <libdeflate.h>
#include <memory>
#include <new>

namespace scree::io::hdf5 {

namespace {

struct Free {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

libdeflate_compressor* compressor() {
  static thread_local const std::unique_ptr<libdeflate_compressor, Free> one(libdeflate_alloc_compressor(1));
  if (!one) throw std::bad_alloc();
  return one.get();
}

/// First the first byte of all numbers, then the second one of all, ...
std::vector<std::byte> shuffled(std::span<const std::byte> bytes, std::size_t element) {
  const std::size_t numbers = bytes.size() / element;
  std::vector<std::byte> result(bytes.size());
  for (std::size_t j = 0; j < element; ++j)
    for (std::size_t i = 0; i < numbers; ++i) result[j * numbers + i] = bytes[i * element + j];
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(numbers * element), bytes.end(),
            result.begin() + static_cast<std::ptrdiff_t>(numbers * element));
  return result;
}

/// Fletcher's checksum of 32 bits over words of 16 bits, high byte first, as HDF5 defines it; a last single
/// byte is the high one of a word.
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t words_at_once = 360;  // the sums stay below 2^32
  std::uint32_t sum = 0, sum_of_sums = 0;
  const auto fold = [](std::uint32_t s) { return (s & 0xffffu) + (s >> 16); };
  std::size_t k = 0;
  while (k + 1 < bytes.size()) {
    const std::size_t end = std::min(bytes.size() / 2 * 2, k + 2 * words_at_once);
    for (; k < end; k += 2) {
      sum += std::to_integer<std::uint32_t>(bytes[k]) << 8 | std::to_integer<std::uint32_t>(bytes[k + 1]);
      sum_of_sums += sum;
    }
    sum = fold(sum);
    sum_of_sums = fold(sum_of_sums);
  }
  if (k < bytes.size()) {
    sum = fold(sum + (std::to_integer<std::uint32_t>(bytes[k]) << 8));
    sum_of_sums = fold(sum_of_sums + sum);
  }
  return fold(sum_of_sums) << 16 | fold(sum);
}

}  // namespace

std::vector<std::byte> packed_chunk(std::span<const std::byte> chunk, std::size_t element) {
  const std::vector<std::byte> numbers = shuffled(chunk, element);
  std::vector<std::byte> packed(libdeflate_zlib_compress_bound(compressor(), numbers.size()));
  packed.resize(
      libdeflate_zlib_compress(compressor(), numbers.data(), numbers.size(), packed.data(), packed.size()));
  const std::uint32_t sum = fletcher32(packed);
  for (const int shift : {0, 8, 16, 24}) packed.push_back(static_cast<std::byte>(sum >> shift & 0xffu));
  return packed;
}

}  // namespace scree::io::hdf5
