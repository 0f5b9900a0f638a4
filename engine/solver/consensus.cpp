// The `consensus` solver: every body and every contact in parallel, alternating directions on the common
// velocity.
//
// The velocities z_a, z_b that both sides of a contact reach are unknowns of their own. Body step: the
// velocity closest to the free one and to what its contacts ask for,
//   v = (M + sum rho J^T J)^-1 (M v_hat + sum rho J^T (z - y))                                          (C1)
// (y_b = -y_a; the matrix is factored once). Contact step, with q = J v + y and the shift of De Saxce and
// Feng,
//   r = q_a - q_b + (offset + mu |u_t|) n,  delta = P_K*(r) - r,  K* = {u_n >= mu |u_t|},
//   z_a = q_a + delta / 2,  z_b = q_b - delta / 2,  y = -delta / 2,  p = rho delta / 2 (C2)
// and against a fixed partner z_a = q_a + delta, y = -delta, p = rho delta. p is in the cone at every
// iteration (Moreau 1962). rho = 3 kappa / trace W; over-relaxed (Eckstein, Bertsekas 1992). Ends with v =
// v_hat + M^-1 sum J^T p, so momentum is kept to rounding after any number of iterations. Needs no colours
// and no order of bodies. What is left after iterations_before_newton goes by joint Newton steps (N1), unless
// contacts resist torques.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/parallel.h"
#include "engine/solver/body_system.h"
#include "engine/solver/consensus_constants.h"
#include "engine/solver/contact_jacobian.h"
#include "engine/solver/solver.h"
#include "engine/solver/torques.h"

namespace scree {

namespace {

/// Velocity and spin of one side of a contact, contact frame.
struct SideMotion {
  Vec3 velocity, spin;
};

SideMotion side_motion(const ContactProblem& p, std::size_t c, bool is_a, const std::vector<Twist>& v) {
  const Twist& t = v[static_cast<std::size_t>(is_a ? p.body_a[c] : p.body_b[c])];
  return {p.frame(c) * (t.linear + t.angular.cross(is_a ? p.arm_a(c) : p.arm_b(c))), p.frame(c) * t.angular};
}

void prepare(const ContactProblem& p, bool warm, ConsensusWorkspace& w, ContactSolution& s) {
  const std::size_t contacts = p.contacts();
  w.rho.resize(contacts);
  w.rho_spin.resize(contacts);
  w.y.resize(contacts);
  w.y_spin.resize(contacts);
  w.side_a.resize(contacts);
  w.side_b.resize(contacts);
  w.inverse.resize(p.bodies());
  for_each_index(contacts, grain_medium, [&](std::size_t c) {
    w.rho[c] = 3.0 * kappa / p.delassus[c].trace();
    const auto torque = p.torque_of(c);
    w.rho_spin[c] = torque ? 3.0 * kappa / relative_inverse_inertia(p, c).trace() : 0.0;
    s.impulse[c] = warm ? project_on_cone(p.start_impulse[c], p.friction(c)) : Vec3(Vec3::Zero());
    if (torque) s.torque_impulse[*torque] = warm ? p.torques[*torque].start_impulse : Vec3(Vec3::Zero());
  });
  for_each_index(p.bodies(), grain_heavy, [&](std::size_t i) {
    Mat6 m = mass_matrix(p.inverse_mass(i), p.inverse_inertia(i));
    for (auto k = static_cast<std::size_t>(p.body_row[i]); k < static_cast<std::size_t>(p.body_row[i + 1]);
         ++k) {
      const auto c = static_cast<std::size_t>(p.body_contact[k]);
      const bool is_a = p.body_a[c] == static_cast<std::int32_t>(i);
      const ContactJacobian j = contact_jacobian(p.frame(c), is_a ? p.arm_a(c) : p.arm_b(c));
      m += w.rho[c] * j.transpose() * j;
      m.bottomRightCorner<3, 3>() += w.rho_spin[c] * p.frame(c).transpose() * p.frame(c);
    }
    w.inverse[i] = m.llt().solve(Mat6::Identity());
  });
}

/// z and y that go with the impulses: where iterations begin.
void begin(const ContactProblem& p, ConsensusWorkspace& w, ContactSolution& s) {
  velocities_from_impulses(p, s);
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    w.y[c] = -s.impulse[c] / w.rho[c];
    w.y_spin[c].setZero();
    if (const auto t = p.torque_of(c)) w.y_spin[c] = -s.torque_impulse[*t] / w.rho_spin[c];
    const SideMotion a = side_motion(p, c, true, s.velocity);
    w.side_a[c] = {a.velocity, a.spin};
    if (p.body_b[c] == fixed_partner) return;
    const SideMotion b = side_motion(p, c, false, s.velocity);
    w.side_b[c] = {b.velocity, b.spin};
  });
}

