// The `per_body` solver: block Gauss-Seidel with one impulse per contact, shared by both sides.
//
// A visit re-solves the contacts of some neighbouring bodies (colouring.h), one after the other, on
// accumulated impulses. With u the relative velocity that the contact would see and W its Delassus block
// (contact frame),
//   p_n <- max(0, p_n - (u_n + offset) / W_nn)                        maximum compression           (P1)
//   p_t <- argmin 1/2 dp.W_tt dp + u_t.dp over |p_t| <= friction p_n   maximum dissipation           (P2)
// and applies the change to both bodies at once. Momentum is kept to rounding after any number of sweeps, and
// the fixed point of (P1), (P2) is the Coulomb-Signorini problem (S3), (S4). From the fifth sweep on, sweeps
// are taken as steps of a nonlinear conjugate gradient method: with g the change that a sweep makes,
//   x <- x + beta d,  d <- beta d + g,  beta = |g|^2 / |g_last|^2, or a new start d = g if beta > 1    (P3)
// (Silcowitz-Hansen, Niebe, Erleben 2010), for impulses and, being linear in them, velocities alike.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/solver/local_cone.h"
#include "engine/solver/sweeps.h"
#include "engine/solver/torques.h"

namespace scree {

namespace {

// The exact residual costs about a sweep; the cheap estimate is free.
constexpr int sweeps_between_checks = 10;
// A warm start is mostly done after these; conjugate directions cost a quarter of a sweep more.
constexpr int plain_sweeps = 4;

/// Re-solves one contact by (P1) and (P2); returns the squared change of its velocity, (m/s)^2.
SCREE_INLINE double solve_contact(const ContactGeometry& g, const ContactLaw& c, double* impulse,
                                  SweptBodies bodies) {
  const Vector4 u = relative_velocity(g, c, bodies.velocity);
  const double u_n = dot(g.n, u) + c.offset;
  if (u_n >= 0.0 && impulse[0] == 0.0 && impulse[1] == 0.0 && impulse[2] == 0.0) return 0.0;  // idle
  const Vector4 t2 = second_tangent(g, c.tangent_ratio);
  const ImpulseChange d = improve_impulse(c.local, impulse, u_n, dot(g.t1, u), dot(t2, u));
  if (d.is_zero()) return 0.0;
  impulse[0] += d.n;
  impulse[1] += d.t1;
  impulse[2] += d.t2;
  apply(g, c, d.n * g.n + d.t1 * g.t1 + d.t2 * t2, bodies);
  return velocity_change_squared(c.local, d);
}

/// The contacts of a visit, or some other range of them.
struct ContactRange {
  const ContactGeometry* geometry;
  const ContactLaw* law;
  Vec3* impulse;
  std::size_t count;
};

ContactRange range_of(const ContactProblem& p, std::vector<Vec3>& impulse, std::size_t begin,
                      std::size_t end) {
  return {p.geometry.data() + begin, p.law.data() + begin, impulse.data() + begin, end - begin};
}

// Contacts ahead that are fetched: about the time that memory takes.
constexpr std::size_t fetch_ahead = 8;

template <int to_write>
SCREE_INLINE void fetch(const void* from, std::size_t bytes) {
  for (std::size_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(static_cast<const char*>(from) + line, to_write);
}

/// What a contact that comes soon needs: it and its other body, which may lie anywhere. No effect on results.
SCREE_INLINE void fetch_next(const ContactRange& contacts, std::size_t k, SweptBodies bodies) {
  if (k + fetch_ahead >= contacts.count) return;
  fetch<0>(contacts.geometry + k + fetch_ahead, sizeof(ContactGeometry));
  fetch<0>(contacts.law + k + fetch_ahead, sizeof(ContactLaw));
  const std::int32_t b = contacts.law[k + fetch_ahead / 2].b;
  if (b == fixed_partner) return;
  fetch<1>(bodies.velocity + b, sizeof(BodyVelocity));
  fetch<0>(bodies.response + b, sizeof(BodyResponse));
}

/// Solves the contacts of one visit, one after the other; with a direction each (else null) goes along it
/// first.
SCREE_FOR_EACH_TARGET
double solve_contacts(const ContactRange& contacts, SweptBodies bodies, ImpulseDirection* direction,
                      double beta) {
  double change = 0.0;
  for_contacts_of_visit(
      contacts.law, contacts.count, [&](std::size_t k) __attribute__((always_inline)) {
        fetch_next(contacts, k, bodies);
        double* const impulse = contacts.impulse[k].data();
        if (direction != nullptr) follow(beta, impulse, direction[k]);
        change += solve_contact(contacts.geometry[k], contacts.law[k], impulse, bodies);
      });
  return change;
}

/// The new impulse of a contact that has `last` and sees u, offset included: (P1), (P2) on a sampled set, or
/// the exact local solution (L1).
Vec3 new_impulse(const ContactProblem& p, std::size_t c, SolverKind kind, const Vec3& last, const Vec3& u) {
  const Mat3& w = p.delassus[c];
  const int corners = p.friction_corners;
  if (kind == SolverKind::per_body) return improve_impulse(w, last, u, p.friction(c), corners);
  const Vec3 q = u - w * last;
  return corners == 0 ? solve_local_cone(w, q, p.friction(c))
                      : solve_local_sampled(w, q, p.friction(c), corners, last);
}

SweptBodies bodies_of(const ContactProblem& p, SolverWorkspace& w) {
  return {p.response.data(), w.velocity.data()};
}

/// The contacts of one visit where accuracy or the sampled set counts for more than speed.
double solve_contacts_exactly(const ContactProblem& p, SolverKind kind, std::size_t begin, std::size_t end,
                              ImpulseDirection* direction, double beta, SolverWorkspace& w,
                              std::vector<Vec3>& impulses) {
  double change = 0.0;
  for_contacts_of_visit(p.law.data() + begin, end - begin, [&](std::size_t k) {
    const std::size_t contact = begin + k;
    const ContactLaw& c = p.law[contact];
    Vec3& impulse = impulses[contact];
    if (direction != nullptr) follow(beta, impulse.data(), direction[k]);
    const ContactGeometry& g = p.geometry[contact];
    const Mat3 frame = p.frame(contact);
    Vec3 u = frame * to_vec3(relative_velocity(g, c, w.velocity.data()));
    u[0] += c.offset;
    const Vec3 next = new_impulse(p, contact, kind, impulse, u);
    const Vec3 d = next - impulse;
    if (d.isZero(0.0)) return;
    impulse = next;
    apply(g, c, to_vector4(frame.transpose() * d), bodies_of(p, w));
    change += (p.delassus[contact] * d).squaredNorm();
  });
  return change;
}

/// Angular velocity of a against b, world axes, rad/s.
Vec3 spin_of(const ContactLaw& c, const BodyVelocity* velocity) {
  Vector4 w = velocity[c.a].angular;
  if (c.b != fixed_partner) w -= velocity[c.b].angular;
  return to_vec3(w);
}

/// Torsion and rolling: torque impulses bounded by the normal impulse, by the same rule as (P2).
void solve_torques(const ContactProblem& p, const TorqueLaw& law, double normal_impulse, Vec3& torque,
                   SweptBodies bodies) {
  const auto contact = static_cast<std::size_t>(law.contact);
  const ContactLaw& c = p.law[contact];
  const double torsion_bound = law.torsional_friction * normal_impulse;
  const double rolling_bound = law.rolling_friction * normal_impulse;
  const Mat3 frame = p.frame(contact);
  const auto spin = [&]() -> Vec3 { return frame * spin_of(c, bodies.velocity); };
  const Mat3 w = frame * relative_inverse_inertia(p, contact) * frame.transpose();

  const double torsion = std::clamp(torque[0] - spin()[0] / w(0, 0), -torsion_bound, torsion_bound);
  apply_torque(c, (torsion - torque[0]) * p.geometry[contact].n, bodies);
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

/// Calls f(t, c) for the torques t of the contacts c in [begin, end).
template <class F>
void for_torques(const ContactProblem& p, std::size_t begin, std::size_t end, F&& f) {
  if (p.torques.empty()) return;
  for (std::size_t t = p.first_torque(begin);
       t < p.torques.size() && static_cast<std::size_t>(p.torques[t].contact) < end; ++t)
    f(t, static_cast<std::size_t>(p.torques[t].contact));
}

/// Begins with the start impulses of the contacts of one visit, applied.
SCREE_FOR_EACH_TARGET
void start_contacts(const ContactRange& contacts, const Vec3* start, SweptBodies bodies) {
  for (std::size_t k = 0; k < contacts.count; ++k) {
    const ContactGeometry& g = contacts.geometry[k];
    const ContactLaw& c = contacts.law[k];
    Vec3& impulse = contacts.impulse[k];
    impulse = start[k];
    impulse[0] = std::max(impulse[0], 0.0);
    apply(g, c, to_world(g, c.tangent_ratio, impulse.data()), bodies);
  }
}

/// Begins with the start impulses and the velocities that belong to them, or with none.
void apply_start(const ContactProblem& p, SolverWorkspace& w, bool warm, ContactSolution& s) {
  if (!warm) {
    std::fill(s.impulse.begin(), s.impulse.end(), Vec3::Zero());
    std::fill(s.torque_impulse.begin(), s.torque_impulse.end(), Vec3::Zero());
    return;
  }
  sweep(w.colouring, [&](std::size_t, std::size_t begin, std::size_t end) {
    for_torques(p, begin, end, [&](std::size_t t, std::size_t c) {
      s.torque_impulse[t] = p.torques[t].start_impulse;
      apply_torque(p.law[c], to_vector4(p.in_world(c, s.torque_impulse[t])), bodies_of(p, w));
    });
    start_contacts(range_of(p, s.impulse, begin, end), p.start_impulse.data() + begin, bodies_of(p, w));
  });
}

/// (S5) of a range of contacts.
SCREE_FOR_EACH_TARGET
void add_residuals(const ContactRange& contacts, const BodyVelocity* velocity, double* normal_velocity,
                   double* squared) {
  for (std::size_t k = 0; k < contacts.count; ++k) {
    const ContactGeometry& g = contacts.geometry[k];
    const ContactLaw& c = contacts.law[k];
    const Vector4 v = relative_velocity(g, c, velocity);
    normal_velocity[k] = dot(g.n, v);
    const Vec3 u(normal_velocity[k] + c.offset, dot(g.t1, v), dot(second_tangent(g, c.tangent_ratio), v));
    const Vec3& impulse = contacts.impulse[k];
    const bool idle = impulse[0] <= 0.0 && u[0] >= 0.0;
    squared[k] = idle ? -1.0 : natural_map_of_cone(impulse, u, c.local.friction, c.rho).squaredNorm();
  }
}

/// Velocities of where the sweeps are; the impulses are there already.
void store(const ContactProblem& p, const SolverWorkspace& w, ContactSolution& s) {
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    s.velocity[i] = {to_vec3(w.velocity[i].linear), to_vec3(w.velocity[i].angular)};
  });
}

/// The residual of where the sweeps are.
Residual residual_of_sweeps(const ContactProblem& p, SolverWorkspace& w, ContactSolution& s) {
  if (p.friction_corners > 0) {
    store(p, w, s);
    return residual(p, s.velocity, s.impulse, s.torque_impulse);
  }
  w.normal_velocity.resize(p.contacts());
  return reduce_blocks(
             p.contacts(), grain_medium, ResidualSum{},
             [&](const Block& block) {
               double squared[grain_medium];
               add_residuals(range_of(p, s.impulse, block.begin, block.end), w.velocity.data(),
                             w.normal_velocity.data() + block.begin, squared);
               for_torques(p, block.begin, block.end, [&](std::size_t t, std::size_t c) {
                 double& here = squared[c - block.begin];
                 if (here < 0.0) return;
                 here += torque_residual_squared(p, p.torques[t],
                                                 p.frame(c) * spin_of(p.law[c], w.velocity.data()),
                                                 s.impulse[c][0], s.torque_impulse[t]);
               });
               ResidualSum sum;
               for (std::size_t k = 0; k < block.end - block.begin; ++k) {
                 if (!(squared[k] < 0.0)) sum.add(squared[k]);
               }
               return sum;
             },
             [](ResidualSum a, const ResidualSum& b) { return a += b; })
      .residual();
}

/// (P3) of the velocities that belong to the impulses.
void follow_velocities(const ContactProblem& p, double beta, SolverWorkspace& w) {
  const auto go_on = [&](Vector4& x, Vector4& last, Vector4& step) {
    const Vector4 gain = x - last;
    x += beta * step;
    step = beta * step + gain;
    last = x;
  };
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    ConjugateWorkspace::Body& d = w.conjugate.bodies[i];
    go_on(w.velocity[i].linear, d.last_linear, d.linear);
    go_on(w.velocity[i].angular, d.last_angular, d.angular);
  });
}

