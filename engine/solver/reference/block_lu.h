// Sparse LU factors of matrices of 6 x 6 blocks, one per pair of bodies.
//
// The pattern is symmetric. The order is that of approximate minimum degree of the graph of bodies, the fill
// is known in advance, and each elimination is a product of small dense blocks. Pivots are selected only
// within diagonal blocks: the caller must check the solution.
#pragma once

#include <Eigen/LU>
#include <span>
#include <utility>
#include <vector>

#include "engine/solver/problem/contact_jacobian.h"

namespace scree {

class BlockLu {
 public:
  /// For this number of bodies, with blocks on the diagonal and, in both triangles, for these pairs.
  BlockLu(std::size_t bodies, std::span<const std::pair<std::int32_t, std::int32_t>> pairs);

  /// Adds to the block in the rows of body i and the columns of body j.
  void add(std::size_t i, std::size_t j, const Mat6& block);
  /// Replaces the matrix by its factors; false if a pivot is zero or not finite.
  bool factor();
  /// After factor(): returns x, six numbers per body.
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  struct Entry {
    Mat6 lower = Mat6::Zero(), upper = Mat6::Zero();  // (row, column) and (column, row)
  };
  Entry& entry(std::size_t row, std::size_t column);

  std::vector<std::size_t> place_;  // [body] its position in the elimination order
  std::vector<std::size_t> first_;  // [place + 1] range in `row_` and `entry_`
  std::vector<std::size_t> row_;    // places below a diagonal block, ascending
  std::vector<Entry> entry_;
  std::vector<Mat6> diagonal_;  // [place]
  std::vector<Eigen::PartialPivLU<Mat6>> pivot_;
};

}  // namespace scree
