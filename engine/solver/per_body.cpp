// The `per_body` solver: block Gauss-Seidel over bodies with one impulse per contact, shared by both sides.
//
// A visit re-solves the contacts of its body one after the other on accumulated impulses. With u the relative
// velocity that the contact would see and W its Delassus block (contact frame),
//   p_n <- max(0, p_n - (u_n + offset) / W_nn)                        maximum compression           (P1)
//   p_t <- argmin 1/2 dp.W_tt dp + u_t.dp over |p_t| <= friction p_n   maximum dissipation           (P2)
// and applies the change to both bodies at once. Momentum is kept to rounding after any number of sweeps, and
// the fixed point of (P1), (P2) is the Coulomb-Signorini problem (S3), (S4).
#include <algorithm>
#include <cmath>

#include "engine/solver/compact.h"

namespace scree {

namespace {

constexpr int sweeps_between_checks =
    10;  // the exact residual costs about a sweep; the cheap estimate is free

/// (P2). Sticks if the unconstrained minimum is admissible; else slides: one projected gradient step with the
/// step length 1 / largest eigenvalue of W_tt, whose fixed point is exact.
Vec2 tangential_impulse(const CompactContact& c, const Vec2& p, const Vec2& u, double bound) {
  if (bound <= 0.0) return Vec2::Zero();
  const double det = c.w_tt11 * c.w_tt22 - c.w_tt12 * c.w_tt12;
  const Vec2 stick(p[0] - (c.w_tt22 * u[0] - c.w_tt12 * u[1]) / det,
                   p[1] - (c.w_tt11 * u[1] - c.w_tt12 * u[0]) / det);
  if (stick.squaredNorm() <= bound * bound) return stick;
  const Vec2 trial = p - c.slide_step * u;
  const double length = trial.norm();
  return length > bound ? Vec2(trial * (bound / length)) : trial;
}

/// Re-solves one contact; returns the squared change of its velocity, (m/s)^2.
double solve_contact(CompactContact& c, std::vector<CompactBody>& bodies) {
  const Vec3 u = relative_velocity(c, bodies);
  const double u_n = c.n.dot(u) + c.offset;
  const double p_n = std::max(0.0, c.impulse[0] - u_n / c.w_nn);
  const double dn = p_n - c.impulse[0];
  const Vec3 t2 = c.n.cross(c.t1);
  const Vec2 u_t(c.t1.dot(u) + c.w_nt1 * dn, t2.dot(u) + c.w_nt2 * dn);
  const Vec2 p_t = tangential_impulse(c, c.impulse.tail<2>(), u_t, c.friction * p_n);
  const Vec2 dt = p_t - c.impulse.tail<2>();
  if (dn == 0.0 && dt[0] == 0.0 && dt[1] == 0.0) return 0.0;
  c.impulse << p_n, p_t;
  apply(c, dn * c.n + dt[0] * c.t1 + dt[1] * t2, bodies);
  return dn * dn * c.w_nn * c.w_nn + dt.squaredNorm() / (c.slide_step * c.slide_step);
}

/// Torsion and rolling: torque impulses bounded by the normal impulse, by the same rule as (P2).
void solve_torques(const ContactProblem& p, std::size_t contact, const CompactContact& c, Vec3& torque,
                   std::vector<CompactBody>& bodies) {
  const double torsion_bound = p.torsional_friction[contact] * c.impulse[0];
  const double rolling_bound = p.rolling_friction[contact] * c.impulse[0];
  const Mat3& frame = p.frame[contact];
  const auto spin = [&] {
    Vec3 w = bodies[static_cast<std::size_t>(c.a)].angular;
    if (c.b != fixed_partner) w -= bodies[static_cast<std::size_t>(c.b)].angular;
    return Vec3(frame * w);
  };
  Mat3 w = p.inverse_inertia[static_cast<std::size_t>(c.a)];
  if (c.b != fixed_partner) w += p.inverse_inertia[static_cast<std::size_t>(c.b)];
  w = frame * w * frame.transpose();

  const double torsion = std::clamp(torque[0] - spin()[0] / w(0, 0), -torsion_bound, torsion_bound);
  apply_torque(c, (torsion - torque[0]) * frame.row(0).transpose(), bodies);
  torque[0] = torsion;

  const Vec2 free = torque.tail<2>() - w.bottomRightCorner<2, 2>().inverse() * spin().tail<2>();
  Vec2 rolling = free;
  if (free.norm() > rolling_bound) {
    rolling = torque.tail<2>() - spin().tail<2>() / w.bottomRightCorner<2, 2>().trace();
    if (rolling.norm() > rolling_bound) rolling *= rolling_bound / rolling.norm();
  }
  const Vec2 change = rolling - torque.tail<2>();
  apply_torque(c, frame.bottomRows<2>().transpose() * change, bodies);
  torque.tail<2>() = rolling;
}

/// velocity = free velocity + M^-1 J^T impulses, gathered body by body so that no two threads add to one
/// body.
void apply_start(const ContactProblem& p, SolverWorkspace& w, bool warm, ContactSolution& s) {
  const std::size_t contacts = p.contacts();
  for_each_index(contacts, grain_light, [&](std::size_t c) {
    s.impulse[c] = warm ? p.start_impulse[c] : Vec3::Zero();
    s.torque_impulse[c] = warm ? p.start_torque_impulse[c] : Vec3::Zero();
    s.impulse[c][0] = std::max(s.impulse[c][0], 0.0);
  });
  for_each_index(p.bodies(), grain_medium, [&](std::size_t i) {
    Vec3 impulse = Vec3::Zero(), torque = Vec3::Zero();
    for (auto k = static_cast<std::size_t>(p.body_row[i]); k < static_cast<std::size_t>(p.body_row[i + 1]);
         ++k) {
      const auto c = static_cast<std::size_t>(p.body_contact[k]);
      const bool is_a = p.body_a[c] == static_cast<std::int32_t>(i);
      const Vec3 world = (is_a ? 1.0 : -1.0) * (p.frame[c].transpose() * s.impulse[c]);
      impulse += world;
      torque += (is_a ? p.arm_a[c] : p.arm_b[c]).cross(world);
      if (p.has_torques) torque += (is_a ? 1.0 : -1.0) * (p.frame[c].transpose() * s.torque_impulse[c]);
    }
    CompactBody& b = w.bodies[i];
    b.linear = p.free_velocity[i].linear + p.inverse_mass[i] * impulse;
    b.angular = p.free_velocity[i].angular + p.inverse_inertia[i] * torque;
  });
  for_each_index(contacts, grain_light, [&](std::size_t k) {
    w.contacts[k].impulse = s.impulse[static_cast<std::size_t>(w.colouring.contact[k])];
    if (p.has_torques) w.torque[k] = s.torque_impulse[static_cast<std::size_t>(w.colouring.contact[k])];
  });
}

void store(const ContactProblem& p, const SolverWorkspace& w, ContactSolution& s) {
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    s.velocity[i] = {w.bodies[i].linear, w.bodies[i].angular};
  });
  for_each_index(p.contacts(), grain_light, [&](std::size_t k) {
    const auto c = static_cast<std::size_t>(w.colouring.contact[k]);
    s.impulse[c] = w.contacts[k].impulse;
    if (p.has_torques) s.torque_impulse[c] = w.torque[k];
  });
}

