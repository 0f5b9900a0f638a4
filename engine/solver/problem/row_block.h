// Rows that are solved together: the joints of machines.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <span>
#include <vector>

#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// The last rows of a problem as one block of Gauss-Seidel sweeps. Bilateral rows are fulfilled exactly,
/// by a sparse Cholesky factorisation of
///   A = D (J M^-1 J^T + C) D,  D = diag(J M^-1 J^T + C)^-1/2                                            (J1)
/// whose cost for a chain is linear in its length. Rows with bounds follow one by one, each with the response
/// of the whole machine, because an impulse p of row r causes -A^-1 J M^-1 J_r^T p in the others. Rows that
/// follow from those before them (pivots below 1e-10) are left out: they hold because the others do.
class RowBlock {
 public:
  /// From the rows [first, end), whose responses are complete. Redundant rows get the bounds 0.
  RowBlock(ContactProblem& problem, std::size_t first);

  /// Rows that follow from others.
  std::span<const std::size_t> redundant() const { return redundant_; }

  /// One update. velocity(r): J v + bias + compliance * impulse of a row; impulse(r); push(r, p): adds p to
  /// the impulse of a row and to its bodies. Returns the sum of squared changes of velocities, (m/s)^2.
  template <class Velocity, class Impulse, class Push>
  double improve(const std::vector<Row>& rows, Velocity&& velocity, Impulse&& impulse, Push&& push) const {
    double squares = meet(rows, velocity, push);
    const auto solve = [&](const Bounded& b) {
      const Row& row = rows[b.row];
      const double now = impulse(b.row), next = std::clamp(now - velocity(b.row) / b.w, row.low, row.high);
      if (next == now) return;
      push_bounded(b, next - now, push);
      const double gain = row.length * (next - now) * b.w;
      squares += gain * gain;
    };
    for (const Bounded& b : bounded_) solve(b);
    for (std::size_t k = bounded_.size(); k > 0; --k) solve(bounded_[k - 1]);
    return squares;
  }

  /// Fulfils only the bilateral rows.
  template <class Velocity, class Push>
  double meet(const std::vector<Row>& rows, Velocity&& velocity, Push&& push) const {
    if (held_.empty()) return 0.0;
    Eigen::VectorXd u(static_cast<Eigen::Index>(held_.size()));
    double squares = 0.0;
    for (std::size_t k = 0; k < held_.size(); ++k) {
      const double now = velocity(held_[k]);
      u[static_cast<Eigen::Index>(k)] = -now;
      squares += now * now * rows[held_[k]].length * rows[held_[k]].length;
    }
    const Eigen::VectorXd p = solve(u);
    for (std::size_t k = 0; k < held_.size(); ++k) push(held_[k], p[static_cast<Eigen::Index>(k)]);
    return squares;
  }

  /// Removes motion of bodies against joints and against rows that are not at their bounds: for position
  /// correction. velocity(r): J v alone.
  template <class Velocity, class Push>
  void hold(std::span<const double> impulse, const std::vector<Row>& rows, Velocity&& velocity,
            Push&& push) const {
    meet(rows, velocity, push);
    for (const Bounded& b : bounded_) {
      const Row& row = rows[b.row];
      const bool gives = row.compliance > 0.0 || impulse[b.row] <= row.low || impulse[b.row] >= row.high;
      if (!gives && b.moves) push_bounded(b, -velocity(b.row) / b.w, push);
    }
  }

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  struct Bounded {
    std::size_t row;
    double w;           // of the whole machine, with its compliance
    bool moves = true;  // can an impulse change its velocity? If not, it is driven to its bounds
    std::vector<std::pair<std::size_t, double>>
        others{};  // affected rows, and their impulses over that of this one
  };
  template <class Push>
  void push_bounded(const Bounded& b, double p, Push&& push) const {
    push(b.row, p);
    for (const auto& [row, part] : b.others) push(row, part * p);
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& u) const {
    return scale_.cwiseProduct(factor_.solve(scale_.cwiseProduct(u)));
  }

  // `w`: J M^-1 J^T of rows, with bilateral ones first.
  void factorise(ContactProblem& problem, std::span<const std::size_t> both_ways, const Sparse& w);
  void leave_out_redundant(ContactProblem& problem, std::span<const std::size_t> both_ways, Sparse& a);
  void add_bounded(ContactProblem& problem, std::span<const std::size_t> rows, std::size_t both_ways,
                   const Sparse& w);

  std::vector<std::size_t> held_, redundant_;
  std::vector<Bounded> bounded_;
  Eigen::VectorXd scale_;
  Eigen::SimplicialLDLT<Sparse> factor_;
};

}  // namespace scree