/// (C1), written as the free velocity plus the response to what the contacts ask for beyond it.
void body_step(const ContactProblem& p, ConsensusWorkspace& w, std::vector<Twist>& velocity) {
  for_each_index(p.bodies(), grain_medium, [&](std::size_t i) {
    const Twist& free = p.free_velocity[i];
    Vec6 pull = Vec6::Zero();
    for (auto k = static_cast<std::size_t>(p.body_row[i]); k < static_cast<std::size_t>(p.body_row[i + 1]);
         ++k) {
      const auto c = static_cast<std::size_t>(p.body_contact[k]);
      const bool is_a = p.body_a[c] == static_cast<std::int32_t>(i);
      const double sign = is_a ? 1.0 : -1.0;
      const Vec3 arm = is_a ? p.arm_a(c) : p.arm_b(c);
      const ConsensusWorkspace::Side& side = is_a ? w.side_a[c] : w.side_b[c];
      const Vec3 now = p.frame(c) * (free.linear + free.angular.cross(arm));
      const Vec3 force = w.rho[c] * (p.frame(c).transpose() * (side.z - sign * w.y[c] - now));
      pull.head<3>() += force;
      pull.tail<3>() += arm.cross(force);
      if (w.rho_spin[c] > 0.0) {
        pull.tail<3>() += w.rho_spin[c] * (p.frame(c).transpose() *
                                           (side.z_spin - sign * w.y_spin[c] - p.frame(c) * free.angular));
      }
    }
    const Vec6 change = w.inverse[i] * pull;
    velocity[i] = {free.linear + change.head<3>(), free.angular + change.tail<3>()};
  });
}

/// (C2) of the spins: brought together by torque impulses within the bounds that the normal impulse sets.
Vec3 spin_step(const TorqueLaw& law, double rho, double share, double p_n, const Vec3& r) {
  const double torsion = law.torsional_friction * p_n / (rho * share),
               rolling = law.rolling_friction * p_n / (rho * share);
  Vec3 delta = -r;
  delta[0] = std::clamp(delta[0], -torsion, torsion);
  const double length = delta.tail<2>().norm();
  if (length > rolling) delta.tail<2>() *= rolling / length;
  return delta;
}

void contact_step(const ContactProblem& p, ConsensusWorkspace& w, ContactSolution& s) {
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    const bool fixed = p.body_b[c] == fixed_partner;
    const double share = fixed ? 1.0 : 0.5;
    const SideMotion a = side_motion(p, c, true, s.velocity);
    const SideMotion b =
        fixed ? SideMotion{Vec3::Zero(), Vec3::Zero()} : side_motion(p, c, false, s.velocity);
    ConsensusWorkspace::Side &side_a = w.side_a[c], &side_b = w.side_b[c];
    const auto relaxed = [](const Vec3& now, const Vec3& z) -> Vec3 {
      return over_relaxation * now + (1.0 - over_relaxation) * z;
    };
    const Vec3 q_a = relaxed(a.velocity, side_a.z) + w.y[c];
    const Vec3 q_b = fixed ? Vec3(Vec3::Zero()) : Vec3(relaxed(b.velocity, side_b.z) - w.y[c]);
    Vec3 r = q_a - q_b;
    r[0] += p.offset(c) + p.friction(c) * (a.velocity - b.velocity).tail<2>().norm();
    const Vec3 delta = project_on_cone(-r, p.friction(c));  // P_K*(r) - r = P_K(-r)
    side_a.z = q_a + share * delta;
    side_b.z = q_b - share * delta;
    w.y[c] = -share * delta;
    s.impulse[c] = w.rho[c] * share * delta;
    const auto t = p.torque_of(c);
    if (!t) return;
    const Vec3 spin_a = relaxed(a.spin, side_a.z_spin) + w.y_spin[c];
    const Vec3 spin_b = fixed ? Vec3(Vec3::Zero()) : Vec3(relaxed(b.spin, side_b.z_spin) - w.y_spin[c]);
    const Vec3 turn = spin_step(p.torques[*t], w.rho_spin[c], share, s.impulse[c][0], spin_a - spin_b);
    side_a.z_spin = spin_a + share * turn;
    side_b.z_spin = spin_b - share * turn;
    w.y_spin[c] = -share * turn;
    s.torque_impulse[*t] = w.rho_spin[c] * share * turn;
  });
}

}  // namespace

SolveReport solve_consensus(const ContactProblem& p, const SolverSettings& settings, ConsensusWorkspace& w,
                            ContactSolution& s) {
  prepare(p, settings.warm_start, w, s);
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  const double goal = settings.tolerance * p.velocity_scale;
  const auto is_done = [&] {
    velocities_from_impulses(p, s);
    report.residual = residual(p, s.velocity, s.impulse, s.torque_impulse);
    if (report.residual.rms_m_s <= goal) report.status = SolveStatus::converged;
    return report.residual.rms_m_s <= goal || !(report.residual.rms_m_s < infinity);
  };
  std::optional<BodySystem> system;
  for (int batch = iterations_before_newton; report.sweeps < settings.max_sweeps; batch *= 2) {
    begin(p, w, s);
    const int end =
        !p.torques.empty() ? settings.max_sweeps : std::min(settings.max_sweeps, report.sweeps + batch);
    while (report.sweeps < end) {
      body_step(p, w, s.velocity);
      contact_step(p, w, s);
      ++report.sweeps;
      if ((report.sweeps % iterations_between_checks == 0 || report.sweeps == end) && is_done())
        return report;
    }
    if (report.sweeps == settings.max_sweeps) return report;
    if (!system) system.emplace(p);
    report.sweeps += proximal_newton(*system, goal, settings.max_sweeps - report.sweeps, s.impulse);
    if (is_done()) return report;
  }
  return report;
}

}  // namespace scree