/// One sweep, along the conjugate directions first if there are any; returns the sum of squared changes of
/// contact velocities, (m/s)^2.
double sweep_contacts(const ContactProblem& p, SolverKind kind, std::optional<double> beta,
                      SolverWorkspace& w, ContactSolution& s) {
  if (beta) follow_velocities(p, *beta, w);
  const Colouring& colouring = w.colouring;
  const bool quick = kind == SolverKind::per_body && p.friction_corners == 0;
  sweep(colouring, [&](std::size_t v, std::size_t begin, std::size_t end) {
    ImpulseDirection* const along = beta ? w.conjugate.impulse.data() + begin : nullptr;
    const double b = beta.value_or(0.0);
    w.visit_change[v] = quick ? solve_contacts(range_of(p, s.impulse, begin, end), bodies_of(p, w), along, b)
                              : solve_contacts_exactly(p, kind, begin, end, along, b, w, s.impulse);
    for_torques(p, begin, end, [&](std::size_t t, std::size_t c) {
      if (beta) follow(b, s.torque_impulse[t].data(), w.conjugate.torque[t]);
      solve_torques(p, p.torques[t], s.impulse[c][0], s.torque_impulse[t], bodies_of(p, w));
    });
  });
  return reduce_blocks(
      colouring.visits(), grain_light, 0.0,
      [&](const Block& block) {
        double sum = 0.0;
        for (std::size_t v = block.begin; v < block.end; ++v) sum += w.visit_change[v];
        return sum;
      },
      [](double a, double b) { return a + b; });
}

