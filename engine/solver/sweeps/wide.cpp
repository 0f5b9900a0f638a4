// The `per_body` solver on batches of eight contacts (batches.h): block Gauss-Seidel with one impulse per
// contact, shared by both sides, as steps of Nesterov's momentum.
//
// A visit takes eight contacts that change no body in common and improves their accumulated impulses by (P1)
// and (P2), as per_body.cpp does one by one; resistance to torques follows in the same visit, rows that
// belong to no contact after all contacts, forth and back. Each sweep begins where the last two point to,
//   x <- x + beta (x - x_last),  beta = min(cap, (theta - 1) / t),  t = (1 + sqrt(1 + 4 theta^2)) / 2,  theta
//   <- t  (P4)
// for impulses and, being linear in them, velocities alike; theta is halved where a sweep changes more than
// the last did. A few contacts that hold most of the residual after many sweeps are solved together with
// those around them (late_contacts.h). In the end velocities follow from the impulses in double precision, so
// momentum is kept to rounding.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/parallel.h"
#include "engine/core/vector8.h"
#include "engine/solver/problem/row_block.h"
#include "engine/solver/solver.h"
#include "engine/solver/sweeps/batches.h"
#include "engine/solver/sweeps/late_contacts.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

namespace {

// Batches a chunk: about a microsecond of a sweep.
constexpr std::size_t batches_a_chunk = 8, bodies_a_chunk = 512;

// A solution of fewer sweeps or contacts is not worth waking other threads for.
constexpr int sweeps_alone = 3;
constexpr std::size_t contacts_alone = 400;

// (P4): momentum grows to the first cap, after some sweeps to the second; larger ones run into limit cycles.
constexpr float first_cap = 0.7f, second_cap = 0.85f;
constexpr int sweeps_of_first_cap = 40;
constexpr double most_growth = 1.1, back = 0.5;
// Where changes have not become smaller for so many sweeps it goes in circles: less momentum from then on.
constexpr int most_patience = 60;
constexpr float less = 0.7f;

// Batches that carry nothing are visited in every so many sweeps.
constexpr int sweeps_between_idle = 4;

// The change of a sweep, rms, comes to so many times the residual after some sweeps: below, the residual is
// computed.
constexpr double change_over_residual = 1.4;
constexpr int sweeps_between_checks = 3;

// Single-precision changes are measured from a new start after so many sweeps where the goal is fine.
constexpr int sweeps_of_a_start = 20;
constexpr double finest_in_one_start = 2e-4;

// Where a body carries a million times its weight, single precision of the impulses is no longer enough for
// its velocity.
constexpr double precision_of_impulses = 6e-8, part_of_goal_in_rounding = 0.3;
constexpr int most_times_settled = 4, sweeps_between_ends = 16;

/// Bodies of a batch, in the order of Batches::change: v, 1/m, z, 0.
struct TwoBodies {
  Vector8 a[8], b[8];
};

SCREE_INLINE void read_bodies(const ContactBatch& c, const Lanes* change, TwoBodies& y) {
  gather(change, c.a, y.a);
  gather(change, c.b, y.b);
}
SCREE_INLINE void write_bodies(const ContactBatch& c, const TwoBodies& y, Lanes* change) {
  scatter(y.a, c.a, change);
  scatter(y.b, c.b, change);
}

SCREE_INLINE void load3(const Lanes* from, Vector8* to) {
  for (int k = 0; k < 3; ++k) to[k] = load(from[k]);
}

/// u of the contacts, offset included.
SCREE_INLINE void relative_velocity(const ContactBatch& c, const TwoBodies& y, Vector8* u) {
  const Vector8 r[3] = {y.a[0] - y.b[0], y.a[1] - y.b[1], y.a[2] - y.b[2]};
  const Lanes* const d[3] = {c.n, c.t1, c.t2};
  for (int i = 0; i < 3; ++i) {
    Vector8 along[3], arm_a[3], arm_b[3];
    load3(d[i], along);
    load3(c.arm_a + 3 * i, arm_a);
    load3(c.arm_b + 3 * i, arm_b);
    u[i] = load(c.velocity[i]) + dot3(along, r) + (dot3(arm_a, y.a + 4) + dot3(arm_b, y.b + 4));
  }
}

/// Changes of impulses applied.
SCREE_INLINE void apply(const ContactBatch& c, const Vector8* dp, TwoBodies& y) {
  for (int k = 0; k < 3; ++k) {
    const Vector8 push = dp[0] * load(c.n[k]) + dp[1] * load(c.t1[k]) + dp[2] * load(c.t2[k]);
    y.a[k] += y.a[3] * push;
    y.b[k] -= y.b[3] * push;
    y.a[4 + k] += dp[0] * load(c.arm_a[k]) + dp[1] * load(c.arm_a[3 + k]) + dp[2] * load(c.arm_a[6 + k]);
    y.b[4 + k] += dp[0] * load(c.arm_b[k]) + dp[1] * load(c.arm_b[3 + k]) + dp[2] * load(c.arm_b[6 + k]);
  }
}

/// The tangential part of (P2): the impulse (x1, x2) that sees (u1, u2) sticks if the free minimum is within
/// the bound, else it slides.
struct Tangential {
  const Lanes &i11, &i12, &i22, &step;
};
SCREE_INLINE void improve_tangential(const Tangential& w, Vector8 u1, Vector8 u2, Vector8 bound, Vector8& x1,
                                     Vector8& x2) {
  const Vector8 one = all_lanes(1.0f), limit = bound * bound;
  const Vector8 i12 = load(w.i12), s1 = x1 - (load(w.i11) * u1 + i12 * u2),
                s2 = x2 - (i12 * u1 + load(w.i22) * u2);
  const Vector8 step = load(w.step), g1 = x1 - step * u1, g2 = x2 - step * u2, squared = g1 * g1 + g2 * g2;
  const Mask8 outside = squared > limit;
  const Vector8 shrunk = outside ? bound / sqrt_of(outside ? squared : one) : one;
  const Mask8 slides = s1 * s1 + s2 * s2 > limit;
  x1 = slides ? g1 * shrunk : s1;
  x2 = slides ? g2 * shrunk : s2;
}

/// (P1) and (P2) of a batch; dp: how the impulses x change. Returns squared changes of the contacts'
/// velocities.
SCREE_INLINE Vector8 improve(const ContactBatch& c, const Vector8* u, Vector8* x, Vector8* dp) {
  const Vector8 zero{}, p_n = larger(x[0] - u[0] * load(c.inverse_w_nn), zero), dn = p_n - x[0];
  const Vector8 last1 = x[1], last2 = x[2];
  improve_tangential({c.i_tt11, c.i_tt12, c.i_tt22, c.slide_step}, u[1] + load(c.w_t1n) * dn,
                     u[2] + load(c.w_t2n) * dn, load(c.friction) * p_n, x[1], x[2]);
  x[0] = p_n;
  dp[0] = dn;
  dp[1] = x[1] - last1;
  dp[2] = x[2] - last2;
  const Vector8 by_n = dn * load(c.w_nn), most = load(c.w_tt), by_1 = dp[1] * most, by_2 = dp[2] * most;
  return by_n * by_n + (by_1 * by_1 + by_2 * by_2);
}

/// (P4) of impulses; keeps where they were.
SCREE_INLINE void go_on(float beta, Vector8* x, Lanes* last) {
  for (int k = 0; k < 3; ++k) {
    const Vector8 at = x[k];
    x[k] += beta * (at - load(last[k]));
    store(at, last[k]);
  }
}

/// Impulses that are applied while nothing is improved: those of the start.
SCREE_INLINE void add_spin(const SpinBatch& s, const Vector8* dp, TwoBodies& y) {
  for (int k = 0; k < 3; ++k) {
    y.a[4 + k] += dp[0] * load(s.turn_a[k]) + dp[1] * load(s.turn_a[3 + k]) + dp[2] * load(s.turn_a[6 + k]);
    y.b[4 + k] += dp[0] * load(s.turn_b[k]) + dp[1] * load(s.turn_b[3 + k]) + dp[2] * load(s.turn_b[6 + k]);
  }
}
SCREE_INLINE void relative_spin(const SpinBatch& s, const TwoBodies& y, Vector8* u) {
  for (int i = 0; i < 3; ++i) {
    Vector8 a[3], b[3];
    load3(s.turn_a + 3 * i, a);
    load3(s.turn_b + 3 * i, b);
    u[i] = load(s.velocity[i]) + (dot3(a, y.a + 4) + dot3(b, y.b + 4));
  }
}

/// Torsion, then rolling, of contacts with the normal impulses p_n; returns squared changes.
SCREE_INLINE Vector8 resist(SpinBatch& s, float beta, Vector8 p_n, TwoBodies& y) {
  Vector8 x[3], u[3], dp[3];
  load3(s.impulse, x);
  go_on(beta, x, s.last);
  relative_spin(s, y, u);
  const Vector8 torsion = load(s.torsion), rolling = load(s.rolling), most = torsion * p_n;
  const Vector8 aim = x[0] - u[0] * load(s.inverse_w_nn), low = larger(aim, -most),
                turned = low < most ? low : most;
  dp[0] = turned - x[0];
  dp[1] = x[1];
  dp[2] = x[2];
  x[0] = turned;
  improve_tangential({s.i_tt11, s.i_tt12, s.i_tt22, s.slide_step}, u[1], u[2], rolling * p_n, x[1], x[2]);
  dp[1] = x[1] - dp[1];
  dp[2] = x[2] - dp[2];
  add_spin(s, dp, y);
  for (int k = 0; k < 3; ++k) store(x[k], s.impulse[k]);
  const Vector8 by_n = torsion * dp[0] * load(s.w_nn), by_t = rolling * load(s.w_tt), by_1 = by_t * dp[1],
                by_2 = by_t * dp[2];
  return by_n * by_n + (by_1 * by_1 + by_2 * by_2);
}

/// Visits `abreast` batches of one phase together, since one alone waits for its own numbers.
template <std::size_t abreast>
SCREE_INLINE void visit(Batches& b, const std::size_t* which, float beta, Vector8& squared) {
  TwoBodies y[abreast];
  Vector8 u[abreast][3], dp[abreast][3];
  for (std::size_t i = 0; i < abreast; ++i) {
    const ContactBatch& c = b.contact[which[i]];
    read_bodies(c, b.change.data(), y[i]);
    relative_velocity(c, y[i], u[i]);
  }
  for (std::size_t i = 0; i < abreast; ++i) {
    ContactBatch& c = b.contact[which[i]];
    Vector8 x[3];
    load3(c.impulse, x);
    const Mask8 had = x[0] != Vector8{};
    go_on(beta, x, c.last);
    squared += improve(c, u[i], x, dp[i]);
    for (int k = 0; k < 3; ++k) store(x[k], c.impulse[k]);
    b.idle[which[i]] = !any_of(had | (x[0] != Vector8{}));
  }
  for (std::size_t i = 0; i < abreast; ++i) {
    const ContactBatch& c = b.contact[which[i]];
    apply(c, dp[i], y[i]);
    if (SpinBatch* const spin = b.resistance(which[i])) {
      squared += resist(*spin, beta, load(c.impulse[0]), y[i]);
      b.idle[which[i]] = false;
    }
    write_bodies(c, y[i], b.change.data());
  }
}

/// How batches [begin, end) of a phase are visited.
struct VisitPlan {
  float beta;
  bool idle_too, one_by_one;
};

/// Returns the sum of squared changes of velocities, (m/s)^2.
SCREE_FOR_EACH_TARGET
double visit_batches(Batches& b, std::size_t begin, std::size_t end, const VisitPlan& plan) {
  Vector8 squared{};
  std::size_t waiting[2], count = 0;
  for (std::size_t k = begin; k < end; ++k) {
    if (b.idle[k] && !plan.idle_too) continue;
    waiting[count++] = k;
    if (plan.one_by_one) {
      visit<1>(b, waiting, plan.beta, squared);
      count = 0;
    } else if (count == 2) {
      visit<2>(b, waiting, plan.beta, squared);
      count = 0;
    }
  }
  if (count == 1) visit<1>(b, waiting, plan.beta, squared);
  return sum_of_lanes(squared);
}

/// Applies the impulses as they are, to bodies that have not felt them.
SCREE_FOR_EACH_TARGET
void apply_impulses(Batches& b, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    const ContactBatch& c = b.contact[k];
    TwoBodies y;
    Vector8 x[3];
    read_bodies(c, b.change.data(), y);
    load3(c.impulse, x);
    apply(c, x, y);
    if (const SpinBatch* const spin = b.resistance(k)) {
      load3(spin->impulse, x);
      add_spin(*spin, x, y);
    }
    write_bodies(c, y, b.change.data());
  }
}

