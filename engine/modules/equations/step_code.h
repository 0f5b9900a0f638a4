// The code of one step: for each torn block its assignments, residuals and Jacobian.
#pragma once

#include "engine/modules/equations/program.h"
#include "engine/modules/equations/tearing.h"

namespace scree::equations {

struct BlockCode {
  Program follow;    // assigns the unknowns that follow from the tears
  Program evaluate;  // the same; outputs: residuals, their derivatives by tears, row after row, and those of
                     // the other unknowns
};

/// Derivatives pass through the assignments: dz/dt = -(df/dt + sum df/dy dy/dt) / (df/dz) for each z that
/// follows from f = 0, with partial derivatives of the original equations.
BlockCode block_code(const FlatModel& model, const TornBlock& block, const Inlined& system,
                     SolvedEquations& solved);

/// Code that evaluates expressions.
Program expressions_code(const FlatModel& model, std::span<const Expr> expressions);

}  // namespace scree::equations
