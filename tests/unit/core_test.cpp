#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/core/errors.h"
#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/core/random.h"
#include "engine/core/state_hash.h"

namespace scree {
namespace {

TEST(SortByKey, IsTheStableSort) {
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 100000u}) {
    Random random(n);
    std::vector<KeyedItem> items(n), scratch;
    for (std::size_t i = 0; i < n; ++i) {
      // Few distinct keys, spread over low and high digits: many ties and skipped passes.
      items[i] = {(random.bits() % 50) | ((random.bits() % 7) << 58), static_cast<std::int32_t>(i)};
    }
    std::vector<KeyedItem> expected = items;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const KeyedItem& a, const KeyedItem& b) { return a.key < b.key; });
    sort_by_key(items, scratch);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(items[i].key, expected[i].key);
      ASSERT_EQ(items[i].item, expected[i].item);
    }
  }
}

TEST(ExclusiveScan, SumsPrecedingElements) {
  std::vector<std::int32_t> counts{3, 0, 2, 5};
  EXPECT_EQ(exclusive_scan(counts), 10u);
  EXPECT_EQ(counts, (std::vector<std::int32_t>{0, 3, 3, 5}));
}

TEST(Parallel, VisitsEveryIndexOnceOnAnyThreadCount) {
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    std::vector<int> hits(10007, 0);
    for_each_index(hits.size(), 64, [&](std::size_t i) { ++hits[i]; });
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), 10007);
  }
}

TEST(Parallel, ReductionGivesTheSameBitsOnAnyThreadCount) {
  std::vector<double> values(50000);
  Random random(7);
  for (double& v : values) v = random.normal() * std::exp(10.0 * random.normal());
  std::vector<double> sums;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    sums.push_back(reduce_blocks(
        values.size(), 100, 0.0,
        [&](const Block& b) {
          return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(b.begin),
                                 values.begin() + static_cast<std::ptrdiff_t>(b.end), 0.0);
        },
        [](double a, double b) { return a + b; }));
  }
  for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
}

TEST(Parallel, BooleanReductionIncludesEveryBlock) {
  // One block in sixty-four returns true; a thousand times, on many threads.
  set_thread_count(4);
  const auto either = [](bool a, bool b) { return a || b; };
  for (std::size_t k = 0; k < 1000; ++k) {
    EXPECT_TRUE(reduce_blocks(
        64, 1, false, [&](const Block& b) { return b.index == k % 64; }, either));
  }
}

TEST(Random, StreamsAreReproducibleAndDiffer) {
  Random a(5, 1), b(5, 1), c(5, 2);
  const std::uint64_t first = a.bits();
  EXPECT_EQ(first, b.bits());
  EXPECT_NE(first, c.bits());
}

TEST(Random, RotationsAreUniform) {
  // Each entry of a uniform rotation matrix has mean 0 and mean square 1/3; 20,000 draws: five standard
  // errors.
  Random random(3);
  Mat3 mean = Mat3::Zero(), square = Mat3::Zero();
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) {
    const Mat3 r = random.rotation().toRotationMatrix();
    mean += r / n;
    square += r.cwiseAbs2() / n;
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5.0 * std::sqrt(1.0 / 3.0 / n));
  EXPECT_LT((square - Mat3::Constant(1.0 / 3.0)).cwiseAbs().maxCoeff(), 5.0 * 0.3 / std::sqrt(n));
}

TEST(StateHash, IsXxh64) {
  // Results of xxHash 0.8.1: without data, and over both its lanes and its tail.
  EXPECT_EQ(hash_text(hash_words(nullptr, 0, 0)), "ef46db3751d8e999");
  std::vector<std::uint64_t> words(11);
  std::iota(words.begin(), words.end(), 1);
  EXPECT_EQ(hash_text(hash_words(words.data(), 24, 0)), "8799e152e5c0cdfa");
  EXPECT_EQ(hash_text(hash_words(words.data(), 88, 7)), "d830d5e9079aad79");
}

TEST(Fault, TextHoldsEveryPart) {
  const Fault fault{{"a.toml", 3, 7}, "bodies[0].radius", "must be positive", "-1", "m", "> 0",
                    "did you mean 1?"};
  EXPECT_EQ(to_string(fault),
            "a.toml:3:7: bodies[0].radius: must be positive (value -1 m, allowed > 0); did you mean 1?");
}

}  // namespace
}  // namespace scree