/// (P4) of bodies; keeps where they were.
SCREE_FOR_EACH_TARGET
void move_bodies(Batches& b, std::size_t begin, std::size_t end, float beta) {
  for (std::size_t i = begin; i < end; ++i) {
    const Vector8 at = load(b.change[i]);
    store(at + beta * (at - load(b.last[i])), b.change[i]);
    store(at, b.last[i]);
  }
}

/// r of (S5), squared, for a batch that has u and x.
SCREE_INLINE Vector8 natural_map_squared(const ContactBatch& c, const Vector8* u, const Vector8* x) {
  const Vector8 zero{}, one = all_lanes(1.0f), i11 = load(c.i_tt11), i12 = load(c.i_tt12),
                        i22 = load(c.i_tt22);
  const Vector8 tangential = (i11 + i22) / (i11 * i22 - i12 * i12),  // trace
      inverse_rho = (load(c.w_nn) + tangential) * (1.0f / 3.0f), rho = one / inverse_rho;
  const Vector8 mu = load(c.friction), slide = sqrt_of(u[1] * u[1] + u[2] * u[2]);
  const Vector8 aim_n = x[0] - rho * (u[0] + mu * slide), aim_1 = x[1] - rho * u[1],
                aim_2 = x[2] - rho * u[2];
  const Vector8 length = sqrt_of(aim_1 * aim_1 + aim_2 * aim_2),
                on_cone = (aim_n + mu * length) / (one + mu * mu);
  const Mask8 inside = length <= mu * aim_n, apex = mu * length <= -aim_n;
  const Vector8 p_n = inside ? aim_n : (apex ? zero : on_cone),
                part = inside ? one : (apex ? zero : mu * on_cone / (length > zero ? length : one));
  const Vector8 r_n = (x[0] - p_n) * inverse_rho, r_1 = (x[1] - part * aim_1) * inverse_rho,
                r_2 = (x[2] - part * aim_2) * inverse_rho;
  return r_n * r_n + (r_1 * r_1 + r_2 * r_2);
}

