// The `gauss_seidel` solver: block Gauss-Seidel with one impulse per contact, shared by both sides.
//
// An update solves the contacts of some neighbouring bodies again (colouring.h), one after the other, for
// accumulated impulses. With u the present relative velocity of the contact and W its Delassus block
// (contact frame),
//   p_n <- max(0, p_n - (u_n + offset) / W_nn)                        maximum compression           (P1)
//   p_t <- argmin 1/2 dp.W_tt dp + u_t.dp over |p_t| <= friction p_n   maximum dissipation           (P2)
// and applies the change to both bodies at once. Momentum is conserved to rounding after any number of
// sweeps, and the fixed point of (P1), (P2) is the Coulomb-Signorini problem (S3), (S4). From the fifth sweep
// on, sweeps are steps of a nonlinear conjugate gradient method: with g the change by a sweep,
//   x <- x + beta d,  d <- beta d + g,  beta = |g|^2 / |g_last|^2, or a new start d = g if beta > 1    (P3)
// (Silcowitz-Hansen, Niebe, Erleben 2010), for impulses and likewise for velocities, which are linear in
// them.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "engine/core/exact_sum.h"
#include "engine/core/fetch.h"
#include "engine/solver/problem/row_block.h"
#include "engine/solver/sweeps/local_cone.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

namespace {

// The exact residual costs about one sweep; the estimate costs nothing.
constexpr int sweeps_between_checks = 10;
// A warm start is mostly converged after these; conjugate directions cost a quarter of a sweep more.
constexpr int plain_sweeps = 4;

/// The contacts of an update, or another range of them.
struct ContactRange {
  const Edge* edge;
  const ContactTerms* contact;
  const LocalContact* local;
  Vec3* impulse;
  const Vec3* image_velocity;           // or null
  const ContactCompliance* compliance;  // or null
  std::size_t count;

