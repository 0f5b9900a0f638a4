#include "engine/modules/equations/inlining.h"

#include <functional>

namespace scree::equations {

void add_formula_symbols(FlatModel& model) {
  model.rate = model.add({.name = "rate", .kind = Symbol::Kind::rate});
  const std::vector<int> variables = model.variables;
  for (const int v : variables) {
    if (model[v].derivative < 0) continue;
    const int made = model.add({.name = "history(" + model[v].name + ")", .kind = Symbol::Kind::history});
    model[v].history = made;
  }
  model.value.resize(model.symbols.size(), 0.0);
}

Inlined inline_formulas(const FlatModel& model, const std::set<int>& dummies) {
  Inlined made;
  const auto is_formula = [&](int v) { return model[v].integral >= 0 && !dummies.contains(v); };
  const std::function<Expr(int)> formula = [&](int k) -> Expr {
    if (!model.is_variable(k) || !is_formula(k)) return nullptr;
    const int of = model[k].integral;
    const Expr lower = formula(of);
    return symbol(model.rate) * (lower ? lower : symbol(of)) + symbol(model[of].history);
  };
  for (const int v : model.variables) {
    if (!is_formula(v)) {
      made.unknowns.push_back(v);
      continue;
    }
  }
  for (const int v : model.variables) {  // chains from their lowest derivative
    if (model[v].integral >= 0) continue;
    for (int k = v; model[k].derivative >= 0; k = model[k].derivative)
      if (is_formula(model[k].derivative)) made.states.push_back(k);
  }
  for (const Equation& e : model.equations) {
    made.residuals.push_back(substitute(e.residual, formula));
    made.marked.push_back(symbols_of(made.residuals.back()).contains(model.rate) ? 1 : 0);
  }
  return made;
}

}  // namespace scree::equations