/// The same of the rows of its contacts (row_residual_squared()).
SCREE_INLINE Vector8 row_residual_squared(const SpinBatch& s, const TwoBodies& y, Vector8 p_n) {
  Vector8 x[3], u[3];
  load3(s.impulse, x);
  relative_spin(s, y, u);
  const Vector8 one = all_lanes(1.0f), torsion = load(s.torsion), rolling = load(s.rolling),
                most = torsion * p_n;
  const Vector8 aim = x[0] - load(s.inverse_w_nn) * u[0], low = larger(aim, -most),
                at = low < most ? low : most;
  const Vector8 r_n = torsion * (x[0] - at) * load(s.w_nn);
  const Vector8 i11 = load(s.i_tt11), i12 = load(s.i_tt12), i22 = load(s.i_tt22),
                inverse_rho = 0.5f * (i11 + i22) / (i11 * i22 - i12 * i12), rho = one / inverse_rho;
  const Vector8 a1 = x[1] - rho * u[1], a2 = x[2] - rho * u[2], length = sqrt_of(a1 * a1 + a2 * a2),
                bound = rolling * p_n;
  const Mask8 outside = length > bound;
  const Vector8 part = outside ? bound / (outside ? length : one) : one, scale = rolling * inverse_rho;
  const Vector8 r_1 = scale * (x[1] - part * a1), r_2 = scale * (x[2] - part * a2);
  return r_n * r_n + (r_1 * r_1 + r_2 * r_2);
}

