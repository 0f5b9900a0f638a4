#include "engine/solver/sweeps/block_update.h"

#include <cmath>

#include "engine/core/parallel.h"
#include "engine/solver/sweeps/lanes.h"

namespace scree {

namespace {

/// Bodies of some lanes, in the order of Batches::change: v, 1/m, z, 0.
template <class Part>
struct TwoBodies {
  typename Part::Vector a[8], b[8];
};

template <class Part>
SCREE_INLINE void read_bodies(Part part, const ContactBatch& c, const Lanes* change, TwoBodies<Part>& y) {
  part.read(change, c.a, y.a);
  part.read(change, c.b, y.b);
}
template <class Part>
SCREE_INLINE void write_bodies(Part part, const ContactBatch& c, const TwoBodies<Part>& y, Lanes* change) {
  part.write(y.a, c.a, change);
  part.write(y.b, c.b, change);
}

/// u of the contacts, offset included.
template <class Part>
SCREE_INLINE void relative_velocity(Part part, const ContactBatch& c, const TwoBodies<Part>& y,
                                    typename Part::Vector* u) {
  using Vector = typename Part::Vector;
  const Vector r[3] = {y.a[0] - y.b[0], y.a[1] - y.b[1], y.a[2] - y.b[2]};
  const BatchLanes* const d[3] = {c.n, c.t1, c.t2};
  for (int i = 0; i < 3; ++i) {
    Vector along[3], arm_a[3], arm_b[3];
    load3(part, d[i], along);
    load3(part, c.arm_a + 3 * i, arm_a);
    load3(part, c.arm_b + 3 * i, arm_b);
    u[i] = part.load(c.velocity[i]) + dot3(along, r) + (dot3(arm_a, y.a + 4) + dot3(arm_b, y.b + 4));
  }
}

/// dp of n, t1, t2 along axis k of consecutive vectors.
template <class Part>
SCREE_INLINE typename Part::Vector along(Part part, const typename Part::Vector* dp, const BatchLanes* n,
                                         const BatchLanes* t1, const BatchLanes* t2, int k) {
  return dp[0] * part.load(n[k]) + dp[1] * part.load(t1[k]) + dp[2] * part.load(t2[k]);
}

/// Applies changes of impulses.
template <class Part>
SCREE_INLINE void apply(Part part, const ContactBatch& c, const typename Part::Vector* dp,
                        TwoBodies<Part>& y) {
  for (int k = 0; k < 3; ++k) {
    const typename Part::Vector push = along(part, dp, c.n, c.t1, c.t2, k);
    y.a[k] += y.a[3] * push;
    y.b[k] -= y.b[3] * push;
    y.a[4 + k] += along(part, dp, c.arm_a, c.arm_a + 3, c.arm_a + 6, k);
    y.b[4 + k] += along(part, dp, c.arm_b, c.arm_b + 3, c.arm_b + 6, k);
  }
}

/// The same for torques.
template <class Part>
SCREE_INLINE void apply(Part part, const SpinBatch& s, const typename Part::Vector* dp, TwoBodies<Part>& y) {
  for (int k = 0; k < 3; ++k) {
    y.a[4 + k] += along(part, dp, s.turn_a, s.turn_a + 3, s.turn_a + 6, k);
    y.b[4 + k] += along(part, dp, s.turn_b, s.turn_b + 3, s.turn_b + 6, k);
  }
}

/// The tangential part of (P2): the impulse (x1, x2) with the velocity (u1, u2) sticks if the free minimum is
/// within the bound, else it slides.
struct Tangential {
  const BatchLanes &i11, &i12, &i22, &step;
};
template <class Part>
SCREE_INLINE void improve_tangential(Part part, const Tangential& w, typename Part::Vector u1,
                                     typename Part::Vector u2, typename Part::Vector bound,
                                     typename Part::Vector& x1, typename Part::Vector& x2) {
  using Vector = typename Part::Vector;
  const Vector one = Vector{} + 1.0f, limit = bound * bound;
  const Vector i12 = part.load(w.i12), s1 = x1 - (part.load(w.i11) * u1 + i12 * u2),
               s2 = x2 - (i12 * u1 + part.load(w.i22) * u2);
  const Vector step = part.load(w.step), g1 = x1 - step * u1, g2 = x2 - step * u2,
               squared = g1 * g1 + g2 * g2;
  const auto outside = squared > limit;
  const Vector shrunk = outside ? bound / sqrt_of(outside ? squared : one) : one;
  const auto slides = s1 * s1 + s2 * s2 > limit;
  x1 = slides ? g1 * shrunk : s1;
  x2 = slides ? g2 * shrunk : s2;
}

/// (P4) for impulses; stores their last values.
template <class Part>
SCREE_INLINE void go_on(Part part, float beta, typename Part::Vector* x, BatchLanes* last) {
  for (int k = 0; k < 3; ++k) {
    const typename Part::Vector now = x[k];
    x[k] += beta * (now - part.load(last[k]));
    part.store(now, last[k]);
  }
}

/// Compliance velocity, except for the part in the velocities at the start.
template <class Part>
SCREE_INLINE void give(Part part, const GivingLanes& compliance, const typename Part::Vector* x,
                       typename Part::Vector* u) {
  for (int k = 0; k < 3; ++k) u[k] += part.load(compliance.along[k]) * x[k];
}

/// (P1) and (P2); dp: changes of the impulses x. Returns squared changes of the contacts' velocities.
template <class Part>
SCREE_INLINE typename Part::Vector improve(Part part, const ContactBatch& c, const typename Part::Vector* u,
                                           typename Part::Vector* x, typename Part::Vector* dp) {
  using Vector = typename Part::Vector;
  const Vector zero{}, aim = x[0] - u[0] * part.load(c.inverse_w_nn), p_n = larger(aim, zero),
                       dn = p_n - x[0];
  const Vector last1 = x[1], last2 = x[2];
  improve_tangential(part, {c.i_tt11, c.i_tt12, c.i_tt22, c.slide_step}, u[1] + part.load(c.w_t1n) * dn,
                     u[2] + part.load(c.w_t2n) * dn, part.load(c.friction) * p_n, x[1], x[2]);
  x[0] = p_n;
  dp[0] = dn;
  dp[1] = x[1] - last1;
  dp[2] = x[2] - last2;
  const Vector by_n = dn * part.load(c.w_nn), most = part.load(c.w_tt), by_1 = dp[1] * most,
               by_2 = dp[2] * most;
  return by_n * by_n + (by_1 * by_1 + by_2 * by_2);
}

template <class Part>
SCREE_INLINE void relative_spin(Part part, const SpinBatch& s, const TwoBodies<Part>& y,
                                typename Part::Vector* u) {
  for (int i = 0; i < 3; ++i) {
    typename Part::Vector a[3], b[3];
    load3(part, s.turn_a + 3 * i, a);
    load3(part, s.turn_b + 3 * i, b);
    u[i] = part.load(s.velocity[i]) + (dot3(a, y.a + 4) + dot3(b, y.b + 4));
  }
}

/// The impulse of a torque row: within the bound on both sides.
template <class Vector>
SCREE_INLINE Vector within(Vector aim, Vector bound) {
  const Vector low = larger<Vector>(aim, -bound);
  return low < bound ? low : bound;
}

/// Torsion, then rolling, for contacts with the normal impulses p_n; returns squared changes.
template <class Part>
SCREE_INLINE typename Part::Vector resist(Part part, SpinBatch& s, float beta, typename Part::Vector p_n,
                                          TwoBodies<Part>& y) {
  using Vector = typename Part::Vector;
  Vector x[3], u[3], dp[3];
  load3(part, s.impulse, x);
  go_on(part, beta, x, s.last);
  relative_spin(part, s, y, u);
  const Vector torsion = part.load(s.torsion), rolling = part.load(s.rolling), most = torsion * p_n,
               aim = x[0] - u[0] * part.load(s.inverse_w_nn), turned = within(aim, most);
  dp[0] = turned - x[0];
  dp[1] = x[1];
  dp[2] = x[2];
  x[0] = turned;
  improve_tangential(part, {s.i_tt11, s.i_tt12, s.i_tt22, s.slide_step}, u[1], u[2], rolling * p_n, x[1],
                     x[2]);
  dp[1] = x[1] - dp[1];
  dp[2] = x[2] - dp[2];
  apply(part, s, dp, y);
  for (int k = 0; k < 3; ++k) part.store(x[k], s.impulse[k]);
  const Vector by_n = torsion * dp[0] * part.load(s.w_nn), by_t = rolling * part.load(s.w_tt),
               by_1 = by_t * dp[1], by_2 = by_t * dp[2];
  return by_n * by_n + (by_1 * by_1 + by_2 * by_2);
}

/// Lanes during an update.
template <class Part>
struct UpdatedBlock {
  std::size_t batch;
  Part part;
};

/// Updates lanes that change no body in common together, to hide the latency of single lanes; returns
/// their squared changes of velocities.
template <std::size_t count, class Part>
SCREE_INLINE void update(Batches& b, const UpdatedBlock<Part> (&updated)[count], float beta,
                         typename Part::Vector* squared) {
  using Vector = typename Part::Vector;
  TwoBodies<Part> y[count];
  Vector u[count][3], dp[count][3];
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [k, part] = updated[i];
    read_bodies(part, b.contact[k], b.change.data(), y[i]);
    relative_velocity(part, b.contact[k], y[i], u[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [k, part] = updated[i];
    ContactBatch& c = b.contact[k];
    Vector x[3];
    load3(part, c.impulse, x);
    const Vector had = x[0];
    go_on(part, beta, x, c.last);
    if (!b.compliance.empty()) give(part, b.compliance[k], x, u[i]);
    squared[i] = improve(part, c, u[i], x, dp[i]);
    for (int axis = 0; axis < 3; ++axis) part.store(x[axis], c.impulse[axis]);
    const Vector both = had + x[0];  // none is negative
    if (any_bit(both)) b.idle[k] = false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [k, part] = updated[i];
    const ContactBatch& c = b.contact[k];
    apply(part, c, dp[i], y[i]);
    if (SpinBatch* const spin = b.resistance(k)) {
      squared[i] += resist(part, *spin, beta, part.load(c.impulse[0]), y[i]);
      b.idle[k] = false;
    }
    write_bodies(part, c, y[i], b.change.data());
  }
}

/// r of (S5), squared, for contacts with u and x; compliance: theirs, or null.
template <class Part>
SCREE_INLINE typename Part::Vector natural_map_squared(Part part, const ContactBatch& c,
                                                       const GivingLanes* compliance,
                                                       const typename Part::Vector* u,
                                                       const typename Part::Vector* x) {
  using Vector = typename Part::Vector;
  const Vector zero{}, one = zero + 1.0f, i11 = part.load(c.i_tt11), i12 = part.load(c.i_tt12),
                       i22 = part.load(c.i_tt22);
  const Vector tangential = (i11 + i22) / (i11 * i22 - i12 * i12);  // trace
  Vector inverse_rho = (part.load(c.w_nn) + tangential) * (1.0f / 3.0f), of_bodies = inverse_rho;
  if (compliance != nullptr) {
    const Vector along_n = part.load(compliance->along[0]) * (1.0f / 3.0f),
                 across = (part.load(compliance->along[1]) + part.load(compliance->along[2])) * (1.0f / 3.0f);
    of_bodies = inverse_rho - across;
    inverse_rho += along_n;
  }
  const Vector rho = one / inverse_rho;
  const Vector mu = part.load(c.friction), slide = sqrt_of<Vector>(u[1] * u[1] + u[2] * u[2]);
  const Vector aim_n = x[0] - rho * (u[0] + mu * slide), aim_1 = x[1] - rho * u[1], aim_2 = x[2] - rho * u[2];
  const Vector length = sqrt_of<Vector>(aim_1 * aim_1 + aim_2 * aim_2),
               on_cone = (aim_n + mu * length) / (one + mu * mu);
  const auto inside = length <= mu * aim_n, apex = mu * length <= -aim_n;
  const Vector p_n = apex ? zero : (inside ? aim_n : on_cone),
               share = apex ? zero : (inside ? one : mu * on_cone / (length > zero ? length : one));
  const Vector r_n = (x[0] - p_n) * of_bodies, r_1 = (x[1] - share * aim_1) * of_bodies,
               r_2 = (x[2] - share * aim_2) * of_bodies;
  return r_n * r_n + (r_1 * r_1 + r_2 * r_2);
}

/// The same for the rows of its contacts (row_residual_squared()).
template <class Part>
SCREE_INLINE typename Part::Vector row_residual_squared(Part part, const SpinBatch& s,
                                                        const TwoBodies<Part>& y, typename Part::Vector p_n) {
  using Vector = typename Part::Vector;
  Vector x[3], u[3];
  load3(part, s.impulse, x);
  relative_spin(part, s, y, u);
  const Vector one = Vector{} + 1.0f, torsion = part.load(s.torsion), rolling = part.load(s.rolling),
               most = torsion * p_n, aim = x[0] - part.load(s.inverse_w_nn) * u[0], at = within(aim, most);
  const Vector r_n = torsion * (x[0] - at) * part.load(s.w_nn);
  const Vector i11 = part.load(s.i_tt11), i12 = part.load(s.i_tt12), i22 = part.load(s.i_tt22),
               inverse_rho = 0.5f * (i11 + i22) / (i11 * i22 - i12 * i12), rho = one / inverse_rho;
  const Vector a1 = x[1] - rho * u[1], a2 = x[2] - rho * u[2], length = sqrt_of<Vector>(a1 * a1 + a2 * a2),
               bound = rolling * p_n;
  const auto outside = length > bound;
  const Vector share = outside ? bound / (outside ? length : one) : one, scale = rolling * inverse_rho;
  const Vector r_1 = scale * (x[1] - share * a1), r_2 = scale * (x[2] - share * a2);
  return r_n * r_n + (r_1 * r_1 + r_2 * r_2);
}

/// Sums of residuals, lane by lane.
template <class Part>
struct LaneSums {
  typename Part::Vector squares{}, largest{}, active{};
};

/// (S5) for some lanes, and their u_n, offset included.
template <class Part>
SCREE_INLINE void add_residual(const Batches& b, std::size_t k, Part part, LaneSums<Part>& sums,
                               BatchLanes& normal_velocity, BatchLanes& squared_of) {
  using Vector = typename Part::Vector;
  const ContactBatch& c = b.contact[k];
  TwoBodies<Part> y;
  Vector u[3], x[3];
  read_bodies(part, c, b.change.data(), y);
  relative_velocity(part, c, y, u);
  load3(part, c.impulse, x);
  part.store(u[0], normal_velocity);
  const GivingLanes* const compliance = b.compliance.empty() ? nullptr : &b.compliance[k];
  if (compliance != nullptr) give(part, *compliance, x, u);
  Vector squared = natural_map_squared(part, c, compliance, u, x);
  if (const SpinBatch* const spin = b.resistance(k)) squared += row_residual_squared(part, *spin, y, x[0]);
  const Vector zero{}, one = zero + 1.0f;
  const auto idle = (x[0] <= zero) & (u[0] >= zero);  // numbers that are not finite are not idle
  squared = idle ? zero : squared;
  sums.squares += squared;
  sums.largest = larger(squared, sums.largest);
  sums.active += idle ? zero : one;
  part.store(squared, squared_of);
}

template <class Part>
SCREE_INLINE void push_apart(Batches& b, std::size_t k, Part part) {
  using Vector = typename Part::Vector;
  const ContactBatch& c = b.contact[k];
  TwoBodies<Part> y;
  read_bodies(part, c, b.change.data(), y);
  const Vector r[3] = {y.a[0] - y.b[0], y.a[1] - y.b[1], y.a[2] - y.b[2]}, zero{};
  Vector n[3], arm_a[3], arm_b[3];
  load3(part, c.n, n);
  load3(part, c.arm_a, arm_a);
  load3(part, c.arm_b, arm_b);
  const Vector u_n = dot3(n, r) + (dot3(arm_a, y.a + 4) + dot3(arm_b, y.b + 4)), last = part.load(b.push[k]),
               aim = last - (u_n - part.load(b.target[k])) * part.load(c.inverse_w_nn),
               now = larger(aim, zero), change = now - last, size = change * change;
  if (!any_bit(size)) return;
  part.store(now, b.push[k]);
  for (int i = 0; i < 3; ++i) {
    y.a[i] += y.a[3] * change * n[i];
    y.b[i] -= y.b[3] * change * n[i];
    y.a[4 + i] += change * arm_a[i];
    y.b[4 + i] += change * arm_b[i];
  }
  write_bodies(part, c, y, b.change.data());
}

/// Does a batch have contacts in its second half?
bool is_long(const Batches& b, std::size_t k) { return b.lane[batch_size * k + halves[1].from] >= 0; }

/// Calls update(k) for the batches of a range that are not idle, and prefetches the next one meanwhile.
template <class F>
SCREE_INLINE void for_updated(const Batches& b, BatchRange range, bool idle_too, F&& update) {
  const bool fetches = b.are_large();
  const auto from = [&](std::size_t k) {
    while (k < range.end && b.idle[k] && !idle_too) ++k;
    return k;
  };
  for (std::size_t k = from(range.begin); k < range.end;) {
    const std::size_t next = from(k + 1);
    if (fetches && next < range.end) fetch(&b.contact[next], sizeof(ContactBatch));
    update(k);
    k = next;
  }
}

// In halves, and for machines with registers for all lanes of a batch.

SCREE_FOR_EACH_TARGET
double update_halves(Batches& b, BatchRange range, const UpdatePlan& plan) {
  Vector8 sums[2] = {}, squared[2];
  for_updated(
      b, range, plan.idle_too, [&](std::size_t k) __attribute__((always_inline)) {
        b.idle[k] = true;
        if (is_long(b, k)) {
          update<2, HalfBatch>(b, {{k, halves[0]}, {k, halves[1]}}, plan.beta, squared);
          sums[1] += squared[1];
        } else {
          update<1, HalfBatch>(b, {{k, halves[0]}}, plan.beta, squared);
        }
        sums[0] += squared[0];
      });
  double sum = 0.0;
  for (const Vector8& of_half : sums) add_lanes(of_half, sum);
  return sum;
}
SCREE_SIXTEEN_LANES
double update_whole(Batches& b, BatchRange range, const UpdatePlan& plan) {
  Vector16 sums{}, squared[1];
  for_updated(
      b, range, plan.idle_too, [&](std::size_t k) __attribute__((always_inline)) {
        b.idle[k] = true;
        update<1, WholeBatch>(b, {{k, whole[0]}}, plan.beta, squared);
        sums += squared[0];
      });
  double sum = 0.0;
  add_lanes(sums, sum);
  return sum;
}

/// The same for corrections, which read only a part of a batch and take less time for it.
constexpr std::size_t corrections_ahead = 4;
template <class F>
SCREE_INLINE void for_corrected(const Batches& b, BatchRange range, F&& correct) {
  const bool fetches = b.are_large();
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (fetches && k + corrections_ahead < range.end) {
      const ContactBatch& next = b.contact[k + corrections_ahead];
      for (const BatchLanes* const rows : {next.n, next.arm_a, next.arm_b}) fetch(rows, 3 * sizeof *rows);
      fetch(&next.inverse_w_nn, sizeof next.inverse_w_nn);
      fetch(next.a, sizeof next.a + sizeof next.b);
    }
    correct(k);
  }
}

/// By parts that form a batch together.
template <class Part, std::size_t count>
SCREE_INLINE void push_parts_apart(Batches& b, BatchRange range, const Part (&parts)[count]) {
  for_corrected(
      b, range, [&](std::size_t k) __attribute__((always_inline)) {
        for (const Part& part : parts) push_apart(b, k, part);
      });
}

SCREE_FOR_EACH_TARGET
void push_halves_apart(Batches& b, BatchRange range) { push_parts_apart(b, range, halves); }
SCREE_SIXTEEN_LANES
void push_whole_apart(Batches& b, BatchRange range) { push_parts_apart(b, range, whole); }

template <class Part, std::size_t count>
SCREE_INLINE ResidualSum residual_by_parts(const Batches& b, BatchRange range, const Part (&parts)[count],
                                           double* normal_velocity, float* squared_of) {
  LaneSums<Part> sums[count];
  for_updated(
      b, range, true, [&](std::size_t k) __attribute__((always_inline)) {
        BatchLanes of_normal, squared;
        for (std::size_t i = 0; i < count; ++i) add_residual(b, k, parts[i], sums[i], of_normal, squared);
        for (std::size_t l = 0; l < batch_size; ++l) {
          const std::int32_t contact = b.lane[batch_size * k + l];
          if (contact < 0) break;
          normal_velocity[contact] = double{of_normal.at[l]};
          if (squared_of != nullptr) squared_of[contact] = squared.at[l];
        }
      });
  ResidualSum sum;
  double active = 0.0;
  for (const LaneSums<Part>& of_part : sums) {
    add_lanes(of_part.squares, sum.squares);
    add_lanes(of_part.active, active);
    sum.largest = std::max(sum.largest, double{largest_lane(of_part.largest)});
  }
  sum.active = static_cast<std::int64_t>(active);
  return sum;
}

SCREE_FOR_EACH_TARGET
ResidualSum residual_by_halves(const Batches& b, BatchRange range, double* normal_velocity,
                               float* squared_of) {
  return residual_by_parts(b, range, halves, normal_velocity, squared_of);
}
SCREE_SIXTEEN_LANES
ResidualSum residual_of_whole(const Batches& b, BatchRange range, double* normal_velocity,
                              float* squared_of) {
  return residual_by_parts(b, range, whole, normal_velocity, squared_of);
}

template <class Part, std::size_t count>
SCREE_INLINE void apply_by_parts(Batches& b, BatchRange range, const Part (&parts)[count]) {
  for_updated(
      b, range, true, [&](std::size_t k) __attribute__((always_inline)) {
        for (const Part& part : parts) {
          const ContactBatch& c = b.contact[k];
          TwoBodies<Part> y;
          typename Part::Vector x[3];
          read_bodies(part, c, b.change.data(), y);
          load3(part, c.impulse, x);
          apply(part, c, x, y);
          if (const SpinBatch* const spin = b.resistance(k)) {
            load3(part, spin->impulse, x);
            apply(part, *spin, x, y);
          }
          write_bodies(part, c, y, b.change.data());
        }
      });
}

SCREE_FOR_EACH_TARGET
void apply_halves(Batches& b, BatchRange range) { apply_by_parts(b, range, halves); }
SCREE_SIXTEEN_LANES
void apply_whole(Batches& b, BatchRange range) { apply_by_parts(b, range, whole); }

}  // namespace

double update_batches(Batches& b, BatchRange range, const UpdatePlan& plan) {
  return are_whole(b) ? update_whole(b, range, plan) : update_halves(b, range, plan);
}

ResidualSum residual_of_batches(const Batches& b, BatchRange range, double* normal_velocity,
                                float* squared_of) {
  return are_whole(b) ? residual_of_whole(b, range, normal_velocity, squared_of)
                      : residual_by_halves(b, range, normal_velocity, squared_of);
}

void push_apart(Batches& b, BatchRange range) {
  if (are_whole(b))
    push_whole_apart(b, range);
  else
    push_halves_apart(b, range);
}

void apply_impulses(Batches& b, BatchRange range) {
  if (are_whole(b))
    apply_whole(b, range);
  else
    apply_halves(b, range);
}

SCREE_FOR_EACH_TARGET
void move_bodies(Batches& b, std::size_t begin, std::size_t end, float beta) {
  for (std::size_t i = begin; i < end; ++i) {
    const Vector8 at = load(b.change[i]);
    store(at + beta * (at - load(b.last[i])), b.change[i]);
    store(at, b.last[i]);
  }
}

namespace {
SCREE_FOR_EACH_TARGET
double largest_push_of(const Batches& b, const Block& block) {
  Vector8 largest{};
  for (std::size_t k = block.begin; k < block.end; ++k) {
    const ContactBatch& c = b.contact[k];
    for (const HalfBatch half : halves)
      largest = larger(half.load(c.impulse[0]) * half.load(c.w_nn), largest);
  }
  return double{largest_lane(largest)};
}
}  // namespace

double largest_push(const Batches& b) {
  const auto larger_one = [](double x, double y) { return std::max(x, y); };
  const auto of_row = [&](const Block& block) {
    double largest = 0.0;
    for (std::size_t r = block.begin; r < block.end; ++r) {
      const FreeRow& row = b.row[r];
      const double w = 1.0 / double{row.inverse_w} - double{row.compliance};
      largest = std::max(largest, std::abs(double{row.impulse}) * w);
    }
    return largest;
  };
  return std::max(reduce_blocks(b.row.size(), grain_light, 0.0, of_row, larger_one),
                  reduce_blocks(
                      b.contact.size(), grain_medium, 0.0,
                      [&](const Block& block) { return largest_push_of(b, block); }, larger_one));
}

}  // namespace scree
