#include "io/problems/fclib_forms.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "io/problems/problem_parts.h"

namespace scree::io::fclib {

namespace {

constexpr double symmetry = 1e-6;     // of sqrt(M_ii M_jj): what an M may be unsymmetric by
constexpr double consistency = 1e-8;  // of what R l has to be: what redundant equalities may miss it by

/// R^-1 times `right`, of least norm where R is singular; says whether it solves.
class Multipliers {
 public:
  explicit Multipliers(const Matrix& r) : r_(r), factors_(Eigen::MatrixXd(r)) {}
  bool solve(const Eigen::MatrixXd& right, Eigen::MatrixXd& solution) const {
    solution = factors_.solve(right);
    return (r_ * solution - right).norm() <= consistency * right.norm();
  }

 private:
  const Matrix& r_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors_;
};

/// The blocks of the contacts' row of W, by column.
std::map<long, Mat3> block_row(const Eigen::SparseMatrix<double, Eigen::RowMajor>& w, long contact,
                               int dimension) {
  std::map<long, Mat3> blocks;
  for (int i = 0; i < dimension; ++i) {
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(w, contact * dimension + i); entry;
         ++entry) {
      const auto [at, is_new] = blocks.try_emplace(entry.col() / dimension, Mat3::Zero());
      at->second(i, entry.col() % dimension) = entry.value();
    }
  }
  return blocks;
}

}  // namespace

Matrix symmetric(const Matrix& m, Refusals& refusals) {
  const Matrix lower = m.triangularView<Eigen::Lower>(), upper = m.triangularView<Eigen::Upper>();
  const Vector diagonal = m.diagonal();
  const Eigen::Index off_diagonal = (diagonal.array() != 0.0).count();
  const auto entries = [](Matrix part) {
    part.prune(0.0);
    return part.nonZeros();
  };
  if (entries(lower) == off_diagonal) return upper.selfadjointView<Eigen::Upper>();
  if (entries(upper) == off_diagonal) return lower.selfadjointView<Eigen::Lower>();
  const Matrix difference = m - Matrix(m.transpose());
  for (Eigen::Index j = 0; j < m.cols(); ++j) {
    for (Matrix::InnerIterator entry(difference, j); entry; ++entry) {
      if (std::abs(entry.value()) <= symmetry * std::sqrt(std::abs(diagonal[entry.row()] * diagonal[j])))
        continue;
      refusals.push_back(
          {"M", fmt::format("must be symmetric: entries ({0}, {1}) and ({1}, {0}) differ by {2:.3g}",
                            entry.row(), j, std::abs(entry.value()))});
      return m;
    }
  }
  return 0.5 * (m + Matrix(m.transpose()));
}

LocalForm local_form(const GlobalForm& g, Refusals& refusals) {
  const Eigen::SimplicialLLT<Matrix> factors(symmetric(g.M, refusals));
  LocalForm local;
  if (factors.info() != Eigen::Success) {
    refusals.push_back({"M", "must be positive definite: velocities are eliminated by its Cholesky factors"});
    return local;
  }
  const Matrix answer = factors.solve(g.H);  // M^-1 H
  const Vector free = factors.solve(g.f);    // velocities without any r and l
  local.W = g.H.transpose() * answer;
  local.q = g.H.transpose() * free + g.w;
  local.V = answer.transpose() * g.G;
  local.R = Matrix(g.G.transpose()) * Matrix(factors.solve(g.G));
  local.s = g.G.transpose() * free + g.b;
  return local;
}

void eliminate_equalities(LocalForm& p, Refusals& refusals) {
  if (p.R.cols() == 0) return;
  const Multipliers multipliers(p.R);
  Eigen::MatrixXd of_impulses, constant;
  const bool solved =
      multipliers.solve(Eigen::MatrixXd(p.V.transpose()), of_impulses) && multipliers.solve(p.s, constant);
  if (!solved) {
    refusals.push_back({"",
                        "its equality constraints contradict each other, or the singular R that they lead to "
                        "leaves their multipliers open"});
    return;
  }
  const Matrix answer = of_impulses.sparseView();
  p.W -= Matrix(p.V * answer);
  p.q -= p.V * constant.col(0);
  p.V.resize(p.W.rows(), 0);
  p.R.resize(0, 0);
  p.s.resize(0);
}

std::vector<Vec3> contact_vectors(const Vector& stacked, int dimension) {
  std::vector<Vec3> vectors;
  for (Eigen::Index k = 0; k < stacked.size(); k += dimension) {
    vectors.push_back(Vec3::Zero());
    vectors.back().head(dimension) = stacked.segment(k, dimension);
  }
  return vectors;
}

DelassusProblem delassus_problem(const LocalForm& local, const Vector& mu, int dimension,
                                 Refusals& refusals) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> w = local.W;
  const auto contacts = static_cast<long>(mu.size());
  std::vector<DelassusBlock> blocks;
  for (long c = 0; c < contacts; ++c) {
    for (auto& [column, block] : block_row(w, c, dimension)) {
      if (column == c && dimension == 2) block(2, 2) = block(1, 1) > 0.0 ? block(1, 1) : block(0, 0);
      if (column == c || !block.isZero(0.0)) blocks.push_back({c, column, block});
    }
  }
  DelassusProblem p;
  p.q = contact_vectors(local.q, dimension);
  p.friction.assign(mu.begin(), mu.end());
  p.velocity_scale = root_mean_square(p.q);
  const long wrong = set_blocks(p, std::move(blocks), contacts);
  if (wrong < contacts)
    refusals.push_back({"W", fmt::format("block ({0}, {0}) {1}", wrong, own_block_wanted)});
  return p;
}

}  // namespace scree::io::fclib