/// Takes the state as the point from which the first direction is measured.
void begin_directions(const ContactProblem& p, const ContactSolution& s, SolverWorkspace& w) {
  ConjugateWorkspace& d = w.conjugate;
  d.impulse.resize(p.contacts());
  d.bodies.resize(p.bodies());
  for_each_index(p.contacts(), grain_light, [&](std::size_t k) {
    d.impulse[k] = {};
    std::copy_n(s.impulse[k].data(), 3, d.impulse[k].last);
  });
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    d.bodies[i] = {Vector4{}, w.velocity[i].linear, Vector4{}, w.velocity[i].angular};
  });
  d.torque.resize(s.torque_impulse.size());
  for_each_index(s.torque_impulse.size(), grain_light, [&](std::size_t k) {
    d.torque[k] = {};
    Vec3::Map(d.torque[k].last) = s.torque_impulse[k];
  });
}

}  // namespace

SolveReport solve_per_body(const ContactProblem& p, const SolverSettings& settings, SolverWorkspace& w,
                           ContactSolution& s) {
  apply_start(p, w, settings.warm_start, s);
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  const double goal = settings.tolerance * p.velocity_scale;
  const auto contacts = static_cast<double>(std::max<std::size_t>(1, p.contacts()));
  double change = 0.0, last_change = 0.0;
  while (report.sweeps < settings.max_sweeps) {
    if (report.sweeps == plain_sweeps) begin_directions(p, s, w);
    std::optional<double> beta;
    if (report.sweeps > plain_sweeps) beta = change < last_change ? change / last_change : 0.0;
    if (report.sweeps == plain_sweeps + 1) beta = 0.0;
    last_change = change;
    change = sweep_contacts(p, settings.kind, beta, w, s);
    ++report.sweeps;
    if (!(change < infinity)) break;
    if (std::sqrt(change / contacts) <= goal || report.sweeps % sweeps_between_checks == 0) {
      report.residual = residual_of_sweeps(p, w, s);
      if (report.residual.rms_m_s <= goal) {
        report.status = SolveStatus::converged;
        break;
      }
    }
  }
  store(p, w, s);
  if (report.status != SolveStatus::converged) report.residual = residual_of_sweeps(p, w, s);
  return report;
}

}  // namespace scree
