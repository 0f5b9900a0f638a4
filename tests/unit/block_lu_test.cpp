// Sparse factors by blocks of bodies, compared with dense ones.
#include "engine/solver/reference/block_lu.h"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/core/random.h"

namespace scree {
namespace {

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

Mat6 random_block(Random& random) {
  Mat6 m;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) m(i, j) = random.uniform(-1.0, 1.0);
  return m;
}

// Any graph, with repeated and reversed pairs, bodies without pairs, unsymmetric blocks; pivots are safe.
TEST(BlockLu, SolvesAsADenseMatrixDoes) {
  Random random(7);
  for (const std::size_t bodies : {1u, 2u, 7u, 40u}) {
    for (const double share : {0.0, 0.1, 1.0}) {
      Pairs pairs;
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(bodies); ++i)
        for (std::int32_t j = 0; j < i; ++j)
          if (random.uniform(0.0, 1.0) < share) {
            pairs.emplace_back(i, j);
            if (random.uniform(0.0, 1.0) < 0.2) pairs.emplace_back(j, i);
          }
      BlockLu factors(bodies, pairs);
      const auto size = static_cast<Eigen::Index>(6 * bodies);
      Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
      const auto add = [&](std::size_t i, std::size_t j, const Mat6& block) {
        factors.add(i, j, block);
        dense.block<6, 6>(static_cast<Eigen::Index>(6 * i), static_cast<Eigen::Index>(6 * j)) += block;
      };
      for (std::size_t i = 0; i < bodies; ++i)
        add(i, i, Mat6::Identity() * 12.0 * static_cast<double>(bodies) + random_block(random));
      for (const auto& [i, j] : pairs) {
        add(i, j, random_block(random));
        add(j, i, random_block(random));
      }
      ASSERT_TRUE(factors.factor());
      Eigen::VectorXd right(size);
      for (Eigen::Index k = 0; k < size; ++k) right[k] = random.uniform(-1.0, 1.0);
      EXPECT_LT((dense * factors.solve(right) - right).norm(), 1e-13 * static_cast<double>(size))
          << bodies << " bodies, " << pairs.size() << " pairs";
    }
  }
}

TEST(BlockLu, RefusesPivotsThatAreZeroOrNotFinite) {
  const Pairs pairs{{0, 1}};
  BlockLu singular(2, pairs);
  singular.add(0, 0, Mat6::Identity());
  singular.add(1, 1, Mat6::Identity());
  singular.add(0, 1, Mat6::Identity());
  singular.add(1, 0, Mat6::Identity());  // the second has 1 - 1
  EXPECT_FALSE(singular.factor());
  BlockLu broken(1, {});
  broken.add(0, 0, Mat6::Constant(std::nan("")));
  EXPECT_FALSE(broken.factor());
}

}  // namespace
}  // namespace scree
