// Accuracy of a solution of a contact problem: one measure for all solvers.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/solver/problem/contact_problem.h"
#include "engine/solver/problem/rank_share.h"
#include "engine/solver/problem/solve_report.h"

namespace scree {

/// The natural map of one contact, m/s; u includes the offset, `trace` is that of its Delassus block. On a
/// sampled cone (corners > 0) normal and tangential laws are separate: r_n = (p_n - max(0, p_n - rho u_n)) /
/// rho, and r_t = (p_t - P(p_t - rho u_t)) / rho with P the projection onto the polygon of radius friction
/// p_n.
Vec3 natural_map(const Vec3& impulse, const Vec3& u, double friction, double trace, int corners = 0);

/// Residual of all contacts and rows; impulses as in a solution. The problem need not be complete. Values of
/// each contact are stored if requested: u_n with its offset, m/s, and the square of its residual with its
/// rows, (m/s)^2, 0 if it is not active.
struct ResidualOfEach {
  double* normal_velocity = nullptr;
  float* squared = nullptr;
};
Residual residual(const ContactProblem& problem, const std::vector<BodyVelocity>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<double>& row_impulse,
                  const ResidualOfEach& each, ContactCompliances compliance);
/// With the compliance of the problem.
Residual residual(const ContactProblem& problem, const std::vector<BodyVelocity>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<double>& row_impulse);

/// Bounds of a row's impulse, or of the length of a disc's.
struct RowBounds {
  double low, high;
};
inline RowBounds bounds_of(const Row& row, const std::vector<Vec3>& impulse) {
  if (row.bound == RowBound::interval) return {row.low, row.high};
  const double high = row.high * impulse[row.contact][0];
  return {-high, high};
}

/// The residual of (S6) of row r, squared, as a velocity, (m/s)^2: the natural map (p - P(p - rho u)) / rho
/// with rho = 1 / (W + c), times the row's length. The first row of a disc has that of both, the second has
/// 0.
double row_residual_squared(const ContactProblem& problem, std::size_t r,
                            const std::vector<BodyVelocity>& velocity, const std::vector<Vec3>& impulse,
                            const std::vector<double>& row_impulse);

/// Projection onto the Coulomb cone |p_t| <= mu p_n.
inline Vec3 project_on_cone(const Vec3& p, double mu) {
  const double t = std::sqrt(p[1] * p[1] + p[2] * p[2]);
  if (mu * t <= -p[0]) return Vec3::Zero();  // first: without friction 0 <= mu p_n holds also where p_n < 0
  if (t <= mu * p[0]) return p;
  const double n = (p[0] + mu * t) / (1.0 + mu * mu);
  const double scale = mu * n / t;
  return {n, scale * p[1], scale * p[2]};
}

/// natural_map() on the smooth cone.
inline Vec3 natural_map_of_cone(const Vec3& impulse, const Vec3& u, double friction, double rho) {
  const double slide = std::sqrt(u[1] * u[1] + u[2] * u[2]);
  Vec3 aim = impulse - rho * u;
  aim[0] -= rho * friction * slide;
  return (impulse - project_on_cone(aim, friction)) / rho;
}

/// Contribution of some contacts to a Residual.
struct ResidualSum {
  double squares = 0.0, largest = 0.0;
  std::int64_t active = 0;

  void add(double squared) {
    squares += squared;
    largest = std::max(largest, squared);
    ++active;
  }
  static constexpr std::size_t sums = 1;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(squares);
  }
  void join(const ResidualSum& o) {
    largest = std::max(largest, o.largest);
    active += o.active;
  }
  void over_ranks(Ranks& ranks) {
    ranks.most({&largest, 1});
    ranks.total({&active, 1});
  }
  ResidualSum& operator+=(const ResidualSum& o) {
    squares += o.squares;
    join(o);
    return *this;
  }
  Residual residual() const {
    return {active > 0 ? std::sqrt(squares / static_cast<double>(active)) : 0.0, std::sqrt(largest), active};
  }
};

/// For the rows [begin, end), which belong to no contact.
ResidualSum residual_of_rows(const ContactProblem& problem, std::size_t begin, std::size_t end,
                             const std::vector<BodyVelocity>& velocity, const std::vector<Vec3>& impulse,
                             const std::vector<double>& row_impulse);

}  // namespace scree
