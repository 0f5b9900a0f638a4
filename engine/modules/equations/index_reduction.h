// Constraints between states, hidden or not: differentiated until every highest derivative is determined, and
// then which derivatives are states' and which are unknowns like others.
#pragma once

#include <Eigen/Dense>
#include <set>
#include <span>

#include "engine/modules/equations/model.h"

namespace scree::equations {

/// d e / dt, with derivatives of variables made where they are missing.
Expr time_derivative(FlatModel& model, const Expr& e);

/// Adds derivatives of equations, and of variables in them, until the highest derivatives can be matched with
/// equations (Pantelides 1988). The structure must be sound (check_structure), else this does not end.
void pantelides(FlatModel& model);
/// How often an equation was differentiated.
int times_differentiated(const FlatModel& model, std::size_t equation);

/// Of each set of differentiated equations as many derivatives of highest order become dummies, unknowns that
/// no formula integrates, so that all equations are met in every step (Mattsson, Soederlind 1993). Which
/// ones, pivoting tells, columns of the Jacobian being weighted by stateSelect.
class DummyDerivatives {
 public:
  explicit DummyDerivatives(const FlatModel& model);
  bool needed() const { return !rows_.empty(); }
  /// The best choice where symbol k is value[k]; derivatives that are dummies. Throws std::runtime_error that
  /// names the equations if they depend on each other there.
  std::set<int> choose(std::span<const double> value) const;
  /// The least ratio, over the sets, of a choice's pivots to those of the best one, 0 to 1.
  double worth(const std::set<int>& choice, std::span<const double> value) const;

 private:
  std::vector<int> rows_at(int depth) const;
  Eigen::MatrixXd jacobian(std::span<const double> value) const;
  int down(int variable, int steps) const;
  static std::vector<int> pivots(const Eigen::MatrixXd& a);

  const FlatModel& model_;
  std::vector<int> rows_, columns_;       // highest derivatives: equations, variables
  std::vector<std::vector<Expr>> entry_;  // [row][column] d equation / d variable; null: 0
  std::vector<double> weight_;            // [column]
};

}  // namespace scree::equations
