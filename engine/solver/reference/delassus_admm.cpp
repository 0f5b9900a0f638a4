// `admm` for problems without bodies: all contacts are those of one body with fixed partners. With R =
// diag rho and z, y as in (C2), the body step (C1) becomes a step on the impulses r = R (z - y - u),
//   (W + R^-1) r = z - y - q,   u = z - y - R^-1 r,                                                      (W2)
// where W + R^-1 is factored once, without assuming symmetry, since stored W may lack it.
#include <Eigen/SparseLU>
#include <cmath>

#include "engine/solver/reference/delassus_problem.h"
#include "engine/solver/sweeps/proximal_newton.h"

namespace scree {

namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

/// Blocks K_c + G_c W, as one matrix.
template <class Left, class Diagonal>
SparseMatrix block_matrix(const DelassusProblem& p, Left&& left, Diagonal&& diagonal) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(9 * p.block.size());
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    for (std::int32_t k = p.row[c]; k < p.row[c + 1]; ++k) {
      Mat3 b = left(c, p.block[k]);
      if (k == p.diagonal[c]) b += diagonal(c);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
          entries.emplace_back(static_cast<int>(3 * c) + i, 3 * p.column[k] + j, b(i, j));
      }
    }
  }
  const auto size = static_cast<Eigen::Index>(3 * p.contacts());
  SparseMatrix m(size, size);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

class DelassusSystem final : public ImpulseSystem {
 public:
  explicit DelassusSystem(const DelassusProblem& p) : p_(p) {}
  std::size_t contacts() const override { return p_.contacts(); }
  double friction(std::size_t c) const override { return p_.friction[c]; }
  double trace(std::size_t c) const override { return p_.own_block(c).trace(); }
  void velocities(const std::vector<Vec3>& impulse, std::vector<Vec3>& velocity) override {
    contact_velocities(p_, impulse, velocity);
  }
  bool newton_step(const std::vector<Mat3>& k, const std::vector<Mat3>& g, const std::vector<Vec3>& f,
                   std::vector<Vec3>& dp) override {
    const SparseMatrix m = block_matrix(
        p_, [&](std::size_t c, const Mat3& w) -> Mat3 { return g[c] * w; },
        [&](std::size_t c) -> const Mat3& { return k[c]; });
    factors_.compute(m);
    if (factors_.info() != Eigen::Success) return false;
    Vector right(static_cast<Eigen::Index>(3 * f.size()));
    for (std::size_t c = 0; c < f.size(); ++c) right.segment<3>(static_cast<Eigen::Index>(3 * c)) = -f[c];
    const Vector solved = factors_.solve(right);
    dp.resize(f.size());
    for (std::size_t c = 0; c < f.size(); ++c) dp[c] = solved.segment<3>(static_cast<Eigen::Index>(3 * c));
    return solved.allFinite();
  }

 private:
  const DelassusProblem& p_;
  Eigen::SparseLU<SparseMatrix> factors_;
};

/// z and y of every contact, m/s, stacked.
struct Iterate {
  Vector z, y;
};

void contact_step(const DelassusProblem& p, const Vector& rho, const Vector& u, Iterate& it,
                  std::vector<Vec3>& impulse) {
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const auto at = static_cast<Eigen::Index>(3 * c);
    const Vec3 now = u.segment<3>(at);
    const Vec3 q =
        over_relaxation * now + (1.0 - over_relaxation) * it.z.segment<3>(at) + it.y.segment<3>(at);
    Vec3 r = q;
    r[0] += p.friction[c] * now.tail<2>().norm();
    const Vec3 delta = project_on_cone(-r, p.friction[c]);
    it.z.segment<3>(at) = q + delta;
    it.y.segment<3>(at) = -delta;
    impulse[c] = rho[at] * delta;
  }
}

}  // namespace

SolveReport solve_delassus_admm(const DelassusProblem& p, const SolverSettings& settings,
                                DelassusSolution& s) {
  const auto size = static_cast<Eigen::Index>(3 * p.contacts());
  Vector rho(size), q(size);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    rho.segment<3>(static_cast<Eigen::Index>(3 * c)).setConstant(3.0 * kappa / p.own_block(c).trace());
    q.segment<3>(static_cast<Eigen::Index>(3 * c)) = p.q[c];
  }
  Eigen::SparseLU<SparseMatrix> factors;
  factors.compute(block_matrix(
      p, [](std::size_t, const Mat3& w) { return w; },
      [&](std::size_t c) -> Mat3 { return Mat3::Identity() / rho[static_cast<Eigen::Index>(3 * c)]; }));
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  const double goal = settings.tolerance * p.velocity_scale;
  const auto is_done = [&] {
    contact_velocities(p, s.impulse, s.velocity);
    report.residual = residual(p, s.impulse, s.velocity);
    if (report.residual.rms_m_s <= goal) report.status = SolveStatus::converged;
    return report.residual.rms_m_s <= goal;
  };
  DelassusSystem system(p);
  for (int batch = iterations_before_newton; report.sweeps < settings.max_sweeps; batch *= 2) {
    Iterate it{Vector(size), Vector(size)};  // from the impulses found so far
    for (std::size_t c = 0; c < p.contacts(); ++c) {
      const auto at = static_cast<Eigen::Index>(3 * c);
      it.z.segment<3>(at) = s.velocity[c];
      it.y.segment<3>(at) = -s.impulse[c] / rho[at];
    }
    const int end = std::min(settings.max_sweeps, report.sweeps + batch);
    while (factors.info() == Eigen::Success && report.sweeps < end) {
      const Vector aim = it.z - it.y;
      const Vector r = factors.solve(aim - q);
      contact_step(p, rho, aim - r.cwiseQuotient(rho), it, s.impulse);
      ++report.sweeps;
      if ((report.sweeps % iterations_between_checks == 0 || report.sweeps == end) && is_done())
        return report;
    }
    const int steps = proximal_newton(system, goal, settings.max_sweeps - report.sweeps, s.impulse).steps;
    report.sweeps += steps;
    if (is_done() || (steps == 0 && factors.info() != Eigen::Success)) return report;
  }
  return report;
}

}  // namespace scree
