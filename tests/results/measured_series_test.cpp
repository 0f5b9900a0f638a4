// Errors of means of series.
#include "io/results/measured_series.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "engine/core/random.h"
#include "engine/measurements/measurement.h"
#include "io/results/series_statistics.h"
#include "io/scene/keys.h"

namespace scree::io {
namespace {

/// x_k = memory x_(k-1) + a random number with deviation 1.
std::vector<double> series_with_memory(double memory, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x;
  double last = 0.0;
  for (std::size_t k = 0; k < count + 1000; ++k) {
    double noise = -6.0;
    for (int j = 0; j < 12; ++j) noise += random.uniform(0.0, 1.0);  // variance 1
    last = memory * last + noise;
    if (k >= 1000) x.push_back(last);
  }
  return x;
}

double error_of(const std::vector<double>& x) { return series_statistics(x).error; }

// The error of the mean of such a series is 1 / ((1 - memory) sqrt(n)). The mean of 60 estimates is within 5
// % if a series has hundreds of times its memory, and within 15 % for about ten times. The scatter of the
// means themselves, which 60 of them determine to 9 %, is within 30 %.
TEST(SeriesStatistics, ErrorOfASeriesWithMemoryIsItsClosedForm) {
  constexpr double trials = 60.0;
  for (const std::size_t count : {256u, 4096u}) {
    for (const double memory : {-0.5, 0.0, 0.5, 0.9}) {
      const double expected = 1.0 / ((1.0 - memory) * std::sqrt(static_cast<double>(count)));
      double errors = 0.0, squares = 0.0;
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const std::vector<double> x = series_with_memory(memory, count, seed);
        errors += error_of(x) / trials;
        squares += std::pow(series_statistics(x).mean, 2) / trials;
      }
      EXPECT_NEAR(errors / expected, 1.0, count > 1000 ? 0.05 : 0.15) << memory << " " << count;
      EXPECT_NEAR(std::sqrt(squares) / expected, 1.0, 0.3) << memory << " " << count;
    }
  }
}

// Means of ten successive random numbers are not autoregressive: their error is 10 % too large.
TEST(SeriesStatistics, ErrorOfAMovingMean) {
  constexpr std::size_t count = 4096;
  double errors = 0.0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<double> noise = series_with_memory(0.0, count + 9, seed);
    std::vector<double> x(count, 0.0);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t j = 0; j < 10; ++j) x[k] += noise[k + j] / 10.0;
    errors += error_of(x) / 40.0;
  }
  EXPECT_NEAR(errors * std::sqrt(static_cast<double>(count)), 1.1, 0.1);
}

TEST(SeriesStatistics, OfFewValues) {
  const double none = std::nan("");
  EXPECT_TRUE(std::isnan(series_statistics({}).mean));
  const double one[] = {none, 3.0};
  EXPECT_EQ(series_statistics(one).mean, 3.0);
  EXPECT_EQ(series_statistics(one).count, 1u);
  EXPECT_TRUE(std::isnan(series_statistics(one).error));
  const double some[] = {1.0, none, 4.0, 2.0, 3.0};
  const SeriesStatistics s = series_statistics(some);
  EXPECT_EQ(s.mean, 2.5);
  EXPECT_EQ(s.median, 2.5);
  EXPECT_EQ(s.least, 1.0);
  EXPECT_EQ(s.largest, 4.0);
  EXPECT_EQ(s.last, 3.0);
  EXPECT_NEAR(s.deviation, std::sqrt(5.0 / 3.0), 1e-15);
  EXPECT_NEAR(s.error, s.deviation / 2.0, 1e-15);
  const std::vector<double> still(100, 7.0);
  EXPECT_EQ(series_statistics(still).error, 0.0);
}

// A load that grows steadily has no mean; noise about a mean has one, in all but a few of 200 series.
TEST(SeriesStatistics, DriftsAreToldFromNoise) {
  for (const std::size_t count : {50u, 200u, 1000u})
    for (const double memory : {0.0, 0.5}) {
      int told = 0, false_alarms = 0;
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::vector<double> x = series_with_memory(memory, count, seed);
        false_alarms += series_statistics(x).is_steady() ? 0 : 1;
        for (std::size_t k = 0; k < count; ++k)
          x[k] += 30.0 * static_cast<double>(k) / static_cast<double>(count);
        told += series_statistics(x).is_steady() ? 0 : 1;
      }
      EXPECT_GE(told, 195) << memory << " " << count;
      EXPECT_LE(false_alarms, 6) << memory << " " << count;
    }
  std::vector<double> ramp;
  for (int k = 0; k < 100; ++k) ramp.push_back(k);
  EXPECT_FALSE(series_statistics(ramp).is_steady());
}

TEST(SeriesStatistics, PercentilesLieBetweenOrderStatistics) {
  std::vector<double> x;
  for (int k = 0; k <= 100; ++k) x.push_back((37 * k) % 101);  // 0 to 100 in another order
  SeriesStatistics s = series_statistics(x);
  EXPECT_EQ(s.p01, 1.0);
  EXPECT_EQ(s.median, 50.0);
  EXPECT_EQ(s.p99, 99.0);
  const double two[] = {4.0, 2.0};
  s = series_statistics(two);
  EXPECT_NEAR(s.p01, 2.02, 1e-15);
  EXPECT_EQ(s.median, 3.0);
  EXPECT_NEAR(s.p99, 3.98, 1e-15);
}

// A line shows the columns that a measure names, if they have values; otherwise the first three.
TEST(MeasuredLines, ShowHeadlines) {
  MeasuredSeries stays;
  stays.name = "stay";
  stays.columns = {{"inside", "1"}, {"entered", "1"}, {"left", "1"}, {"mean_s", "s"}};
  stays.headlines = {"mean_s", "median_s", "left"};
  stays.values.resize(4);
  MeasuredSeries plain = stays;
  plain.name = "plain";
  plain.headlines.clear();
  for (MeasuredSeries* series : {&stays, &plain}) series->add(1.0, {7.0, 9.0, 2.0, 0.25});
  const std::string text = measurements_lines({stays, plain});
  EXPECT_NE(text.find("  stay             left 2, mean_s 0.25\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  plain            inside 7, entered 9, left 2\n"), std::string::npos) << text;
}

// The words of scenes equal those of the engine, in the same order.
TEST(MeasureWords, AreThoseOfTheKey) {
  const std::vector<std::string> words = split_words(find_key("measurements", "measure")->words);
  ASSERT_EQ(words.size(), measure_words.size());
  for (std::size_t k = 0; k < words.size(); ++k) EXPECT_EQ(words[k], measure_words[k]);
}

}  // namespace
}  // namespace scree::io
