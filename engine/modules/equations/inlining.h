// Implicit formulas put in place of derivatives, so that a step is a system of equations without any.
#pragma once

#include <set>

#include "engine/modules/equations/model.h"

namespace scree::equations {

/// Makes the symbols that inlined formulas need: the rate, and a history of every variable with a derivative.
void add_formula_symbols(FlatModel& model);

/// The system of one step. der(x) has become a x + history(x), for every derivative that is no dummy;
/// implicit Euler and the second-order backward formula differ in the numbers a and history alone.
struct Inlined {
  std::vector<int> unknowns;    // symbols
  std::vector<Expr> residuals;  // [equation of the model]
  std::vector<int> states;      // variables whose derivatives have become formulas, each after its integral
  std::vector<char> marked;     // [equation] "res": a formula was put in
};
Inlined inline_formulas(const FlatModel& model, const std::set<int>& dummies);

}  // namespace scree::equations
