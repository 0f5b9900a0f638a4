// Sums without rounding: against integers of any size, in any order, and by parts.
#include "engine/core/exact_sum.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace scree {
namespace {

using boost::multiprecision::cpp_int;

/// x as a whole number of 2^-1074.
cpp_int whole(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const auto digits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  const int shift = exponent - 53 + 1074;
  cpp_int n = digits;
  return shift >= 0 ? cpp_int(n << shift) : cpp_int(n >> -shift);  // subnormal numbers: these bits are zero
}

/// The double nearest to n 2^-1074, ties to even.
double nearest(const cpp_int& n) {
  if (n == 0) return 0.0;
  const cpp_int size = n < 0 ? cpp_int(-n) : n;
  const auto bits = static_cast<int>(msb(size)) + 1;
  const int cut = std::max(0, bits - 53);
  cpp_int kept = size >> cut;
  const cpp_int rest = size - (kept << cut), half = cut > 0 ? cpp_int(cpp_int(1) << (cut - 1)) : cpp_int(0);
  if (cut > 0 && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
  const double x = std::ldexp(static_cast<double>(kept.convert_to<std::uint64_t>()), cut - 1074);
  return n < 0 ? -x : x;
}

double sum_of(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double x : numbers) sum.add(x);
  return sum.value();
}

std::vector<double> numbers(unsigned seed, int count, int exponents) {
  std::mt19937_64 random(seed);
  std::vector<double> list;
  for (int k = 0; k < count; ++k) {
    const auto exponent = static_cast<int>(random() % static_cast<unsigned>(exponents)) - exponents / 2;
    const double x = std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
    list.push_back((random() & 1) != 0 ? -x : x);
  }
  return list;
}

TEST(ExactSum, IsTheNearestDoubleOfTheWholeSum) {
  for (const int exponents : {2, 60, 600, 2000}) {
    for (unsigned seed = 0; seed < 100; ++seed) {
      const std::vector<double> list = numbers(seed, 1 + static_cast<int>(seed), exponents);
      cpp_int exact = 0;
      for (const double x : list) exact += whole(x);
      EXPECT_EQ(sum_of(list), nearest(exact)) << seed << ", exponents " << exponents;
    }
  }
}

TEST(ExactSum, CancelsToTheLastBit) {
  EXPECT_EQ(sum_of({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(sum_of({1e16, 1.0, 1.0, -1e16}), 2.0);
  EXPECT_EQ(sum_of({0x1p1000, 5e-324, -0x1p1000}), 5e-324);
  EXPECT_EQ(sum_of({0.1, -0.1}), 0.0);
  EXPECT_EQ(sum_of({}), 0.0);
  EXPECT_EQ(sum_of({-5e-324, -5e-324}), -1e-323);
}

TEST(ExactSum, TiesGoToEvenAndAnythingBeyondATieDoesNot) {
  EXPECT_EQ(sum_of({1.0, 0x1p-53}), 1.0);
  EXPECT_EQ(sum_of({1.0 + 0x1p-52, 0x1p-53}), 1.0 + 0x1p-51);
  EXPECT_EQ(sum_of({1.0, 0x1p-53, 5e-324}), 1.0 + 0x1p-52);
  EXPECT_EQ(sum_of({-1.0, -0x1p-53, -0x1p-900}), -1.0 - 0x1p-52);
}

TEST(ExactSum, NonFiniteValuesGiveTheUsualSum) {
  EXPECT_EQ(sum_of({1.0, infinity}), infinity);
  EXPECT_EQ(sum_of({-infinity, 1e308}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({std::nan(""), 1.0})));
  EXPECT_EQ(sum_of({1.7e308, 1.7e308}), infinity);           // above the largest number
  EXPECT_EQ(sum_of({1.7e308, 1.7e308, -1.7e308}), 1.7e308);  // but only at the end
}

TEST(ExactSum, SameBitsInAnyOrderAndByAnyParts) {
  std::vector<double> list = numbers(7, 3000, 200);
  const double whole_sum = sum_of(list);
  std::mt19937 random(3);
  for (int times = 0; times < 20; ++times) {
    std::ranges::shuffle(list, random);
    const std::size_t parts = 1 + random() % 40;
    std::vector<ExactSum> part(parts);
    for (std::size_t k = 0; k < list.size(); ++k) part[k % parts].add(list[k]);
    ExactSum sum;
    for (const ExactSum& p : part) sum += p;
    EXPECT_EQ(sum.value(), whole_sum);
  }
}

TEST(ExactSum, HoldsMoreThanItsLimbsHoldAtATime) {
  // Carries are handled in time: 2^20 numbers of all ones, doubled 40 times.
  ExactSum sum;
  const double ones = std::nextafter(2.0, 1.0);
  for (int k = 0; k < 1 << 20; ++k) sum.add(ones);
  for (int k = 0; k < 40; ++k) {
    const ExactSum twice = sum;
    sum += twice;
  }
  EXPECT_EQ(sum.value(), std::ldexp(ones, 60));
}

struct Sums {
  double number = 0.0;
  Vec3 vector = Vec3::Zero();
  Mat3 matrix = Mat3::Zero();
  int count = 0;

  static constexpr std::size_t sums = 13;
  template <class F>
  void each_sum(F&& f) {
    f(number), f(vector), f(matrix);
  }
  void join(const Sums& o) { count += o.count; }
};

TEST(ExactSums, AddNumbersVectorsAndMatricesAndJoinTheRest) {
  const std::vector<double> list = numbers(11, 4000, 80);
  const std::vector<std::int32_t> fine = [] {
    std::vector<std::int32_t> first;
    for (std::int32_t k = 0; k <= 4000; k += 40) first.push_back(k);
    return first;
  }();
  const auto of_block = [&](const Block& block) {
    Sums s;
    for (std::size_t k = block.begin; k < block.end; ++k) {
      s.number += list[k];
      s.vector += Vec3(list[k], -list[k], 1.0);
      s.matrix(2, 1) += list[k];
      ++s.count;
    }
    return s;
  };
  const Sums all = sum_ranges<Sums>(fine, of_block);
  ExactSum expected;
  for (std::size_t b = 0; b + 1 < fine.size(); ++b)
    expected.add(
        of_block(Block{b, static_cast<std::size_t>(fine[b]), static_cast<std::size_t>(fine[b + 1])}).number);
  EXPECT_EQ(all.number, expected.value());
  EXPECT_EQ(all.vector, Vec3(expected.value(), -expected.value(), 4000.0));
  EXPECT_EQ(all.matrix(2, 1), expected.value());
  EXPECT_EQ(all.matrix(0, 0), 0.0);
  EXPECT_EQ(all.count, 4000);
}

}  // namespace
}  // namespace scree
