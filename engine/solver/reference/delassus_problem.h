// The contact problem reduced to its contacts: W, q and mu, without bodies. Problems are exchanged in
// this form.
//
// The unknowns are the impulses p_c (N s) in the frames (n, t1, t2) of the contacts. With
//   u = W p + q                                                                                       (W1)
// contact by contact: 0 <= u_n complementary to p_n >= 0, |p_t| <= friction p_n, and p_t dissipates the most
// energy of all such impulses: (S3) and (S4) with the offset in q. W is symmetric positive semidefinite in
// theory; stored ones may deviate by rounding of their authors, and are used without change.
#pragma once

#include "engine/solver/solver.h"

namespace scree {

struct DelassusProblem {
  double velocity_scale = 0.0;  // m/s, reference of residuals
  // W in block rows: row c has blocks [row[c], row[c + 1]), with ascending columns, including the block (c,
  // c).
  std::vector<std::int32_t> row;       // [contact + 1]
  std::vector<std::int32_t> column;    // [block]
  std::vector<Mat3> block;             // [block], 1/kg
  std::vector<std::int32_t> diagonal;  // [contact], the block (c, c)
  std::vector<Vec3> q;                 // [contact], m/s: relative velocity without impulses, plus offset
  std::vector<double> friction;        // [contact]
  std::vector<Vec3> start_impulse;     // [contact], N s: warm start; empty: zero

  std::size_t contacts() const { return q.size(); }
  const Mat3& own_block(std::size_t c) const { return block[diagonal[c]]; }
};

struct DelassusSolution {
  std::vector<Vec3> impulse;   // [contact], N s
  std::vector<Vec3> velocity;  // [contact], m/s: u of (W1)
};

/// W and q of a problem with bodies. The problem must have no rows. Its velocity scale is
/// kept if it is positive, else the root mean square of q is used.
DelassusProblem delassus_problem(const ContactProblem& problem);

/// sqrt of the mean of |v|^2; 0 if the list is empty.
double root_mean_square(const std::vector<Vec3>& v);

/// u_c of (W1).
Vec3 contact_velocity(const DelassusProblem& problem, std::size_t c, const std::vector<Vec3>& impulse);
void contact_velocities(const DelassusProblem& problem, const std::vector<Vec3>& impulse,
                        std::vector<Vec3>& velocity);

/// (S5) over active contacts.
Residual residual(const DelassusProblem& problem, const std::vector<Vec3>& impulse,
                  const std::vector<Vec3>& velocity);
/// The dimensionless error that the collection of stored problems uses: the natural map with rho = 1 over the
/// largest of |q|, |p| and |u|, without regard to their units.
double collection_error(const DelassusProblem& problem, const DelassusSolution& solution);

/// Solves from the start impulses if there are any and settings.warm_start, else from zero. `one_pass` needs
/// bodies and is not allowed.
[[nodiscard]] SolveReport solve(const DelassusProblem& problem, const SolverSettings& settings,
                                DelassusSolution& solution);

// The single solvers; see their files.
[[nodiscard]] SolveReport solve_delassus_sweeps(const DelassusProblem& problem,
                                                const SolverSettings& settings, DelassusSolution& solution);
[[nodiscard]] SolveReport solve_delassus_admm(const DelassusProblem& problem, const SolverSettings& settings,
                                              DelassusSolution& solution);

}  // namespace scree
