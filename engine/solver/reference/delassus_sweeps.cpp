// `gauss_seidel` and `nsgs` for problems without bodies: Gauss-Seidel over contacts in their order, (P1) and
// (P2) or the exact local cone (L1), with the conjugate directions (P3). Serial: stored problems are small.
#include <cmath>

#include "engine/solver/reference/delassus_problem.h"
#include "engine/solver/sweeps/local_cone.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

namespace {

constexpr int sweeps_between_checks = 5;

/// One sweep; returns the sum of squared velocity changes, (m/s)^2.
double sweep_contacts(const DelassusProblem& p, SolverKind kind, const std::vector<LocalContact>& local,
                      std::vector<Vec3>& impulse) {
  double change = 0.0;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const Vec3 u = contact_velocity(p, c, impulse);
    Vec3 d;
    if (kind == SolverKind::nsgs) {
      const Mat3 w = 0.5 * (p.own_block(c) + p.own_block(c).transpose());
      d = solve_local_cone(w, u - w * impulse[c], p.friction[c]) - impulse[c];
    } else {
      const ImpulseChange change_of = improve_impulse(local[c], impulse[c].data(), u[0], u[1], u[2]);
      d = Vec3(change_of.n, change_of.t1, change_of.t2);
    }
    impulse[c] += d;
    change += (p.own_block(c) * d).squaredNorm();
  }
  return change;
}

}  // namespace

SolveReport solve_delassus_sweeps(const DelassusProblem& p, const SolverSettings& settings,
                                  DelassusSolution& s) {
  std::vector<LocalContact> local;
  for (std::size_t c = 0; c < p.contacts(); ++c)
    local.push_back(local_contact(p.own_block(c), p.friction[c]));
  std::vector<ConjugateDirection<3>> direction(p.contacts());
  for (std::size_t c = 0; c < p.contacts(); ++c) Vec3::Map(direction[c].last) = s.impulse[c];
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  const double goal = settings.tolerance * p.velocity_scale;
  double last_change = 0.0;
  while (report.sweeps < settings.max_sweeps) {
    const double change = sweep_contacts(p, settings.kind, local, s.impulse);
    ++report.sweeps;
    if (!(change < infinity)) break;
    if (report.sweeps % sweeps_between_checks == 0 || report.sweeps == settings.max_sweeps) {
      contact_velocities(p, s.impulse, s.velocity);
      report.residual = residual(p, s.impulse, s.velocity);
      if (report.residual.rms_m_s <= goal) {
        report.status = SolveStatus::converged;
        return report;
      }
    }
    if (report.sweeps == settings.max_sweeps) break;
    const double beta = report.sweeps > 1 && change < last_change ? change / last_change : 0.0;
    for (std::size_t c = 0; c < p.contacts(); ++c) follow(beta, s.impulse[c].data(), direction[c]);
    last_change = change;
  }
  contact_velocities(p, s.impulse, s.velocity);
  report.residual = residual(p, s.impulse, s.velocity);
  return report;
}

}  // namespace scree
