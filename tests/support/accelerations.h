// The motion of constrained bodies at one moment: accelerations and multipliers.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

namespace scree {

/// n velocities, m constraints, in coordinates of any kind:
///   [M  J^T] [a     ]   [f     ]
///   [J  0  ] [lambda] = [-gamma]                                                                     (D1)
/// where gamma is the part of J a + gamma = d^2 phi / dt^2 without accelerations. The force of the
/// constraints is -J^T lambda.
struct MotionEquations {
  Eigen::SparseMatrix<double> mass;      // n x n, symmetric, positive definite
  Eigen::SparseMatrix<double> jacobian;  // m x n
  Eigen::VectorXd force;                 // n, all except constraint forces
  Eigen::VectorXd gamma;                 // m
};

struct ConstrainedMotion {
  Eigen::VectorXd acceleration, multiplier;  // n; m, for redundant constraints the least in the mean square
  Eigen::Index rank = 0;                     // of J, if known: m in sparse solutions
  std::vector<Eigen::Index> redundant;       // constraints that follow from the others
  double inconsistency = 0.0;                // largest |J a + gamma|: the part that cannot be fulfilled
};

/// Dense: J M^-1/2 by Householder reflections with pivoting, which reveals its rank; singular values below
/// 1e-9 of the largest count as zero. Sparse: a Cholesky factorisation of (D1) made quasi-definite by -eps in
/// its lower corner, with refinement on (D1) itself; linear in the length of a chain. Both give the same
/// accelerations, to 1e-10 of the largest if J has full rank (test: Accelerations.*).
class MotionSolver {
 public:
  enum class Kind { automatic, dense, sparse };  // automatic: sparse from 150 unknowns on
  explicit MotionSolver(Kind kind = Kind::automatic) : kind_(kind) {}
  ConstrainedMotion solve(const MotionEquations& equations) const;
  /// d with J d = r, and the least d.M d.
  Eigen::VectorXd least_change(const MotionEquations& equations, const Eigen::VectorXd& r) const;

 private:
  Kind kind_;
};

}  // namespace scree