  Vector4 relative_velocity(std::size_t k, const BodyVelocity* velocity) const {
    const Vector4 u = scree::relative_velocity(contact[k], edge[k], velocity);
    return image_velocity == nullptr ? u : u - to_vector4(image_velocity[k]);
  }
  /// Compliance velocity, in its frame.
  Vec3 given(std::size_t k) const {
    return compliance == nullptr ? Vec3(Vec3::Zero()) : compliance[k].velocity(impulse[k]);
  }
};

ContactRange range_of(const ContactProblem& p, std::vector<Vec3>& impulse, std::size_t begin,
                      std::size_t end) {
  return {p.edge.data() + begin,
          p.contact.data() + begin,
          p.local.data() + begin,
          impulse.data() + begin,
          p.image_velocity.empty() ? nullptr : p.image_velocity.data() + begin,
          p.compliance.empty() ? nullptr : p.compliance.data() + begin,
          end - begin};
}

/// Solves one contact again by (P1) and (P2); returns the squared change of its velocity, (m/s)^2.
SCREE_INLINE double solve_contact(const ContactRange& contacts, std::size_t k, SweptBodies bodies) {
  const Edge& edge = contacts.edge[k];
  const ContactTerms& c = contacts.contact[k];
  const LocalContact& local = contacts.local[k];
  double* const impulse = contacts.impulse[k].data();
  const Vector4 u = contacts.relative_velocity(k, bodies.velocity), n = normal_of(c), t1 = first_tangent(c);
  const Vec3 given = contacts.given(k);
  const double u_n = dot(n, u) + c.offset + given[0];
  if (u_n >= 0.0 && impulse[0] == 0.0 && impulse[1] == 0.0 && impulse[2] == 0.0) return 0.0;  // idle
  const Vector4 t2 = second_tangent(c);
  const ImpulseChange d = improve_impulse(local, impulse, u_n, dot(t1, u) + given[1], dot(t2, u) + given[2]);
  if (d.is_zero()) return 0.0;
  impulse[0] += d.n;
  impulse[1] += d.t1;
  impulse[2] += d.t2;
  apply(c, edge, d.n * n + d.t1 * t1 + d.t2 * t2, bodies);
  return velocity_change_squared(local, d);
}

// Number of contacts ahead for prefetching: about the latency of memory.
constexpr std::size_t fetch_ahead = 8;

/// Prefetches a contact that comes soon and its other body, which may be anywhere.
SCREE_INLINE void fetch_next(const ContactRange& contacts, std::size_t k, SweptBodies bodies) {
  if (k + fetch_ahead >= contacts.count) return;
  fetch<1>(contacts.contact + k + fetch_ahead, sizeof(ContactTerms));
  fetch<1>(contacts.local + k + fetch_ahead, sizeof(LocalContact));
  const std::int32_t b = contacts.edge[k + fetch_ahead / 2].b;
  fetch<1>(bodies.velocity + b, sizeof(BodyVelocity));
  fetch<1>(bodies.response + b, sizeof(BodyResponse));
}

/// Solves the contacts of one update, one after the other; if directions are given (not null), moves along
/// them first.
SCREE_FOR_EACH_TARGET
double solve_contacts(const ContactRange& contacts, SweptBodies bodies, ConjugateDirection<3>* direction,
                      double beta) {
  double change = 0.0;
  for_contacts_of_update(
      contacts.edge, contacts.count, [&](std::size_t k) __attribute__((always_inline)) {
        fetch_next(contacts, k, bodies);
        if (direction != nullptr) follow(beta, contacts.impulse[k].data(), direction[k]);
        change += solve_contact(contacts, k, bodies);
      });
  return change;
}

/// The new impulse of a contact with the impulse `last` and the velocity u, offset included: (P1), (P2) on a
/// sampled set, or
/// the exact local solution (L1).
Vec3 new_impulse(const ContactProblem& p, std::size_t c, SolverKind kind, const Vec3& last, const Vec3& u) {
  Mat3 w = p.delassus[c];
  if (p.is_compliant(c)) w.diagonal() += p.compliance[c].compliance;
  const int corners = p.friction_corners;
  if (kind == SolverKind::gauss_seidel) return improve_impulse(w, last, u, p.friction(c), corners);
  const Vec3 q = u - w * last;
  return corners == 0 ? solve_local_cone(w, q, p.friction(c))
                      : solve_local_sampled(w, q, p.friction(c), corners, last);
}

SweptBodies bodies_of(const ContactProblem& p, ContactSolution& s) {
  return {p.response.data(), s.velocity.data()};
}

/// The parts of an update: contacts with their rows, or rows without contacts.
struct BlockParts {
  std::size_t contact, contacts_end, row, rows_end;
};

/// Solves the contacts of one update if accuracy or the sampled set is more important than speed.
double solve_contacts_exactly(const ContactProblem& p, SolverKind kind, const BlockParts& update,
                              ConjugateDirection<3>* direction, double beta, ContactSolution& s) {
  double change = 0.0;
  const std::size_t begin = update.contact;
  for_contacts_of_update(p.edge.data() + begin, update.contacts_end - begin, [&](std::size_t k) {
    const std::size_t contact = begin + k;
    Vec3& impulse = s.impulse[contact];
    if (direction != nullptr) follow(beta, impulse.data(), direction[k]);
    const Mat3 frame = p.frame(contact);
    Vec3 u = frame * relative_velocity(p, contact, s.velocity);
    u[0] += p.offset(contact);
    if (p.is_compliant(contact)) u += p.compliance[contact].velocity(impulse);
    const Vec3 next = new_impulse(p, contact, kind, impulse, u);
    const Vec3 d = next - impulse;
    if (d.isZero(0.0)) return;
    impulse = next;
    apply(p.contact[contact], p.edge[contact], to_vector4(Vec3(frame.transpose() * d)), bodies_of(p, s));
    change += (p.delassus[contact] * d).squaredNorm();
  });
  return change;
}

/// Solves a row, or both of a disc, by the same rule as (P1) and (P2); returns the squared change of its
/// velocity, (m/s)^2.
SCREE_INLINE double solve_row(const ContactProblem& p, std::size_t r, ContactSolution& s) {
  const Row& row = p.rows[r];
  const auto change_to = [&](const Row& of, double next, double& impulse) __attribute__((always_inline)) {
    const double change = next - impulse;
    impulse = next;
    apply(of, change, bodies_of(p, s));
    const double gain = change * of.length / of.inverse_w;
    return gain * gain;
  };
  const RowBounds bounds = bounds_of(row, s.impulse);
  double& impulse = s.row_impulse[r];
  if (bounds.high == 0.0 && bounds.low == 0.0 && impulse == 0.0 &&
      (row.bound != RowBound::disc || s.row_impulse[r + 1] == 0.0))
    return 0.0;  // of a contact without an impulse
  const double velocity = velocity_of(row, s.velocity) + row.compliance * impulse;
  if (row.bound != RowBound::disc)
    return change_to(row, std::clamp(impulse - velocity * row.inverse_w, bounds.low, bounds.high), impulse);

  const Row& other = p.rows[r + 1];
  const double coupling = row_coupling(p, row, other);
  Mat2 w;
  w << 1.0 / row.inverse_w, coupling, coupling, 1.0 / other.inverse_w;
  const Vec2 u(velocity, velocity_of(other, s.velocity)), last(impulse, s.row_impulse[r + 1]);
  Vec2 next = last - w.inverse() * u;
  if (next.norm() > bounds.high) {
    next = last - u / w.trace();
    if (next.norm() > bounds.high) next *= bounds.high / next.norm();
  }
  return change_to(row, next[0], impulse) + change_to(other, next[1], s.row_impulse[r + 1]);
}

/// Rows [begin, end), first moved along their directions (unless null); returns the squared change.
SCREE_FOR_EACH_TARGET
double solve_rows(const ContactProblem& p, std::size_t begin, std::size_t end,
                  ConjugateDirection<1>* direction, double beta, ContactSolution& s) {
  double change = 0.0;
  for (std::size_t r = begin; r < end && direction != nullptr; ++r)
    follow(beta, &s.row_impulse[r], direction[r]);
  for (std::size_t r = begin; r < end; r += p.rows[r].bound == RowBound::disc ? 2 : 1)
    change += solve_row(p, r, s);
  // Chains: forwards and backwards a sweep is symmetric, as conjugate directions require.
  for (std::size_t r = end; begin >= p.contact_rows && r > begin; --r) change += solve_row(p, r - 1, s);
  return change;
}

/// Updates the block of rows that are solved together.
double improve_block(const ContactProblem& p, ContactSolution& s) {
  const SolvedRows rows{p, s};
  return p.block->improve(
      p.rows, [&](std::size_t r) { return rows.velocity(r); },
      [&](std::size_t r) { return s.row_impulse[r]; },
      [&](std::size_t r, double impulse) { rows.push(r, impulse); });
}

/// Applies the start impulses of the contacts of one update.
SCREE_FOR_EACH_TARGET
void start_contacts(const ContactRange& contacts, const Vec3f* start, SweptBodies bodies) {
  for (std::size_t k = 0; k < contacts.count; ++k) {
    const ContactTerms& g = contacts.contact[k];
    Vec3& impulse = contacts.impulse[k];
    impulse = start[k].cast<double>();
    impulse[0] = std::max(impulse[0], 0.0);
    apply(g, contacts.edge[k], to_world(g, impulse.data()), bodies);
  }
}

BlockParts parts_of(const ContactProblem& p, std::size_t begin, std::size_t end) {
  const std::size_t n = p.contacts();
  if (begin >= n) return {0, 0, p.contact_rows + begin - n, p.contact_rows + end - n};
  return {begin, end, p.first_row(begin), p.first_row(end)};
}

/// Sets the start impulses and their velocities, or zero impulses.
void apply_start(const ContactProblem& p, const Colouring& colouring, bool warm, ContactSolution& s) {
  if (!warm) {
    std::fill(s.impulse.begin(), s.impulse.end(), Vec3::Zero());
    std::fill(s.row_impulse.begin(), s.row_impulse.end(), 0.0);
    return;
  }
  sweep(colouring, [&](std::size_t, std::size_t begin, std::size_t end) {
    const BlockParts parts = parts_of(p, begin, end);
    for (std::size_t r = parts.row; r < parts.rows_end; ++r) {
      s.row_impulse[r] = p.rows[r].start_impulse;
      apply(p.rows[r], s.row_impulse[r], bodies_of(p, s));
    }
    start_contacts(range_of(p, s.impulse, parts.contact, parts.contacts_end),
                   p.start_impulse.data() + parts.contact, bodies_of(p, s));
  });
  for (std::size_t r = p.first_block_row(); r < p.rows.size(); ++r) {
    s.row_impulse[r] = p.rows[r].start_impulse;
    apply(p.rows[r], s.row_impulse[r], bodies_of(p, s));
  }
}

/// (S5) for a range of contacts.
SCREE_FOR_EACH_TARGET
void add_residuals(const ContactRange& contacts, const BodyVelocity* velocity, double* normal_velocity,
                   double* squared) {
  for (std::size_t k = 0; k < contacts.count; ++k) {
    const ContactTerms& c = contacts.contact[k];
    const Vector4 v = contacts.relative_velocity(k, velocity);
    normal_velocity[k] = dot(normal_of(c), v) + c.offset;
    const Vec3 u =
        Vec3(normal_velocity[k], dot(first_tangent(c), v), dot(second_tangent(c), v)) + contacts.given(k);
    const Vec3& impulse = contacts.impulse[k];
    const bool idle = impulse[0] <= 0.0 && u[0] >= 0.0;
    const double rho = contacts.local[k].rho,
                 gives = contacts.compliance == nullptr ? 0.0 : contacts.compliance[k].compliance.sum(),
                 of_bodies = 1.0 - rho / 3.0 * gives;
    squared[k] =
        idle ? -1.0 : of_bodies * of_bodies * natural_map_of_cone(impulse, u, c.friction, rho).squaredNorm();
  }
}

/// The residual of the present iterate.
Residual residual_of_sweeps(const ContactProblem& p, SolverWorkspace& w, ContactSolution& s) {
  if (p.friction_corners > 0) return residual(p, s.velocity, s.impulse, s.row_impulse);
  resize_with_room(w.normal_velocity, p.contacts());
  ExactSums<ResidualSum> all;
  const auto of_contacts = [&](const Block& block) {
    assert(block.end - block.begin <= grain_medium);
    double squared[grain_medium];
    add_residuals(range_of(p, s.impulse, block.begin, block.end), s.velocity.data(),
                  w.normal_velocity.data() + block.begin, squared);
    for_rows_of(p, block.begin, block.end, [&](std::size_t r) {
      double& here = squared[static_cast<std::size_t>(p.rows[r].contact) - block.begin];
      if (!(here < 0.0)) here += row_residual_squared(p, r, s.velocity, s.impulse, s.row_impulse);
    });
    ResidualSum sum;
    for (std::size_t k = 0; k < block.end - block.begin; ++k) {
      if (!(squared[k] < 0.0)) sum.add(squared[k]);
    }
    return sum;
  };
  add_ranges(p.blocks(), of_contacts, all);
  all.add(residual_of_rows(p, p.contact_rows, p.rows.size(), s.velocity, s.impulse, s.row_impulse));
  return all.value().residual();
}

/// (P3) for the velocities of the impulses.
void follow_velocities(double beta, ConjugateWorkspace& w, ContactSolution& s) {
  const auto go_on = [&](Padded3& x, Padded3& last, Padded3& step) {
    const Vector4 now = load(x), gain = now - load(last), along = load(step), next = now + beta * along;
    store(next, x);
    store(beta * along + gain, step);
    store(next, last);
  };
  for_each_index(w.bodies.size(), grain_light, [&](std::size_t i) {
    ConjugateWorkspace::Body& d = w.bodies[i];
    go_on(s.velocity[i].linear, d.last_linear, d.linear);
    go_on(s.velocity[i].angular, d.last_angular, d.angular);
  });
}

/// One sweep, first along the conjugate directions if there are any; returns the sum of squared changes of
/// contact velocities, (m/s)^2.
double sweep_edges(const ContactProblem& p, SolverKind kind, std::optional<double> beta, SolverWorkspace& w,
                   ContactSolution& s) {
  if (beta) follow_velocities(*beta, w.conjugate, s);
  const Colouring& colouring = w.colouring;
  const bool quick = kind == SolverKind::gauss_seidel && p.friction_corners == 0;
  sweep(colouring, [&](std::size_t v, std::size_t begin, std::size_t end) {
    const BlockParts parts = parts_of(p, begin, end);
    ConjugateDirection<3>* const along = beta ? w.conjugate.impulse.data() + parts.contact : nullptr;
    const double b = beta.value_or(0.0);
    w.update_change[v] = quick ? solve_contacts(range_of(p, s.impulse, parts.contact, parts.contacts_end),
                                                bodies_of(p, s), along, b)
                               : solve_contacts_exactly(p, kind, parts, along, b, s);
    if (parts.row < parts.rows_end)
      w.update_change[v] +=
          solve_rows(p, parts.row, parts.rows_end, beta ? w.conjugate.row.data() : nullptr, b, s);
  });
  if (beta)
    for (std::size_t r = p.first_block_row(); r < p.rows.size(); ++r)
      follow(*beta, &s.row_impulse[r], w.conjugate.row[r]);
  const double of_block = p.block ? improve_block(p, s) : 0.0;
  return of_block + reduce_blocks(
                        colouring.updates(), grain_light, 0.0,
                        [&](const Block& block) {
                          double sum = 0.0;
                          for (std::size_t v = block.begin; v < block.end; ++v) sum += w.update_change[v];
                          return sum;
                        },
                        [](double a, double b) { return a + b; });
}

/// Stores the state as the reference of the first direction.
void begin_directions(const ContactSolution& s, ConjugateWorkspace& d) {
  resize_with_room(d.impulse, s.impulse.size());
  resize_with_room(d.row, s.row_impulse.size());
  resize_with_room(d.bodies, s.velocity.size());
  for_each_index(d.impulse.size(), grain_light, [&](std::size_t k) {
    d.impulse[k] = {};
    std::copy_n(s.impulse[k].data(), 3, d.impulse[k].last);
  });
  for (std::size_t r = 0; r < d.row.size(); ++r) d.row[r] = {{s.row_impulse[r]}, {0.0}};
  for_each_index(d.bodies.size(), grain_light, [&](std::size_t i) {
    d.bodies[i] = {{}, s.velocity[i].linear, {}, s.velocity[i].angular};
  });
}

}  // namespace

