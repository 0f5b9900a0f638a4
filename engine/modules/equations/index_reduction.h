// Index reduction: constraints between states, explicit or hidden, are differentiated until each highest
// derivative is determined. Then some derivatives become those of states, others usual unknowns.
#pragma once

#include <Eigen/Dense>
#include <set>
#include <span>

#include "engine/modules/equations/model.h"

namespace scree::equations {

/// d e / dt; creates derivatives of variables that are missing.
Expr time_derivative(FlatModel& model, const Expr& e);

/// Adds derivatives of equations, and of variables in them, until the highest derivatives can be matched with
/// equations (Pantelides 1988). The structure must be sound (check_structure), else it does not terminate.
void pantelides(FlatModel& model);
/// Number of differentiations of an equation.
int times_differentiated(const FlatModel& model, std::size_t equation);

/// For each set of differentiated equations the same number of highest derivatives become dummies. Dummies
/// are unknowns that no formula integrates, so that all equations hold in each step (Mattsson, Soederlind
/// 1993). They are selected by pivoting, with columns of the Jacobian weighted by stateSelect.
class DummyDerivatives {
 public:
  explicit DummyDerivatives(const FlatModel& model);
  bool needed() const { return !rows_.empty(); }
  /// The best choice if symbol k has value[k]: derivatives that are dummies. Throws std::runtime_error with
  /// the names of the equations if these are dependent there.
  std::set<int> choose(std::span<const double> value) const;
  /// The least ratio, over all sets, of the pivots of a choice to those of the best one, 0 to 1.
  double worth(const std::set<int>& choice, std::span<const double> value) const;

 private:
  std::vector<int> rows_at(int depth) const;
  Eigen::MatrixXd jacobian(std::span<const double> value) const;
  int down(int variable, int steps) const;
  static std::vector<int> pivots(const Eigen::MatrixXd& a);

  const FlatModel& model_;
  std::vector<int> rows_, columns_;       // for highest derivatives: equations, variables
  std::vector<std::vector<Expr>> entry_;  // [row][column] d equation / d variable; null: 0
  std::vector<double> weight_;            // [column]
};

}  // namespace scree::equations
