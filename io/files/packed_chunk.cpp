#include "io/files/packed_chunk.h"

#include <algorithm>
#include <array>
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

/// Do all values of a byte occur about equally often? Then no compression saves more than 1 or 2 %.
bool is_noise(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 256> count{};
  for (const std::byte b : bytes) ++count[std::to_integer<std::size_t>(b)];
  double squares = 0.0;
  for (const std::uint64_t c : count) squares += static_cast<double>(c) * static_cast<double>(c);
  const auto n = static_cast<double>(bytes.size());
  return 256.0 * squares < 1.15 * n * n + 256.0 * n;  // random bytes: n² + 255 n on average
}

/// Length of the first bytes of all numbers, then the second ones, ... until those that are no noise: of
/// numbers in single precision the lowest bytes come first, and are noise.
std::size_t noise_length(std::span<const std::byte> numbers, std::size_t element) {
  constexpr std::size_t fewest = 1024;  // numbers
  const std::size_t n = numbers.size() / element;
  std::size_t length = 0;
  if (n >= fewest)
    while (length + n <= numbers.size() && is_noise(numbers.subspan(length, n))) length += n;
  return length;
}

/// Appends blocks of deflate which hold these bytes as they are.
void append_stored(std::span<const std::byte> bytes, std::vector<std::byte>& to) {
  constexpr std::size_t most = 65535;  // bytes of a block
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), most);
    to.push_back(std::byte{0});  // stored, not the last one
    for (const std::size_t half : {n, ~n})
      for (const int shift : {0, 8}) to.push_back(static_cast<std::byte>(half >> shift & 0xffu));
    to.insert(to.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    bytes = bytes.subspan(n);
  }
}

}  // namespace

std::vector<std::byte> packed_chunk(std::span<const std::byte> chunk, std::size_t element) {
  const std::vector<std::byte> numbers = shuffled(chunk, element);
  const std::size_t noise = noise_length(numbers, element), rest = numbers.size() - noise;
  std::vector<std::byte> packed{std::byte{0x78}, std::byte{0x01}};  // zlib: a window of 32 KiB, fast
  append_stored(std::span(numbers).first(noise), packed);
  const std::size_t begin = packed.size();
  packed.resize(begin + libdeflate_deflate_compress_bound(compressor(), rest));
  packed.resize(begin + libdeflate_deflate_compress(compressor(), numbers.data() + noise, rest,
                                                    packed.data() + begin, packed.size() - begin));
  const std::uint32_t adler = libdeflate_adler32(1, numbers.data(), numbers.size());
  for (const int shift : {24, 16, 8, 0}) packed.push_back(static_cast<std::byte>(adler >> shift & 0xffu));
  const std::uint32_t sum = fletcher32(packed);
  for (const int shift : {0, 8, 16, 24}) packed.push_back(static_cast<std::byte>(sum >> shift & 0xffu));
  return packed;
}

}  // namespace scree::io::hdf5