void colour_blocks(const ContactProblem& p, SolverWorkspace& w) {
  colour_blocks(p.edge, std::span(p.rows).subspan(p.contact_rows, p.first_block_row() - p.contact_rows),
                p.bodies(), w.colouring);
  w.update_change.resize(w.colouring.updates());
}

SolveReport solve_gauss_seidel(const ContactProblem& given, const SolverSettings& settings,
                               SolverWorkspace& w, ContactSolution& s) {
  if (given.cell) w.celled = given;
  const ContactProblem& p = given.cell ? w.celled : given;
  const auto follow_cell = [&] {
    if (given.cell) follow_cell_rate(given, s, w.celled);
  };
  if (given.cell) s.cell_rate = given.cell->rate;
  apply_start(p, w.colouring, settings.warm_start, s);
  follow_cell();
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  const double goal = settings.tolerance * p.velocity_scale;
  const auto edges = static_cast<double>(std::max<std::size_t>(1, p.contacts() + p.rows.size()));
  double change = 0.0, last_change = 0.0;
  while (report.sweeps < settings.max_sweeps) {
    if (report.sweeps == plain_sweeps) begin_directions(s, w.conjugate);
    std::optional<double> beta;
    if (report.sweeps > plain_sweeps) beta = change < last_change ? change / last_change : 0.0;
    if (report.sweeps == plain_sweeps + 1) beta = 0.0;
    last_change = change;
    change = sweep_edges(p, settings.kind, beta, w, s);
    follow_cell();
    ++report.sweeps;
    if (!(change < infinity)) break;
    if (std::sqrt(change / edges) <= goal || report.sweeps % sweeps_between_checks == 0) {
      report.residual = residual_of_sweeps(p, w, s);
      if (report.residual.rms_m_s <= goal) {
        report.status = SolveStatus::converged;
        break;
      }
    }
  }
  if (report.status != SolveStatus::converged) report.residual = residual_of_sweeps(p, w, s);
  return report;
}

}  // namespace scree