/// (S5) of batches [begin, end). The contacts' u_n, without offset, go to `normal_velocity`, their squared
/// residuals to `squared_of` if it is given.
SCREE_FOR_EACH_TARGET
ResidualSum residual_of_batches(const Batches& b, std::size_t begin, std::size_t end,
                                const ContactTerms* terms, double* normal_velocity, float* squared_of) {
  ResidualSum sum;
  Vector8 squares{}, largest{}, active{};
  for (std::size_t k = begin; k < end; ++k) {
    const ContactBatch& c = b.contact[k];
    TwoBodies y;
    Vector8 u[3], x[3];
    read_bodies(c, b.change.data(), y);
    relative_velocity(c, y, u);
    load3(c.impulse, x);
    Vector8 squared = natural_map_squared(c, u, x);
    if (const SpinBatch* const spin = b.resistance(k)) squared += row_residual_squared(*spin, y, x[0]);
    const Vector8 zero{};
    const Mask8 idle = (x[0] <= zero) & (u[0] >= zero);  // numbers that are not finite stay in
    squared = idle ? zero : squared;
    squares += squared;
    largest = larger(squared, largest);
    active += idle ? zero : all_lanes(1.0f);
    for (std::size_t l = 0; l < batch_size; ++l) {
      const std::int32_t contact = b.lane[batch_size * k + l];
      if (contact < 0) continue;
      normal_velocity[contact] = double{u[0][l]} - terms[contact].offset;
      if (squared_of != nullptr) squared_of[contact] = squared[l];
    }
  }
  sum.squares = sum_of_lanes(squares);
  for (int l = 0; l < 8; ++l) sum.largest = std::max(sum.largest, double{largest[l]});
  sum.active = static_cast<std::int64_t>(sum_of_lanes(active));
  return sum;
}

/// The largest speed that a normal impulse gives a contact by itself, m/s.
SCREE_FOR_EACH_TARGET
double largest_push(const Batches& b) {
  Vector8 largest{};
  for (const ContactBatch& c : b.contact) largest = larger(load(c.impulse[0]) * load(c.w_nn), largest);
  float most = 0.0f;
  for (int l = 0; l < 8; ++l) most = std::max(most, largest[l]);
  return double{most};
}

/// Adds the impulses of batches [begin, end) to what bodies get, N s and N m s, in double precision.
SCREE_FOR_EACH_TARGET
void add_impulses(const ContactProblem& p, const Batches& b, std::size_t begin, std::size_t end,
                  const ContactSolution& s, BodyVelocity* got) {
  for (std::size_t k = batch_size * begin; k < batch_size * end; ++k) {
    if (b.lane[k] < 0) continue;
    const auto c = static_cast<std::size_t>(b.lane[k]);
    const ContactTerms& g = p.contact[c];
    const Vector4 impulse = to_world(g, s.impulse[c].data());
    BodyVelocity &to_a = got[p.edge[c].a], &to_b = got[p.edge[c].b];
    store(load(to_a.linear) + impulse, to_a.linear);
    store(load(to_a.angular) + cross(arm_a_of(g), impulse), to_a.angular);
    store(load(to_b.linear) - impulse, to_b.linear);
    store(load(to_b.angular) - cross(arm_b_of(g), impulse), to_b.angular);
  }
}

/// The velocities of bodies [begin, end) after what they got, which stands in their place.
SCREE_FOR_EACH_TARGET
void answer_impulses(const ContactProblem& p, std::size_t begin, std::size_t end, BodyVelocity* bodies) {
  for (std::size_t i = begin; i < end; ++i) {
    const Vector4 impulse = load(bodies[i].linear), moment = load(bodies[i].angular);
    store(linear_of(p.free_velocity[i]), bodies[i].linear);
    store(angular_of(p.free_velocity[i]), bodies[i].angular);
    push(static_cast<std::int32_t>(i), impulse, moment, {p.response.data(), bodies});
  }
}

