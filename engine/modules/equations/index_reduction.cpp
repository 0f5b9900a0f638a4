#include "engine/modules/equations/index_reduction.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "engine/modules/equations/symbolic.h"

namespace scree::equations {

namespace {

constexpr int most_differentiated = 20;  // of an equation: no real model needs as many
constexpr double least_pivot = 1e-10;    // of the largest: below it, equations are dependent

double weight_of(StateSelect select) {  // as a dummy
  switch (select) {
    case StateSelect::never:
      return 1e4;
    case StateSelect::avoid:
      return 10.0;
    case StateSelect::standard:
      return 1.0;
    case StateSelect::prefer:
      return 0.1;
    case StateSelect::always:
      return 1e-4;
  }
  return 1.0;
}

/// The algorithm of Pantelides, in its notation: A derivative of a variable, B of an equation.
class Pantelides {
 public:
  explicit Pantelides(FlatModel& m) : model_(m) {}
  void run() {
    const std::size_t count = model_.equations.size();
    for (std::size_t k = 0; k < count; ++k) {
      int equation = static_cast<int>(k);
      for (;;) {
        coloured_variables_.clear();
        coloured_equations_.clear();
        if (augment(equation)) break;
        differentiate_coloured();
        equation = model_.equations[at(equation)].derivative;
      }
    }
  }

 private:
  const std::set<int>& variables_in(int equation) {
    while (incidence_.size() <= at(equation)) {
      std::set<int> found;
      for (const int k : symbols_of(model_.equations[incidence_.size()].residual))
        if (model_.is_variable(k)) found.insert(k);
      incidence_.push_back(std::move(found));
    }
    return incidence_[at(equation)];
  }
  bool is_highest(int variable) const { return model_[variable].derivative < 0; }

  bool augment(int equation) {
    coloured_equations_.insert(equation);
    for (const int v : variables_in(equation)) {
      if (is_highest(v) && !assigned_.contains(v)) {
        assigned_[v] = equation;
        return true;
      }
    }
    for (const int v : variables_in(equation)) {
      if (!is_highest(v) || !coloured_variables_.insert(v).second) continue;
      if (augment(assigned_.at(v))) {
        assigned_[v] = equation;
        return true;
      }
    }
    return false;
  }

  void differentiate_coloured() {
    for (const int v : coloured_variables_) model_.derivative_of(v);
    for (const int e : coloured_equations_) {
      times_.resize(model_.equations.size(), 0);
      if (times_[at(e)] == most_differentiated)
        refuse(e, "after 20 differentiations it determines none of its variables");
      Equation made{.residual = time_derivative(model_, model_.equations[at(e)].residual),
                    .text = "der(" + model_.equations[at(e)].text + ")",
                    .integral = e,
                    .where = model_.equations[at(e)].where};
      if (made.residual->size > most_operations) refuse(e, "its derivative has more than 20,000 operations");
      times_.push_back(times_[at(e)] + 1);
      model_.equations[at(e)].derivative = static_cast<int>(model_.equations.size());
      model_.equations.push_back(std::move(made));
    }
    for (const int v : coloured_variables_)
      assigned_[model_[v].derivative] = model_.equations[at(assigned_.at(v))].derivative;
  }

  [[noreturn]] void refuse(int e, const std::string& why) const {
    while (model_.equations[at(e)].integral >= 0) e = model_.equations[at(e)].integral;
    const Equation& written = model_.equations[at(e)];
    throw InputError({{written.where, model_.name, written.text + ": " + why, {}, {}, {}, {}}});
  }

