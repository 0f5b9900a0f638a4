#include "engine/core/ordering.h"

#include <array>

#include "engine/core/parallel.h"

namespace scree {

namespace {

constexpr int digit_bits = 8;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t grain = 16384;  // items per block: a histogram has 256 counters

using Histogram = std::array<std::int32_t, digits>;

std::size_t digit(std::uint64_t key, int pass) { return (key >> (pass * digit_bits)) & (digits - 1); }

}  // namespace

void sort_by_key(std::vector<KeyedItem>& items, std::vector<KeyedItem>& scratch) {
  const std::size_t n = items.size();
  scratch.resize(n);
  if (n < 2) return;
  std::uint64_t used = 0;  // bits that differ between keys: passes over equal digits are skipped
  for (const KeyedItem& item : items) used |= item.key ^ items[0].key;

  std::vector<Histogram> offset(block_count(n, grain));
  for (int pass = 0; pass * digit_bits < 64; ++pass) {
    if (digit(used, pass) == 0) continue;
    for_blocks(n, grain, [&](const Block& block) {
      Histogram& count = offset[block.index];
      count.fill(0);
      for (std::size_t i = block.begin; i < block.end; ++i) ++count[digit(items[i].key, pass)];
    });
    std::int32_t sum = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      for (Histogram& count : offset) {
        const std::int32_t c = count[d];
        count[d] = sum;
        sum += c;
      }
    }
    for_blocks(n, grain, [&](const Block& block) {
      Histogram& next = offset[block.index];
      for (std::size_t i = block.begin; i < block.end; ++i) {
        scratch[next[digit(items[i].key, pass)]++] = items[i];
      }
    });
    items.swap(scratch);
  }
}

std::size_t exclusive_scan(std::vector<std::int32_t>& counts) {
  std::int32_t sum = 0;
  for (std::int32_t& count : counts) {
    const std::int32_t c = count;
    count = sum;
    sum += c;
  }
  return static_cast<std::size_t>(sum);
}

}  // namespace scree
