#include "engine/solver/reference/delassus_problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/solver/problem/contact_jacobian.h"

namespace scree {

namespace {

/// Contacts that share a movable body with c, including c; ascending, without repetition.
void neighbours(const ContactProblem& p, std::size_t c, std::vector<std::int32_t>& found) {
  found.clear();
  for (const std::size_t i : {p.a(c), p.b(c)}) {
    if (!p.is_moved(i)) continue;
    found.insert(found.end(), p.body_contact.begin() + p.body_row[i],
                 p.body_contact.begin() + p.body_row[i + 1]);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

/// Sign of body `i` in the contact's velocity: + for its body a, - for its body b, 0 for others.
double side(const ContactProblem& p, std::size_t c, std::size_t i) {
  return (p.a(c) == i ? 1.0 : 0.0) - (p.b(c) == i ? 1.0 : 0.0);
}

/// J_c M^-1 J_d^T.
Mat3 coupling(const ContactProblem& p, std::size_t c, std::size_t d) {
  Mat3 w = Mat3::Zero();
  for (const std::size_t i : {p.a(c), p.b(c)}) {
    const double sign = side(p, c, i) * side(p, d, i);
    if (sign == 0.0) continue;
    const ContactJacobian j = contact_jacobian(p.frame(c), p.a(c) == i ? p.arm_a(c) : p.arm_b(c));
    const ContactJacobian k = contact_jacobian(p.frame(d), p.a(d) == i ? p.arm_a(d) : p.arm_b(d));
    const BodyResponse& body = p.response[i];
    if (body.slides)
      w += sign * (j.leftCols<3>() * body.inverse_inertia() * k.leftCols<3>().transpose());
    else
      w += sign * (body.inverse_mass * j.leftCols<3>() * k.leftCols<3>().transpose() +
                   j.rightCols<3>() * body.inverse_inertia() * k.rightCols<3>().transpose());
  }
  return w;
}

double squared_norm(const std::vector<Vec3>& v) {
  double sum = 0.0;
  for (const Vec3& x : v) sum += x.squaredNorm();
  return sum;
}

}  // namespace

double root_mean_square(const std::vector<Vec3>& v) {
  return v.empty() ? 0.0 : std::sqrt(squared_norm(v) / static_cast<double>(v.size()));
}

DelassusProblem delassus_problem(const ContactProblem& p) {
  assert(p.rows.empty() && p.friction_corners == 0);
  DelassusProblem d;
  d.row.push_back(0);
  std::vector<std::int32_t> found;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    neighbours(p, c, found);
    for (const std::int32_t other : found) {
      if (static_cast<std::size_t>(other) == c)
        d.diagonal.push_back(static_cast<std::int32_t>(d.column.size()));
      d.column.push_back(other);
      d.block.push_back(coupling(p, c, static_cast<std::size_t>(other)));
    }
    d.row.push_back(static_cast<std::int32_t>(d.column.size()));
    Vec3 q = p.frame(c) * relative_velocity(p, c, p.free_velocity);
    q[0] += p.offset(c);
    d.q.push_back(q);
    d.friction.push_back(p.friction(c));
  }
  d.velocity_scale = p.velocity_scale > 0.0 ? p.velocity_scale : root_mean_square(d.q);
  return d;
}

Vec3 contact_velocity(const DelassusProblem& p, std::size_t c, const std::vector<Vec3>& impulse) {
  Vec3 u = p.q[c];
  for (auto k = static_cast<std::size_t>(p.row[c]); k < static_cast<std::size_t>(p.row[c + 1]); ++k)
    u += p.block[k] * impulse[p.column[k]];
  return u;
}

void contact_velocities(const DelassusProblem& p, const std::vector<Vec3>& impulse,
                        std::vector<Vec3>& velocity) {
  velocity.resize(p.contacts());
  for_each_index(p.contacts(), grain_medium,
                 [&](std::size_t c) { velocity[c] = contact_velocity(p, c, impulse); });
}

Residual residual(const DelassusProblem& p, const std::vector<Vec3>& impulse,
                  const std::vector<Vec3>& velocity) {
  ResidualSum sum;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    if (impulse[c][0] <= 0.0 && velocity[c][0] >= 0.0) continue;
    sum.add(natural_map(impulse[c], velocity[c], p.friction[c], p.own_block(c).trace()).squaredNorm());
  }
  return sum.residual();
}

double collection_error(const DelassusProblem& p, const DelassusSolution& s) {
  constexpr double trace_of_unit_rho = 3.0;
  double sum = 0.0;
  for (std::size_t c = 0; c < p.contacts(); ++c)
    sum += natural_map(s.impulse[c], s.velocity[c], p.friction[c], trace_of_unit_rho).squaredNorm();
  const double scale = std::max({squared_norm(p.q), squared_norm(s.impulse), squared_norm(s.velocity)});
  return scale > 0.0 ? std::sqrt(sum / scale) : 0.0;
}

SolveReport solve(const DelassusProblem& problem, const SolverSettings& settings,
                  DelassusSolution& solution) {
  assert(settings.kind != SolverKind::one_pass);
  solution.impulse.assign(problem.contacts(), Vec3::Zero());
  if (settings.warm_start && !problem.start_impulse.empty()) solution.impulse = problem.start_impulse;
  contact_velocities(problem, solution.impulse, solution.velocity);
  SolveReport report = settings.kind == SolverKind::admm ? solve_delassus_admm(problem, settings, solution)
                                                         : solve_delassus_sweeps(problem, settings, solution);
  if (!(report.residual.rms_m_s < infinity)) {
    report.status = SolveStatus::diverged;
    solution.impulse.assign(problem.contacts(), Vec3::Zero());
    solution.velocity = problem.q;
  }
  return report;
}

}  // namespace scree