  FlatModel& model_;
  std::vector<int> times_;  // [equation] differentiated
  std::vector<std::set<int>> incidence_;
  std::map<int, int> assigned_;  // variable -> equation
  std::set<int> coloured_variables_, coloured_equations_;
};

}  // namespace

Expr time_derivative(FlatModel& model, const Expr& e) {
  Expr sum = number(0.0);
  for (const int k : symbols_of(e)) {
    if (k == FlatModel::time) sum = sum + derivative(e, k);
    if (model.is_variable(k) || model.is_input(k)) {
      const Expr partial = derivative(e, k);
      sum = sum + partial * symbol(model.derivative_of(k));
    }
  }
  return sum;
}

void pantelides(FlatModel& model) { Pantelides(model).run(); }

int times_differentiated(const FlatModel& model, std::size_t equation) {
  int times = 0;
  for (int e = static_cast<int>(equation); (e = model.equations[at(e)].derivative) >= 0;) ++times;
  return times;
}

DummyDerivatives::DummyDerivatives(const FlatModel& model) : model_(model) {
  for (std::size_t e = 0; e < model.equations.size(); ++e) {
    if (model.equations[e].integral >= 0 && model.equations[e].derivative < 0)
      rows_.push_back(static_cast<int>(e));
  }
  if (rows_.empty()) return;
  for (const int v : model.variables) {
    if (model[v].integral < 0 || model[v].derivative >= 0) continue;
    columns_.push_back(v);
    StateSelect select = StateSelect::standard;
    for (int k = model[v].integral; k >= 0; k = model[k].integral)
      if (model[k].select != StateSelect::standard) select = model[k].select;
    weight_.push_back(weight_of(select));
  }
  for (const int e : rows_) {
    const Expr& f = model.equations[at(e)].residual;
    const std::set<int> there = symbols_of(f);
    std::vector<Expr> row;
    for (const int v : columns_) row.push_back(there.contains(v) ? derivative(f, v) : nullptr);
    entry_.push_back(std::move(row));
  }
}

/// The rows of rows_ that were differentiated more than this number of times.
std::vector<int> DummyDerivatives::rows_at(int depth) const {
  std::vector<int> found;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    int e = rows_[r];
    for (int k = 0; k < depth && e >= 0; ++k) e = model_.equations[at(e)].integral;
    if (e >= 0 && model_.equations[at(e)].integral >= 0) found.push_back(static_cast<int>(r));
  }
  return found;
}

int DummyDerivatives::down(int variable, int steps) const {
  for (int k = 0; k < steps && variable >= 0; ++k) variable = model_[variable].integral;
  return variable;
}

/// Rows are scaled to their largest entry.
Eigen::MatrixXd DummyDerivatives::jacobian(std::span<const double> value) const {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows_.size()),
                                            static_cast<Eigen::Index>(columns_.size()));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (entry_[r][c])
        a(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
            weight_[c] * evaluate(entry_[r][c], value);
    auto row = a.row(static_cast<Eigen::Index>(r));
    if (columns_.empty()) continue;
    if (const double largest = row.cwiseAbs().maxCoeff(); largest > 0.0) row /= largest;
  }
  return a;
}

/// The same number of columns as rows, each the longest in the complement of those before.
std::vector<int> DummyDerivatives::pivots(const Eigen::MatrixXd& a) {
  const Eigen::Index n = a.rows();
  if (a.cols() < n) return {};
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  if (!(std::abs(qr.matrixR()(n - 1, n - 1)) > least_pivot * std::abs(qr.matrixR()(0, 0)))) return {};
  const auto& order = qr.colsPermutation().indices();
  std::vector<int> chosen(order.data(), order.data() + n);
  std::ranges::sort(chosen);
  return chosen;
}

std::set<int> DummyDerivatives::choose(std::span<const double> value) const {
  const Eigen::MatrixXd all = jacobian(value);
  std::set<int> dummies;
  std::vector<int> candidates(columns_.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) candidates[c] = static_cast<int>(c);
  for (int depth = 0;; ++depth) {
    const std::vector<int> rows = rows_at(depth);
    if (rows.empty()) return dummies;
    std::erase_if(candidates, [&](int c) {
      const int v = down(columns_[at(c)], depth);
      return v < 0 || model_[v].integral < 0;
    });
    const std::vector<int> chosen = pivots(all(rows, candidates));
    if (chosen.empty()) {
      std::string names;
      for (const int r : rows) names += "\n    " + model_.equations[at(rows_[at(r)])].text;
      throw std::runtime_error("these constraints depend on each other:" + names);
    }
    std::vector<int> next;
    for (const int k : chosen) {
      next.push_back(candidates[at(k)]);
      dummies.insert(down(columns_[at(next.back())], depth));
    }
    candidates = std::move(next);
  }
}

double DummyDerivatives::worth(const std::set<int>& choice, std::span<const double> value) const {
  const Eigen::MatrixXd all = jacobian(value);
  const std::set<int> best = choose(value);
  if (best == choice) return 1.0;
  double least = 1.0;
  for (int depth = 0;; ++depth) {
    const std::vector<int> rows = rows_at(depth);
    if (rows.empty()) return least;
    const auto size_of = [&](const std::set<int>& dummies) {
      std::vector<int> columns;
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (const int v = down(columns_[c], depth); v >= 0 && dummies.contains(v))
          columns.push_back(static_cast<int>(c));
      return columns.size() == rows.size() ? std::abs(all(rows, columns).determinant()) : 0.0;
    };
    const double largest = size_of(best);
    if (largest > 0.0) least = std::min(least, size_of(choice) / largest);
  }
}

}  // namespace scree::equations