SCREE_FOR_EACH_TARGET
void apply_rows(const ContactProblem& p, ContactSolution& s) {
  const SweptBodies bodies{p.response.data(), s.velocity.data()};
  const double* const impulse = s.row_impulse.data();
  for (std::size_t r = 0; r < p.rows.size(); ++r) apply(p.rows[r], impulse[r], bodies);
}

/// Normal impulses that push contacts apart at the speeds that are asked for.
SCREE_FOR_EACH_TARGET
void push_apart(Batches& b, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    const ContactBatch& c = b.contact[k];
    TwoBodies y;
    read_bodies(c, b.change.data(), y);
    const Vector8 r[3] = {y.a[0] - y.b[0], y.a[1] - y.b[1], y.a[2] - y.b[2]}, zero{};
    Vector8 n[3], arm_a[3], arm_b[3];
    load3(c.n, n);
    load3(c.arm_a, arm_a);
    load3(c.arm_b, arm_b);
    const Vector8 u_n = dot3(n, r) + (dot3(arm_a, y.a + 4) + dot3(arm_b, y.b + 4)), last = load(b.push[k]),
                  now = larger(last - (u_n - load(b.target[k])) * load(c.inverse_w_nn), zero),
                  change = now - last;
    if (!any_of(change != zero)) continue;
    store(now, b.push[k]);
    for (int i = 0; i < 3; ++i) {
      y.a[i] += y.a[3] * change * n[i];
      y.b[i] -= y.b[3] * change * n[i];
      y.a[4 + i] += change * arm_a[i];
      y.b[4 + i] += change * arm_b[i];
    }
    write_bodies(c, y, b.change.data());
  }
}

/// Sweeps over the batches of a problem.
class WideSweeps {
 public:
  WideSweeps(const ContactProblem& problem, SolverWorkspace& workspace, ContactSolution& solution)
      : p_(problem), w_(workspace), b_(workspace.batches), s_(solution), team_(std::in_place, 1) {}

  /// Impulses where iterations begin, and the velocities that belong to them.
  void start() {
    reset_changes();
    for_phases([&](const Block& k) { apply_impulses(b_, k.begin, k.end); });
    for (FreeRow& row : b_.row) turn(row, row.impulse);
    find_seam();
    follow_cell();
    b_.last = b_.change;
  }

  /// Other threads help from now on.
  void call_team() {
    if (p_.contacts() >= contacts_alone && thread_count() > 1) team_.emplace(thread_count());
  }

  /// One sweep; returns the sum of squared changes of velocities.
  double sweep(float beta, bool idle_too) {
    for_chunks(0, b_.change.size(), bodies_a_chunk,
               [&](const Block& k) { move_bodies(b_, k.begin, k.end, beta); });
    double sum = 0.0;
    for (const BatchPhase& phase : b_.phase) {
      const std::size_t chunks = block_count(phase.end - phase.begin, chunk_of(phase));
      w_.visit_change.resize(std::max(w_.visit_change.size(), chunks));
      for_chunks(phase.begin, phase.end, chunk_of(phase), [&](const Block& k) {
        w_.visit_change[k.index] = visit_batches(b_, k.begin, k.end, {beta, idle_too, phase.serial});
      });
      for (std::size_t k = 0; k < chunks; ++k) sum += w_.visit_change[k];
    }
    for (FreeRow& row : b_.row) {
      const float at = row.impulse;
      row.impulse += beta * (at - row.last);
      row.last = at;
    }
    const std::size_t single = b_.row.size() - p_.block_rows;
    for (std::size_t r = 0; r < single; ++r) sum += solve(b_.row[r]);
    for (std::size_t r = single; r > 0; --r) sum += solve(b_.row[r - 1]);
    if (p_.block) sum += improve_block();
    follow_cell();
    return sum;
  }

  /// (S5) of where the sweeps are; of each contact, squared, too if asked for.
  Residual residual(float* squared_of = nullptr) {
    resize_with_room(w_.normal_velocity, p_.contacts());
    w_.residual_sums.resize(block_count(b_.contact.size(), batches_a_chunk));
    for_chunks(0, b_.contact.size(), batches_a_chunk, [&](const Block& k) {
      w_.residual_sums[k.index] =
          residual_of_batches(b_, k.begin, k.end, p_.contact.data(), w_.normal_velocity.data(), squared_of);
    });
    ResidualSum sum;
    for (const ResidualSum& part : w_.residual_sums) sum += part;
    for (const FreeRow& row : b_.row) {
      const float at = std::clamp(row.impulse - row.inverse_w * velocity(row), row.low, row.high);
      const double r = double{row.length} * double{row.impulse - at} / double{row.inverse_w};
      sum.add(r * r);
    }
    return sum.residual();
  }

  /// Velocities from impulses, in double precision.
  void finish() {
    take_impulses(p_, b_, s_);
    std::fill(s_.velocity.begin(), s_.velocity.end(), BodyVelocity{});
    for_phases([&](const Block& k) { add_impulses(p_, b_, k.begin, k.end, s_, s_.velocity.data()); });
    for_chunks(0, p_.bodies(), bodies_a_chunk,
               [&](const Block& k) { answer_impulses(p_, k.begin, k.end, s_.velocity.data()); });
    apply_rows(p_, s_);
    if (p_.cell) s_.cell_rate = cell_rate(p_, s_);
  }

