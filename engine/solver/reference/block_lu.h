// Sparse LU factors of matrices of 6 x 6 blocks, one a pair of bodies.
//
// The pattern is symmetric: the order is that of approximate minimum degree of the graph of bodies, the fill
// is known before, and every elimination is a product of small dense blocks. Pivots are chosen within
// diagonal blocks alone: the caller looks whether the solution is one.
#pragma once

#include <Eigen/LU>
#include <span>
#include <utility>
#include <vector>

#include "engine/solver/problem/contact_jacobian.h"

namespace scree {

class BlockLu {
 public:
  /// Of so many bodies, with blocks on the diagonal and, both ways, for these pairs.
  BlockLu(std::size_t bodies, std::span<const std::pair<std::int32_t, std::int32_t>> pairs);

  /// To the block in the rows of body i and the columns of body j.
  void add(std::size_t i, std::size_t j, const Mat6& block);
  /// Takes the place of the matrix by its factors; false if a pivot is zero or not finite.
  bool factor();
  /// After factor(): x, six numbers a body.
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  struct Entry {
    Mat6 lower = Mat6::Zero(), upper = Mat6::Zero();  // (row, column) and (column, row)
  };
  Entry& entry(std::size_t row, std::size_t column);

  std::vector<std::size_t> place_;  // [body] when it is eliminated
  std::vector<std::size_t> first_;  // [place + 1] of `row_` and `entry_`
  std::vector<std::size_t> row_;    // places below a diagonal block, rising
  std::vector<Entry> entry_;
  std::vector<Mat6> diagonal_;  // [place]
  std::vector<Eigen::PartialPivLU<Mat6>> pivot_;
};

}  // namespace scree
