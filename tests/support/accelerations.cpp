#include "tests/support/accelerations.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace scree {

namespace {

constexpr Eigen::Index few = 150;        // unknowns: below this number dense factors are faster
constexpr double rank_threshold = 1e-9;  // relative to the largest pivot
constexpr double corner =
    1e-10;  // relative to a constraint's own mobility: the lower right block of the sparse matrix
constexpr int most_refinements = 30;
constexpr double refined = 1e-15;  // relative to the right-hand side

using Triplets = std::vector<Eigen::Triplet<double>>;

void add(const Eigen::SparseMatrix<double>& block, Eigen::Index row, Eigen::Index column, bool transposed,
         Triplets& all) {
  for (Eigen::Index k = 0; k < block.outerSize(); ++k)
    for (Eigen::SparseMatrix<double>::InnerIterator it(block, k); it; ++it)
      all.emplace_back(static_cast<int>(row + (transposed ? it.col() : it.row())),
                       static_cast<int>(column + (transposed ? it.row() : it.col())), it.value());
}

// With M = L L^T, X = L^-1 J^T = Q R P^T, y = L^T a, g = L^-1 f: y = g - X lambda and X^T y = -gamma. Only
// gamma determines the part of y in the range of X, and only g the part orthogonal to it.
ConstrainedMotion solve_dense(const MotionEquations& e) {
  const Eigen::Index n = e.force.size(), m = e.gamma.size();
  const Eigen::LLT<Eigen::MatrixXd> mass{Eigen::MatrixXd(e.mass)};
  const Eigen::VectorXd g = mass.matrixL().solve(e.force);
  ConstrainedMotion motion;
  Eigen::VectorXd y = g;
  if (m > 0) {
    const Eigen::MatrixXd x = mass.matrixL().solve(Eigen::MatrixXd(e.jacobian.transpose()));
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(rank_threshold);
    qr.compute(x);
    const Eigen::Index r = qr.rank();
    const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(n, r);
    const Eigen::VectorXd gamma = qr.colsPermutation().transpose() * e.gamma;
    const Eigen::VectorXd z =
        qr.matrixR().topLeftCorner(r, r).triangularView<Eigen::Upper>().transpose().solve(-gamma.head(r));
    y += q * (z - q.transpose() * g);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> least;
    least.setThreshold(rank_threshold);
    least.compute(x);
    motion.multiplier = least.solve(g - y);
    motion.rank = r;
    for (Eigen::Index k = r; k < m; ++k)
      motion.redundant.push_back(qr.colsPermutation().indices()[static_cast<int>(k)]);
    std::ranges::sort(motion.redundant);
  } else {
    motion.multiplier.resize(0);
  }
  motion.acceleration = mass.matrixU().solve(y);
  return motion;
}

ConstrainedMotion solve_sparse(const MotionEquations& e) {
  const Eigen::Index n = e.force.size(), m = e.gamma.size();
  Triplets all;
  add(e.mass, 0, 0, false, all);
  add(e.jacobian, n, 0, false, all);
  add(e.jacobian, 0, n, true, all);
  Eigen::SparseMatrix<double> exact(n + m, n + m), shifted(n + m, n + m);
  exact.setFromTriplets(all.begin(), all.end());
  // Approximates J M^-1 J^T of a single constraint: J^2 over the diagonal of M.
  const Eigen::VectorXd diagonal = e.mass.diagonal();
  Eigen::VectorXd mobility = Eigen::VectorXd::Zero(m);
  for (Eigen::Index k = 0; k < e.jacobian.outerSize(); ++k)
    for (Eigen::SparseMatrix<double>::InnerIterator it(e.jacobian, k); it; ++it)
      mobility[it.row()] += it.value() * it.value() / diagonal[it.col()];
  for (Eigen::Index k = 0; k < m; ++k)
    all.emplace_back(static_cast<int>(n + k), static_cast<int>(n + k), -corner * mobility[k]);
  shifted.setFromTriplets(all.begin(), all.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(shifted);

  Eigen::VectorXd right(n + m), x = Eigen::VectorXd::Zero(n + m);
  right << e.force, -e.gamma;
  Eigen::VectorXd rest = right;
  for (int k = 0; k < most_refinements; ++k) {
    x += factors.solve(rest);
    const double before = rest.norm();
    rest = right - exact * x;
    if (rest.norm() <= refined * right.norm() || rest.norm() >= 0.5 * before) break;
  }
  ConstrainedMotion motion;
  motion.acceleration = x.head(n);
  motion.multiplier = x.tail(m);
  motion.rank = m;
  return motion;
}

}  // namespace

ConstrainedMotion MotionSolver::solve(const MotionEquations& e) const {
  const Eigen::Index unknowns = e.force.size() + e.gamma.size();
  const bool sparse = kind_ == Kind::sparse || (kind_ == Kind::automatic && unknowns >= few);
  ConstrainedMotion motion = sparse ? solve_sparse(e) : solve_dense(e);
  if (e.gamma.size() > 0)
    motion.inconsistency = (e.jacobian * motion.acceleration + e.gamma).lpNorm<Eigen::Infinity>();
  return motion;
}

Eigen::VectorXd MotionSolver::least_change(const MotionEquations& equations, const Eigen::VectorXd& r) const {
  MotionEquations e = equations;
  e.force.setZero();
  e.gamma = -r;
  return solve(e).acceleration;
}

}  // namespace scree