  /// The correction that gives contacts these speeds, by so many sweeps.
  void correct(const std::vector<double>& target, int sweeps) {
    b_.target.resize(b_.contact.size());
    b_.push.assign(b_.contact.size(), Lanes{});
    for (std::size_t k = 0; k < b_.lane.size(); ++k)
      b_.target[k / batch_size].at[k % batch_size] =
          b_.lane[k] < 0 ? 0.0f : static_cast<float>(target[static_cast<std::size_t>(b_.lane[k])]);
    reset_changes();
    find_seam();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for_phases([&](const Block& k) { push_apart(b_, k.begin, k.end); });
      for (std::size_t r = 0; r + p_.block_rows < b_.row.size(); ++r) hold(b_.row[r]);
      if (p_.block) hold_block();
      give_cell();
    }
    for_each_body([&](std::size_t i) {
      const float *y = b_.change[i].at, *l = b_.factor[i].at, *z = y + 4;
      const Vec3 answer(l[0] * z[0], l[1] * z[0] + l[2] * z[1], l[3] * z[0] + l[4] * z[1] + l[5] * z[2]);
      s_.correction[i] = p_.response[i].slides ? body_velocity({answer, Vec3::Zero()})
                                               : body_velocity({Vec3(y[0], y[1], y[2]), answer});
    });
  }

  /// Solves around late contacts in double precision, and starts there again, without momentum; false if
  /// there are none.
  bool help(LateContacts& late, int sweeps, double goal) {
    if (p_.cell) return false;
    std::vector<float> squared(p_.contacts());
    residual(squared.data());
    finish();
    if (!late.solve(p_, sweeps, goal, squared, s_)) return false;
    go_on_from_solution();
    return true;
  }

  /// Starts again where the solution is.
  void go_on_from_solution() {
    set_start(p_, s_, b_);
    set_velocities(p_, s_.velocity, b_);
    reset_changes();
    b_.last = b_.change;
  }

  /// May velocities that belong to impulses of single precision be off by some of the goal?
  bool are_coarse(double goal) const {
    return precision_of_impulses * largest_push(b_) > part_of_goal_in_rounding * goal;
  }
  /// Judges in double precision what finish() has left, and solves around contacts that this makes late.
  Residual settle(LateContacts& late, int sweeps, double goal) {
    std::vector<float> squared(p_.contacts());
    w_.normal_velocity.resize(p_.contacts());
    for (int k = 0;; ++k) {
      const Residual r = scree::residual(p_, s_.velocity, s_.impulse, s_.row_impulse,
                                         {w_.normal_velocity.data(), squared.data()});
      if (r.rms_m_s <= goal || k == most_times_settled || !late.solve(p_, sweeps, goal, squared, s_))
        return r;
    }
  }

  /// Measures changes from the velocities that the impulses have now.
  void begin_anew() {
    finish();
    set_velocities(p_, s_.velocity, b_);
    find_seam();  // images move at the free rate again
    follow_cell();
    for (std::size_t i = 0; i < b_.change.size(); ++i) {
      for (int k = 0; k < 8; ++k) {
        if (k == 3) continue;
        b_.last[i].at[k] -= b_.change[i].at[k];
        b_.change[i].at[k] = 0.0f;
      }
    }
  }

 private:
  void reset_changes() {
    for (std::size_t i = 0; i < b_.change.size(); ++i)
      b_.change[i] = {{0.0f, 0.0f, 0.0f, b_.factor[i].at[6]}};
  }

  template <class F>
  void for_each_body(F&& f) {
    for_chunks(0, p_.bodies(), bodies_a_chunk, [&](const Block& k) {
      for (std::size_t i = k.begin; i < k.end; ++i) f(i);
    });
  }

  /// Lists the lanes of the contacts across the seam of a cell that holds stresses, which is at its free
  /// rate.
  void find_seam() {
    seam_.clear();
    if (!p_.cell) return;
    cell_rate_ = p_.cell->rate;
    std::vector<std::int32_t> lane_of(p_.contacts(), -1);
    for (std::size_t k = 0; k < b_.lane.size(); ++k)
      if (b_.lane[k] >= 0) lane_of[static_cast<std::size_t>(b_.lane[k])] = static_cast<std::int32_t>(k);
    for (const CellTerms::Seam& at : p_.cell->contacts)
      seam_.push_back({lane_of[static_cast<std::size_t>(at.index)], at.shift});
  }

  /// (S7): the rate that goes with the impulses, and what it makes of the velocities of images.
  void follow_cell() {
    if (!p_.cell) return;
    Vec3 sum = Vec3::Zero();
    const auto frame_of = [](const ContactBatch& c, std::size_t l) {
      Mat3 axes;
      for (int i = 0; i < 3; ++i) axes.col(i) << c.n[i].at[l], c.t1[i].at[l], c.t2[i].at[l];
      return axes;
    };
    const auto of_lane = [&](std::int32_t lane) -> std::pair<ContactBatch&, std::size_t> {
      const auto k = static_cast<std::size_t>(lane);
      return {b_.contact[k / batch_size], k % batch_size};
    };
    for (const CellTerms::Seam& at : seam_) {
      const auto [c, l] = of_lane(at.index);
      const Vec3 p(double{c.impulse[0].at[l]}, double{c.impulse[1].at[l]}, double{c.impulse[2].at[l]});
      sum += at.shift.cwiseProduct(frame_of(c, l).transpose() * p);
    }
    for (const CellTerms::Seam& at : p_.cell->rows)
      sum += double{b_.row[static_cast<std::size_t>(at.index) - p_.contact_rows].impulse} * at.shift;
    const Vec3 rate = p_.cell->rate_with(b_.mass_unit * sum), change = rate - cell_rate_;
    cell_rate_ = rate;
    for (const CellTerms::Seam& at : seam_) {
      const auto [c, l] = of_lane(at.index);
      const Vec3 u = frame_of(c, l) * at.shift.cwiseProduct(change);
      for (int i = 0; i < 3; ++i) c.velocity[i].at[l] -= static_cast<float>(u[i]);
    }
    for (const CellTerms::Seam& at : p_.cell->rows)
      b_.row[static_cast<std::size_t>(at.index) - p_.contact_rows].velocity -=
          static_cast<float>(at.shift.dot(change));
  }

  /// The same of the correction: the rate that goes with its impulses, which contacts across the seam have to
  /// be the faster for.
  void give_cell() {
    if (!p_.cell) return;
    const auto normal = [&](const CellTerms::Seam& at) -> Vec3 {
      const ContactBatch& c = b_.contact[static_cast<std::size_t>(at.index) / batch_size];
      const std::size_t l = static_cast<std::size_t>(at.index) % batch_size;
      return {double{c.n[0].at[l]}, double{c.n[1].at[l]}, double{c.n[2].at[l]}};
    };
    const auto lane_of = [](std::vector<Lanes>& values, const CellTerms::Seam& at) -> float& {
      return values[static_cast<std::size_t>(at.index) / batch_size]
          .at[static_cast<std::size_t>(at.index) % batch_size];
    };
    Vec3 sum = Vec3::Zero();
    for (const CellTerms::Seam& at : seam_)
      sum += double{lane_of(b_.push, at)} * at.shift.cwiseProduct(normal(at));
    const Vec3 rate = -b_.mass_unit * p_.cell->give.cwiseProduct(sum), change = rate - s_.cell_correction;
    s_.cell_correction = rate;
    for (const CellTerms::Seam& at : seam_)
      lane_of(b_.target, at) += static_cast<float>(normal(at).dot(at.shift.cwiseProduct(change)));
  }

  /// Calls f(Block) for chunks of [begin, end), shared out among the team.
  template <class F>
  void for_chunks(std::size_t begin, std::size_t end, std::size_t size, F&& f) {
    team_->run(block_count(end - begin, size), [&](std::size_t chunk) {
      const std::size_t first = begin + chunk * size;
      f(Block{chunk, first, std::min(end, first + size)});
    });
  }

  /// Batches that one thread takes.
  static std::size_t chunk_of(const BatchPhase& phase) {
    return phase.serial ? phase.end - phase.begin : batches_a_chunk;
  }

  /// Calls f(Block) for chunks of batches, phase by phase.
  template <class F>
  void for_phases(F&& f) {
    for (const BatchPhase& phase : b_.phase) for_chunks(phase.begin, phase.end, chunk_of(phase), f);
  }

  /// J of the changes.
  float gained(const FreeRow& row) const {
    const float *a = b_.change[static_cast<std::size_t>(row.a)].at,
                *b = b_.change[static_cast<std::size_t>(row.b)].at;
    float u = 0.0f;
    for (int k = 0; k < 3; ++k)
      u += row.linear[k] * (a[k] - b[k]) + row.turn_a[k] * a[4 + k] + row.turn_b[k] * b[4 + k];
    return u;
  }
  float velocity(const FreeRow& row) const {
    return row.velocity + row.compliance * row.impulse + gained(row);
  }
  void turn(const FreeRow& row, float impulse) {
    float *a = b_.change[static_cast<std::size_t>(row.a)].at,
          *b = b_.change[static_cast<std::size_t>(row.b)].at;
    for (int k = 0; k < 3; ++k) {
      a[k] += impulse * a[3] * row.linear[k];
      b[k] -= impulse * b[3] * row.linear[k];
      a[4 + k] += impulse * row.turn_a[k];
      b[4 + k] += impulse * row.turn_b[k];
    }
  }
  double solve(FreeRow& row) {
    const float next = std::clamp(row.impulse - velocity(row) * row.inverse_w, row.low, row.high);
    const float change = next - row.impulse;
    row.impulse = next;
    turn(row, change);
    const double gain = double{row.length} * double{change} / double{row.inverse_w};
    return gain * gain;
  }
  /// Keeps joints together while contacts are corrected.
  void hold(FreeRow& row) {
    const Row& of = p_.rows[p_.contact_rows + static_cast<std::size_t>(&row - b_.row.data())];
    if (of.is_joint()) turn(row, -gained(row) * static_cast<float>(of.inverse_of_bodies() / b_.mass_unit));
  }

  FreeRow& free_row(std::size_t r) { return b_.row[r - p_.contact_rows]; }
  double improve_block() {
    return p_.block->improve(
        p_.rows, [&](std::size_t r) { return double{velocity(free_row(r))}; },
        [&](std::size_t r) { return b_.mass_unit * double{free_row(r).impulse}; },
        [&](std::size_t r, double p) {
          const auto change = static_cast<float>(p / b_.mass_unit);
          free_row(r).impulse += change;
          turn(free_row(r), change);
        });
  }
  void hold_block() {
    p_.block->hold(
        s_.row_impulse, p_.rows, [&](std::size_t r) { return double{gained(free_row(r))}; },
        [&](std::size_t r, double p) { turn(free_row(r), static_cast<float>(p / b_.mass_unit)); });
  }

  const ContactProblem& p_;
  SolverWorkspace& w_;
  Batches& b_;
  ContactSolution& s_;
  std::optional<Team> team_;
  std::vector<CellTerms::Seam> seam_;  // index: 8 batch + lane
  Vec3 cell_rate_ = Vec3::Zero();      // 1/s, that images move with
};

