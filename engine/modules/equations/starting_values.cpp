// Consistent starting values: all equations and their derivatives at once, with fixed starts constant and all
// others as near to `start` as the equations allow.
#include <algorithm>
#include <cmath>

#include "engine/modules/equations/simulation.h"
#include "engine/modules/equations/symbolic.h"

namespace scree::equations {

namespace {

constexpr int most_iterations = 100, most_halvings = 30, most_rounds = 20;
constexpr double converged_change = 1e-13;
constexpr double solved = 1e-9;                             // residual over the size of its terms
constexpr double weight_given = 0.01;                       // given values move this much less than others
constexpr std::size_t most_entries = std::size_t{1} << 24;  // of the dense matrix, with derivatives

std::size_t place_of(Eigen::Index k) { return static_cast<std::size_t>(k); }

/// All residuals and their Jacobian by the unknowns of the start.
class StartSystem {
 public:
  explicit StartSystem(const FlatModel& model) {
    for (const int v : model.variables)
      if (!model[v].fixed) unknowns.push_back(v);
    for (const auto* all : {&model.equations, &model.at_start})
      for (const Equation& e : *all) equations.push_back(&e);
    if (equations.size() * unknowns.size() > most_entries)
      throw NumericalFailure(std::to_string(equations.size()) + " equations with " +
                             std::to_string(unknowns.size()) +
                             " unknowns at the start, with derivatives, are too many for a dense matrix");
    std::vector<Expr> outputs;
    for (const Equation* e : equations) outputs.push_back(e->residual);
    for (std::size_t r = 0; r < equations.size(); ++r) {
      const std::set<int> there = symbols_of(equations[r]->residual);
      for (std::size_t c = 0; c < unknowns.size(); ++c) {
        if (!there.contains(unknowns[c])) continue;
        entries_.emplace_back(static_cast<int>(r), static_cast<int>(c));
        outputs.push_back(derivative(equations[r]->residual, unknowns[c]));
      }
    }
    code = expressions_code(model, outputs);
    out_.resize(outputs.size());
  }

  void evaluate(std::vector<double>& value) {
    value.resize(std::max(value.size(), static_cast<std::size_t>(code.registers)), 0.0);
    code.run(value, out_);
    residual = Eigen::Map<const Eigen::VectorXd>(out_.data(), static_cast<Eigen::Index>(equations.size()));
    jacobian.setZero(residual.size(), static_cast<Eigen::Index>(unknowns.size()));
    for (std::size_t k = 0; k < entries_.size(); ++k)
      jacobian(entries_[k].first, entries_[k].second) = out_[equations.size() + k];
  }

  std::vector<int> unknowns;
  std::vector<const Equation*> equations;
  Program code;
  Eigen::VectorXd residual;
  Eigen::MatrixXd jacobian;

 private:
  std::vector<std::pair<int, int>> entries_;
  std::vector<double> out_;
};

/// Newton's method on some of the equations by some of the unknowns; if there are more unknowns, with the
/// least weighted change. Returns the rank of the last Jacobian.
Eigen::Index solve_part(StartSystem& start, std::vector<double>& value, const std::vector<int>& rows,
                        const std::vector<int>& columns, const Eigen::VectorXd& weights) {
  const Eigen::VectorXd weight = weights(columns);
  const auto at = [&](std::size_t c) -> double& { return value[start.unknowns[columns[c]]]; };
  Eigen::Index rank = 0;
  start.evaluate(value);
  if (rows.empty() || columns.empty()) return rank;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    Eigen::MatrixXd jacobian = start.jacobian(rows, columns) * weight.asDiagonal();
    Eigen::VectorXd scale = jacobian.rowwise().lpNorm<Eigen::Infinity>();
    for (double& one : scale) one = one > 0.0 ? 1.0 / one : 1.0;
    const auto residual = [&] { return Eigen::VectorXd(scale.asDiagonal() * start.residual(rows)); };
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(scale.asDiagonal() * jacobian);
    rank = solver.rank();
    const Eigen::VectorXd change = -(weight.asDiagonal() * solver.solve(residual()));
    const double size = residual().norm();
    if (!change.allFinite()) break;
    double largest = 0.0;
    std::vector<double> from;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      from.push_back(at(c));
      largest = std::max(largest,
                         std::abs(change[static_cast<Eigen::Index>(c)]) / std::max(std::abs(from[c]), 1.0));
    }
    double part = 1.0;
    for (int halving = 0; halving < most_halvings; ++halving) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        at(c) = from[c] + part * change[static_cast<Eigen::Index>(c)];
      start.evaluate(value);
      if (start.residual(rows).allFinite() && (residual().norm() <= size || largest < solved)) break;
      part *= 0.5;
    }
    if (largest <= converged_change) break;
  }
  return rank;
}

std::vector<int> counted(std::size_t n) {
  std::vector<int> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = static_cast<int>(k);
  return all;
}

}  // namespace

/// Block by block if there are as many unknowns as equations, else all at once.
void Simulation::solve_start() {
  StartSystem start(model_);
  Eigen::VectorXd weight(static_cast<Eigen::Index>(start.unknowns.size()));
  for (Eigen::Index c = 0; c < weight.size(); ++c) {
    const Symbol& s = model_[start.unknowns[place_of(c)]];
    weight[c] = s.nominal * (s.has_start ? weight_given : 1.0);
  }
  std::vector<Expr> residuals;
  for (const Equation* e : start.equations) residuals.push_back(e->residual);
  const Incidence incidence = incidence_of(residuals, start.unknowns);
  const Matching matching = maximum_matching(incidence);
  const bool square = residuals.size() == start.unknowns.size() && matching.size() == incidence.columns;
  if (square) {
    for (const Block& block : block_order(incidence, matching))
      solve_part(start, value_, block.rows, block.columns, weight);
  }
  const Eigen::Index rank =
      solve_part(start, value_, counted(residuals.size()), counted(start.unknowns.size()), weight);
  std::string wrong;
  for (Eigen::Index r = 0; r < start.residual.size(); ++r) {
    double terms = 1.0;
    for (Eigen::Index c = 0; c < start.jacobian.cols(); ++c)
      terms += std::abs(start.jacobian(r, c) * at(start.unknowns[place_of(c)]));
    if (!(std::abs(start.residual[r]) <= solved * terms))
      wrong +=
          "\n    " + start.equations[place_of(r)]->text + ": residual " + std::to_string(start.residual[r]);
  }
  if (!wrong.empty())
    throw NumericalFailure(
        "no consistent starting values: near the given ones these equations are not satisfied:" + wrong);
  counts_.free_starts = static_cast<int>(start.jacobian.cols() - rank);
}

/// Conditions must agree with the values that result from them.
void Simulation::initialise() {
  for (int round = 0; round < most_rounds; ++round) {
    solve_start();
    const std::vector<char> now = relations_now();
    if (now == held_) return;
    hold(now);
  }
  throw NumericalFailure("no consistent starting values: conditions switch back and forth");
}

}  // namespace scree::equations
