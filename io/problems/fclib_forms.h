// The two forms of FCLib (Acary, Bremond, Koziara and Perignon 2014) and their conversion to W, q and mu.
//
//   global:  M v = H r + G l + f,   G^T v + b = 0,          u = H^T v + w
//   local:                          V^T r + R l + s = 0,    u = W r + V l + q
//
// with the laws of delassus_problem.h between r and u, normal first. Each step here is exact to
// rounding.
#pragma once

#include <Eigen/SparseCore>

#include "engine/core/errors.h"
#include "engine/solver/reference/delassus_problem.h"

namespace scree::io::fclib {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

struct GlobalForm {
  Matrix M, H, G;  // [velocity, velocity], [velocity, direction], [velocity, equality]
  Vector f, w, b;  // [velocity], [direction], [equality]
};

struct LocalForm {
  Matrix W, V, R;  // [direction, direction], [direction, equality], [equality, equality]
  Vector q, s;     // [direction], [equality]
};

/// One reason why a problem cannot be reduced.
struct Refusal {
  std::string dataset;  // within the group of the problem: "M"
  std::string problem;  // as in Fault
};
using Refusals = std::vector<Refusal>;

/// Completes M if a file contains one triangle only, as LMGC90's do: the other one is its mirror image. A
/// full M must be symmetric to 1e-6 of its diagonal.
Matrix symmetric(const Matrix& m, Refusals& refusals);

/// Eliminates v: W = H^T M^-1 H, V = H^T M^-1 G, R = G^T M^-1 G, q = H^T M^-1 f + w, s = G^T M^-1 f + b. M
/// must be positive definite.
LocalForm local_form(const GlobalForm& global, Refusals& refusals);

/// Eliminates l: W - V R^-1 V^T and q - V R^-1 s. Equalities may be redundant, but not contradictory.
void eliminate_equalities(LocalForm& local, Refusals& refusals);

/// For a form without equalities. `dimension`: directions per contact, 2 or 3. For 2 a third one is added in
/// which no impulse acts: its velocity is zero without one.
DelassusProblem delassus_problem(const LocalForm& local, const Vector& mu, int dimension, Refusals& refusals);

/// Splits a stacked r into vectors per contact, as delassus_problem() uses them.
std::vector<Vec3> contact_vectors(const Vector& stacked, int dimension);

}  // namespace scree::io::fclib