/// One sweep; returns the rms change of contact velocities, m/s, an estimate of the residual.
double sweep_contacts(const ContactProblem& p, SolverWorkspace& w) {
  const Colouring& colouring = w.colouring;
  sweep(colouring, [&](std::size_t v) {
    double change = 0.0;
    for (auto k = static_cast<std::size_t>(colouring.contact_row[v]);
         k < static_cast<std::size_t>(colouring.contact_row[v + 1]); ++k) {
      change += solve_contact(w.contacts[k], w.bodies);
      if (p.has_torques) {
        solve_torques(p, static_cast<std::size_t>(colouring.contact[k]), w.contacts[k], w.torque[k],
                      w.bodies);
      }
    }
    w.visit_change[v] = change;
  });
  const double sum = reduce_blocks(
      colouring.visits(), grain_light, 0.0,
      [&](const Block& block) {
        double s = 0.0;
        for (std::size_t v = block.begin; v < block.end; ++v) s += w.visit_change[v];
        return s;
      },
      [](double a, double b) { return a + b; });
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, p.contacts())));
}

}  // namespace

SolveReport solve_per_body(const ContactProblem& p, const SolverSettings& settings, SolverWorkspace& w,
                           ContactSolution& s) {
  apply_start(p, w, settings.warm_start, s);
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  const double goal = settings.tolerance * p.velocity_scale;
  while (report.sweeps < settings.max_sweeps) {
    const double estimate = sweep_contacts(p, w);
    ++report.sweeps;
    if (!(estimate < infinity)) break;
    if (estimate <= goal || report.sweeps % sweeps_between_checks == 0) {
      store(p, w, s);
      report.residual = residual(p, s.velocity, s.impulse, s.torque_impulse);
      if (report.residual.rms_m_s <= goal) {
        report.status = SolveStatus::converged;
        return report;
      }
    }
  }
  store(p, w, s);
  report.residual = residual(p, s.velocity, s.impulse, s.torque_impulse);
  return report;
}

}  // namespace scree
