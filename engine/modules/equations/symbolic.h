// Symbolic computation by GiNaC: derivatives, and equations solved for one of their symbols. Only
// symbolic.cpp uses GiNaC itself.
#pragma once

#include <optional>

#include "engine/modules/equations/expression.h"

namespace scree::equations {

/// d e / d symbol, simplified; a condition's `select` is differentiated branch by branch.
Expr derivative(const Expr& e, int symbol);

/// An equation e = 0 solved for one symbol that occurs in it.
struct Solution {
  enum class Kind {
    linear,  // a x + b = 0
    angle,   // a cos x + b sin x + c = 0
  };
  Kind kind = Kind::linear;
  Expr a, b, c;  // without x
};

/// None if e has neither form, or if a condition might remove x.
std::optional<Solution> solve(const Expr& e, int symbol);

}  // namespace scree::equations