/// (P4): how far the next sweep follows the last ones.
class Momentum {
 public:
  float next(int sweeps) {
    const double t = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta_ * theta_));
    const double beta = (theta_ - 1.0) / t;
    theta_ = t;
    return std::min(part_ * (sweeps < sweeps_of_first_cap ? first_cap : second_cap),
                    static_cast<float>(beta));
  }
  void learn(double change) {
    if (last_ > 0.0 && change > most_growth * last_) theta_ = std::max(1.0, back * theta_);
    last_ = change;
    if (change < least_) {
      least_ = change;
      patience_ = most_patience;
    } else if (--patience_ == 0) {
      part_ *= less;
      patience_ = most_patience;
    }
  }

 private:
  double theta_ = 1.0, last_ = 0.0, least_ = infinity;
  int patience_ = most_patience;
  float part_ = 1.0f;  // of the caps
};

}  // namespace

SolveReport solve_wide(const ContactProblem& p, const SolverSettings& settings, SolverWorkspace& w,
                       ContactSolution& s) {
  make_batches(p, w.batches);
  set_start(p, settings.warm_start, w.batches);
  set_velocities(p, s.velocity, w.batches);

  const double goal = settings.tolerance * p.velocity_scale;
  const auto edges = static_cast<double>(std::max<std::size_t>(1, p.contacts() + p.rows.size()));
  WideSweeps sweeps(p, w, s);
  sweeps.start();
  Momentum momentum;
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  LateContacts late;
  const auto end = [&] {
    sweeps.finish();
    const bool is_late = report.residual.rms_m_s > goal && late.have_been_due(report.sweeps);
    if (report.residual.rms_m_s < infinity && !p.cell && (is_late || sweeps.are_coarse(goal)))
      report.residual = sweeps.settle(late, report.sweeps, goal);
    const bool is_met = report.residual.rms_m_s <= goal;
    if (is_met) report.status = SolveStatus::converged;
    return is_met;
  };
  int next_check = 0;
  bool is_near = false;  // may the goal be met? Then a plain sweep takes away what momentum has overshot
  while (report.sweeps < settings.max_sweeps && report.status == SolveStatus::iteration_limit) {
    if (report.sweeps == sweeps_alone) sweeps.call_team();
    const bool is_first = report.sweeps == 0, is_last = report.sweeps + 1 == settings.max_sweeps;
    const bool plain = is_first || is_near || is_last;
    const float beta = momentum.next(report.sweeps);
    const double change =
        sweeps.sweep(plain ? 0.0f : beta, plain || report.sweeps % sweeps_between_idle == 0);
    momentum.learn(change);
    ++report.sweeps;
    if (!(change < infinity)) {
      report.residual.rms_m_s = infinity;
      break;
    }
    if (settings.tolerance < finest_in_one_start && report.sweeps % sweeps_of_a_start == 0)
      sweeps.begin_anew();
    const bool is_helped = late.are_due(report.sweeps) && !is_last && sweeps.help(late, report.sweeps, goal);
    if (is_helped) momentum = Momentum();
    const bool may_be = is_helped || std::sqrt(change / edges) <= change_over_residual * goal;
    if (is_last || is_near || (is_first && may_be)) {
      report.residual = sweeps.residual();
      next_check = report.sweeps + sweeps_between_checks;
      if (report.residual.rms_m_s <= goal && !end()) {
        sweeps.go_on_from_solution();
        momentum = Momentum();
        next_check = report.sweeps + sweeps_between_ends;
      }
    }
    is_near = may_be && report.sweeps + 1 >= next_check;
  }
  if (report.sweeps == 0) report.residual = sweeps.residual();
  if (report.status != SolveStatus::converged) end();
  return report;
}

void correct_wide(const ContactProblem& p, int sweeps, SolverWorkspace& w, ContactSolution& s) {
  WideSweeps(p, w, s).correct(w.normal_velocity, sweeps);
}

}  // namespace scree
