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
#include "engine/solver/local_cone.h"

namespace scree {

namespace {

constexpr int sweeps_between_checks =
    10;  // the exact residual costs about a sweep; the cheap estimate is free

/// Re-solves one contact by (P1) and (P2); returns the squared change of its velocity, (m/s)^2. The
/// tangential impulse sticks if the unconstrained minimum of (P2) is admissible; else it slides: one
/// projected gradient step of length 1 / largest eigenvalue of W_tt, whose fixed point is exact.
SCREE_INLINE double solve_contact(CompactContact& c, CompactBody* bodies) {
  const Vector4 u = relative_velocity(c, bodies), t2 = cross(c.n, c.t1);
  const double p_n = std::max(0.0, c.impulse[0] - (dot(c.n, u) + c.offset) * c.inverse_w_nn);
  const double dn = p_n - c.impulse[0];
  const double u1 = dot(c.t1, u) + c.w_nt1 * dn, u2 = dot(t2, u) + c.w_nt2 * dn;
  const double bound = c.friction * p_n;
  double p1 = c.impulse[1] - (c.i_tt11 * u1 + c.i_tt12 * u2),
         p2 = c.impulse[2] - (c.i_tt12 * u1 + c.i_tt22 * u2);
  if (p1 * p1 + p2 * p2 > bound * bound) {
    p1 = c.impulse[1] - c.slide_step * u1;
    p2 = c.impulse[2] - c.slide_step * u2;
    const double squared = p1 * p1 + p2 * p2;
    if (squared > bound * bound) {
      const double scale = bound / std::sqrt(squared);
      p1 *= scale;
      p2 *= scale;
    }
  }
  const double d1 = p1 - c.impulse[1], d2 = p2 - c.impulse[2];
  if (dn == 0.0 && d1 == 0.0 && d2 == 0.0) return 0.0;
  c.impulse[0] = p_n;
  c.impulse[1] = p1;
  c.impulse[2] = p2;
  apply(c, dn * c.n + d1 * c.t1 + d2 * t2, bodies);
  return dn * dn / (c.inverse_w_nn * c.inverse_w_nn) + (d1 * d1 + d2 * d2) / (c.slide_step * c.slide_step);
}

/// Solves the contacts of one visit, one after the other.
SCREE_FOR_EACH_TARGET
double solve_contacts(CompactContact* contact, CompactContact* end, CompactBody* bodies) {
  double change = 0.0;
  for (; contact != end; ++contact) change += solve_contact(*contact, bodies);
  return change;
}

/// The same with the exact local solution (L1) of each contact.
double solve_contacts_exactly(const ContactProblem& p, const Colouring& colouring, std::size_t visit,
                              std::vector<CompactContact>& contacts, CompactBody* bodies) {
  double change = 0.0;
  for (auto k = static_cast<std::size_t>(colouring.contact_row[visit]);
       k < static_cast<std::size_t>(colouring.contact_row[visit + 1]); ++k) {
    CompactContact& c = contacts[k];
    const auto contact = static_cast<std::size_t>(colouring.contact[k]);
    const Mat3 &w = p.delassus[contact], &frame = p.frame[contact];
    const Vec3 last = Vec3::Map(c.impulse);
    Vec3 q = frame * to_vec3(relative_velocity(c, bodies)) - w * last;
    q[0] += c.offset;
    const Vec3 impulse = solve_local_cone(w, q, c.friction);
    const Vec3 d = impulse - last;
    if (d.isZero(0.0)) continue;
    Vec3::Map(c.impulse) = impulse;
    apply(c, to_vector4(frame.transpose() * d), bodies);
    change += (w * d).squaredNorm();
  }
  return change;
}

/// Torsion and rolling: torque impulses bounded by the normal impulse, by the same rule as (P2).
void solve_torques(const ContactProblem& p, std::size_t contact, const CompactContact& c, Vec3& torque,
                   CompactBody* bodies) {
  if (p.torsional_friction[contact] <= 0.0 && p.rolling_friction[contact] <= 0.0) return;
  const double torsion_bound = p.torsional_friction[contact] * c.impulse[0];
  const double rolling_bound = p.rolling_friction[contact] * c.impulse[0];
  const Mat3& frame = p.frame[contact];
  const auto spin = [&] {
    Vector4 w = bodies[c.a].angular;
    if (c.b != fixed_partner) w -= bodies[c.b].angular;
    return Vec3(frame * to_vec3(w));
  };
  Mat3 w = p.inverse_inertia[static_cast<std::size_t>(c.a)];
  if (c.b != fixed_partner) w += p.inverse_inertia[static_cast<std::size_t>(c.b)];
  w = frame * w * frame.transpose();

  const double torsion = std::clamp(torque[0] - spin()[0] / w(0, 0), -torsion_bound, torsion_bound);
  apply_torque(c, (torsion - torque[0]) * c.n, bodies);
  torque[0] = torsion;

  const Vec2 free = torque.tail<2>() - w.bottomRightCorner<2, 2>().inverse() * spin().tail<2>();
  Vec2 rolling = free;
  if (free.norm() > rolling_bound) {
    rolling = torque.tail<2>() - spin().tail<2>() / w.bottomRightCorner<2, 2>().trace();
    if (rolling.norm() > rolling_bound) rolling *= rolling_bound / rolling.norm();
  }
  const Vec2 change = rolling - torque.tail<2>();
  apply_torque(c, to_vector4(frame.bottomRows<2>().transpose() * change), bodies);
  torque.tail<2>() = rolling;
}

/// Begins with the start impulses, or without any, and the velocities that belong to them.
void apply_start(const ContactProblem& p, SolverWorkspace& w, bool warm, ContactSolution& s) {
  for_each_index(p.contacts(), grain_light, [&](std::size_t c) {
    s.impulse[c] = warm ? p.start_impulse[c] : Vec3::Zero();
    s.torque_impulse[c] = warm ? p.start_torque_impulse[c] : Vec3::Zero();
    s.impulse[c][0] = std::max(s.impulse[c][0], 0.0);
  });
  velocities_from_impulses(p, s);
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    w.bodies[i].linear = to_vector4(s.velocity[i].linear);
    w.bodies[i].angular = to_vector4(s.velocity[i].angular);
  });
  for_each_index(p.contacts(), grain_light, [&](std::size_t k) {
    Vec3::Map(w.contacts[k].impulse) = s.impulse[static_cast<std::size_t>(w.colouring.contact[k])];
    if (p.has_torques) w.torque[k] = s.torque_impulse[static_cast<std::size_t>(w.colouring.contact[k])];
  });
}

