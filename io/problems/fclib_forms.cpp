#include "io/problems/fclib_forms.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "io/files/machine_room.h"
#include "io/problems/problem_parts.h"

namespace scree::io::fclib {

namespace {

constexpr double symmetry = 1e-6;     // of sqrt(M_ii M_jj): largest asymmetry of M
constexpr double consistency = 1e-8;  // of the value of R l: largest error of redundant equalities

/// R^-1 times `right`, of least norm if R is singular; returns whether it solves the system.
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

/// Largest memory of a matrix larger than those of the file, bytes.
double room() { return memory_bytes() / 8.0; }
constexpr double entry_bytes = 16.0;
constexpr Eigen::Index most_equalities = 5000;  // R is factored dense: minutes

/// The factors, with their size before they are computed.
struct Factors : Eigen::SimplicialLLT<Matrix> {
  double entries() const { return static_cast<double>(m_matrix.nonZeros()); }
};

/// Combines the columns from `block(first, n)`, some at a time, to one matrix; empty, with a refusal, if it
/// has too many entries.
template <class Block>
Matrix in_parts(Eigen::Index rows, Eigen::Index columns, const char* name, Refusals& refusals,
                Block&& block) {
  constexpr Eigen::Index together = 64;
  std::vector<Matrix> parts;
  double entries = 0.0;
  for (Eigen::Index first = 0; first < columns; first += together) {
    parts.push_back(block(first, std::min(together, columns - first)));
    entries += static_cast<double>(parts.back().nonZeros());
    if (entry_bytes * entries <= room()) continue;
    refusals.push_back({"", fmt::format("{} does not fit into the memory of this machine", name)});
    return Matrix(rows, columns);
  }
  Matrix whole(rows, columns);
  whole.reserve(static_cast<Eigen::Index>(entries));
  for (std::size_t k = 0; k < parts.size(); ++k)
    whole.middleCols(static_cast<Eigen::Index>(k) * together, parts[k].cols()) = parts[k];
  return whole;
}

/// The blocks of the contact's row of W, by column.
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
  LocalForm local;
  Factors factors;
  const Matrix m = symmetric(g.M, refusals);
  factors.analyzePattern(m);
  if (entry_bytes * factors.entries() > room()) {
    refusals.push_back({"M", "has factors that do not fit into the memory of this machine"});
    return local;
  }
  factors.factorize(m);
  if (factors.info() != Eigen::Success) {
    refusals.push_back({"M", "must be positive definite: velocities are eliminated by its Cholesky factors"});
    return local;
  }
  const Matrix answer =
      in_parts(g.M.rows(), g.H.cols(), "M^-1 H", refusals, [&](Eigen::Index first, Eigen::Index n) -> Matrix {
        return factors.solve(Matrix(g.H.middleCols(first, n)));
      });
  if (!refusals.empty()) return local;
  const Vector free = factors.solve(g.f);  // velocities without r and l
  const Matrix h_transposed = g.H.transpose();
  local.W =
      in_parts(g.H.cols(), g.H.cols(), "W", refusals, [&](Eigen::Index first, Eigen::Index n) -> Matrix {
        return h_transposed * answer.middleCols(first, n);
      });
  local.q = g.H.transpose() * free + g.w;
  if (g.G.cols() > most_equalities) {
    refusals.push_back({"G", fmt::format("has {} equality constraints, but at most {} can be eliminated",
                                         g.G.cols(), most_equalities)});
    return local;
  }
  local.V = answer.transpose() * g.G;
  local.R = Matrix(g.G.transpose()) * Matrix(factors.solve(g.G));
  local.s = g.G.transpose() * free + g.b;
  return local;
}

void eliminate_equalities(LocalForm& p, Refusals& refusals) {
  if (p.R.cols() == 0) return;
  const double dense = static_cast<double>(p.R.cols()) * static_cast<double>(p.R.cols() + p.V.rows());
  if (p.R.cols() > most_equalities || 3.0 * 8.0 * dense > room()) {
    refusals.push_back({"", fmt::format("its {} equality constraints are too many: at most {} can be "
                                        "eliminated, and they must fit into memory",
                                        p.R.cols(), most_equalities)});
    return;
  }
  const Multipliers multipliers(p.R);
  Eigen::MatrixXd of_impulses, constant;
  const bool solved =
      multipliers.solve(Eigen::MatrixXd(p.V.transpose()), of_impulses) && multipliers.solve(p.s, constant);
  if (!solved) {
    refusals.push_back({"",
                        "its equality constraints contradict each other, or R is singular and does not "
                        "determine their multipliers"});
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
