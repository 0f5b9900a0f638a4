// Inlined formulas: implicit formulas replace derivatives, so that a step is a system without derivatives.
#pragma once

#include <set>

#include "engine/modules/equations/model.h"

namespace scree::equations {

/// Adds the symbols that inlined formulas need: the rate, and a history for each variable with a derivative.
void add_formula_symbols(FlatModel& model);

/// The system of one step. der(x) is replaced by a x + history(x), for each derivative that is no dummy.
/// Implicit Euler and the second-order backward formula differ only in the numbers a and history.
struct Inlined {
  std::vector<int> unknowns;    // symbols
  std::vector<Expr> residuals;  // [equation of the model]
  std::vector<int> states;   // variables whose derivatives are replaced by formulas, each after its integral
  std::vector<char> marked;  // [equation] "res": with a formula
};
Inlined inline_formulas(const FlatModel& model, const std::set<int>& dummies);

}  // namespace scree::equations