void store(const ContactProblem& p, const SolverWorkspace& w, ContactSolution& s) {
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    s.velocity[i] = {to_vec3(w.bodies[i].linear), to_vec3(w.bodies[i].angular)};
  });
  for_each_index(p.contacts(), grain_light, [&](std::size_t k) {
    const auto c = static_cast<std::size_t>(w.colouring.contact[k]);
    s.impulse[c] = Vec3::Map(w.contacts[k].impulse);
    if (p.has_torques) s.torque_impulse[c] = w.torque[k];
  });
}

/// One sweep; returns the rms change of contact velocities, m/s, an estimate of the residual.
double sweep_contacts(const ContactProblem& p, SolverKind kind, SolverWorkspace& w) {
  const Colouring& colouring = w.colouring;
  sweep(colouring, [&](std::size_t v) {
    CompactContact* const begin = w.contacts.data() + colouring.contact_row[v];
    CompactContact* const end = w.contacts.data() + colouring.contact_row[v + 1];
    w.visit_change[v] = kind == SolverKind::per_contact
                            ? solve_contacts_exactly(p, colouring, v, w.contacts, w.bodies.data())
                            : solve_contacts(begin, end, w.bodies.data());
    if (!p.has_torques) return;
    for (auto k = static_cast<std::size_t>(colouring.contact_row[v]);
         k < static_cast<std::size_t>(colouring.contact_row[v + 1]); ++k) {
      solve_torques(p, static_cast<std::size_t>(colouring.contact[k]), w.contacts[k], w.torque[k],
                    w.bodies.data());
    }
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
    const double estimate = sweep_contacts(p, settings.kind, w);
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
