#include "engine/solver/sweeps/batches.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/three.h"
#include "engine/solver/problem/contact_response.h"
#include "engine/solver/problem/rank_share.h"
#include "engine/solver/sweeps/batch_layout.h"
#include "engine/solver/sweeps/lanes.h"
#include "engine/solver/sweeps/local_contact.h"

namespace scree {

namespace {

constexpr float least_det = 1e-6f;  // of a regular tangential block, over its trace squared: above rounding

/// Approximate mass of the lightest body.
double mass_unit_of(const ContactProblem& p) {
  double most = reduce_blocks(
      p.bodies(), grain_light, 0.0,
      [&](const Block& block) {
        double m = 0.0;
        for (std::size_t i = block.begin; i < block.end; ++i) m = std::max(m, p.response[i].inverse_mass);
        return m;
      },
      [](double a, double b) { return std::max(a, b); });
  if (p.share != nullptr) p.share->ranks->most({&most, 1});
  if (!(most > 0.0) || !std::isfinite(most)) return 1.0;
  return std::ldexp(1.0, -2 * (std::ilogb(most) / 2));
}

/// Inverse inertias of bodies side by side, and their L by Cholesky.
struct alignas(64) Factoring {
  static constexpr std::size_t capacity = 64;
  Columns<6, capacity> inverse;  // xx, xy, xz, yy, yz, zz
  Columns<6, capacity> l;        // l00, l10, l11, l20, l21, l22; zero for a direction without rotation
};

SCREE_FOR_EACH_VECTOR_WIDTH
void factor(Factoring& f, std::size_t whole, double root) {
  const auto divided = [](double x, double by) __attribute__((always_inline)) {
    return choose(by > 0.0, x / choose(by > 0.0, by, 1.0), 0.0);
  };
  const auto root_of = [](double x) __attribute__((always_inline)) {
    return std::sqrt(choose(x > 0.0, x, 0.0));
  };
  SCREE_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < whole; ++k) {
    const double l00 = std::sqrt(f.inverse[0][k]), l10 = divided(f.inverse[1][k], l00),
                 l20 = divided(f.inverse[2][k], l00), l11 = root_of(f.inverse[3][k] - l10 * l10),
                 l21 = divided(f.inverse[4][k] - l20 * l10, l11),
                 l22 = root_of(f.inverse[5][k] - l20 * l20 - l21 * l21);
    f.l[0][k] = root * l00;
    f.l[1][k] = root * l10;
    f.l[2][k] = root * l11;
    f.l[3][k] = root * l20;
    f.l[4][k] = root * l21;
    f.l[5][k] = root * l22;
  }
}

/// Factors of some bodies in the layout for kernels.
void factor_bodies(const ContactProblem& p, std::size_t first, std::size_t count, Batches& b) {
  Factoring f;
  const std::size_t whole = whole_vectors(count);
  for (std::size_t k = 0; k < whole; ++k) {
    const BodyResponse& r = p.response[first + std::min(k, count - 1)];
    const double numbers[] = {r.xx, r.xy, r.xz, r.yy, r.yz, r.zz};
    for (std::size_t i = 0; i < 6; ++i) f.inverse[i][k] = numbers[i];
  }
  factor(f, whole, std::sqrt(b.mass_unit));
  for (std::size_t k = 0; k < count; ++k) {
    const BodyResponse& r = p.response[first + k];
    float* const to = b.factor[first + k].at;
    for (std::size_t i = 0; i < 6; ++i) to[i] = static_cast<float>(f.l[i][k]);
    to[6] = static_cast<float>(r.inverse_mass * b.mass_unit);
    to[7] = r.slides ? 1.0f : 0.0f;
  }
}

/// L^T x, of gathered factors.
template <class Vector>
SCREE_INLINE void scaled(const Vector* l, const Vector* x, Vector* out) {
  out[0] = l[0] * x[0] + l[1] * x[1] + l[3] * x[2];
  out[1] = l[2] * x[1] + l[4] * x[2];
  out[2] = l[5] * x[2];
}

/// Data of lanes from the problem: n, t1; the arms; tangent ratio and friction.
template <class Part>
struct BatchInput {
  typename Part::Vector frame[8], arms[8], law[8];
};

SCREE_INLINE Vector8 narrow(Vector4 left, Vector4 right) {
  return __builtin_shufflevector(__builtin_convertvector(left, Vector4f),
                                 __builtin_convertvector(right, Vector4f), 0, 1, 2, 3, 4, 5, 6, 7);
}

template <class Part>
SCREE_INLINE void read_lanes(const ContactProblem& p, Part part, const std::int32_t* lane,
                             BatchInput<Part>& in) {
  Vector8 frame[Part::lanes], arms[Part::lanes], law[Part::lanes];
  for (std::size_t k = 0; k < Part::lanes; ++k) {
    const std::int32_t contact = lane[part.from + k];
    if (contact < 0) {
      frame[k] = Vector8{1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f};
      arms[k] = Vector8{};
      law[k] = Vector8{1.0f};
      continue;
    }
    const ContactTerms& c = p.contact[contact];
    frame[k] = narrow(normal_of(c), first_tangent(c));
    arms[k] = narrow(arm_a_of(c), arm_b_of(c));
    law[k] = Vector8{c.tangent_ratio, static_cast<float>(c.friction)};
  }
  turn(frame, in.frame);
  turn(arms, in.arms);
  turn(law, in.law);
}

/// Scaled arms of a side for n, t1, t2; returns sums for the Delassus block.
template <class Part>
struct Spread {
  using Vector = typename Part::Vector;
  Vector nn{}, n1{}, n2{}, t11{}, t12{}, t22{};
  SCREE_INLINE void add(const Vector (&x)[3][3]) {
    nn += dot3(x[0], x[0]);
    n1 += dot3(x[0], x[1]);
    n2 += dot3(x[0], x[2]);
    t11 += dot3(x[1], x[1]);
    t12 += dot3(x[1], x[2]);
    t22 += dot3(x[2], x[2]);
  }
};

/// Inverse and largest eigenvalue of the tangential blocks.
template <class Part, class Batch>
SCREE_INLINE void invert_tangential(Part part, typename Part::Vector t11, typename Part::Vector t12,
                                    typename Part::Vector t22, Batch& out) {
  using Vector = typename Part::Vector;
  const Vector one = Vector{} + 1.0f, inverse_det = one / (t11 * t22 - t12 * t12), mean = 0.5f * (t11 + t22),
               half = 0.5f * (t11 - t22), most = mean + sqrt_of<Vector>(half * half + t12 * t12);
  part.store(t22 * inverse_det, out.i_tt11);
  part.store(-t12 * inverse_det, out.i_tt12);
  part.store(t11 * inverse_det, out.i_tt22);
  part.store(one / most, out.slide_step);
  part.store(most, out.w_tt);
}

template <class Part>
SCREE_INLINE void fill_contacts(const ContactProblem& p, Part part, const std::int32_t* lane,
                                const Lanes* factors, ContactBatch& out) {
  using Vector = typename Part::Vector;
  BatchInput<Part> in;
  read_lanes(p, part, lane, in);
  Vector factor_a[8], factor_b[8], d[3][3], spun[3], scaled_arm[3][3];
  part.read(factors, out.a, factor_a);
  part.read(factors, out.b, factor_b);
  for (int k = 0; k < 3; ++k) {
    d[0][k] = in.frame[k];
    d[1][k] = in.frame[4 + k];
  }
  cross3(d[0], d[1], d[2]);
  const Vector ratio = in.law[0];
  for (int k = 0; k < 3; ++k) {
    d[2][k] *= ratio;
    part.store(d[0][k], out.n[k]);
    part.store(d[1][k], out.t1[k]);
    part.store(d[2][k], out.t2[k]);
  }
  const auto slides = factor_b[7] > Vector{};
  const bool any_slides = any_bit(factor_b[7]);
  Spread<Part> w;
  for (const bool of_a : {true, false}) {
    const Vector* const arm = of_a ? in.arms : in.arms + 4;
    for (int i = 0; i < 3; ++i) {
      cross3(arm, d[i], spun);
      if (any_slides && !of_a)
        for (int k = 0; k < 3; ++k) spun[k] = slides ? d[i][k] : spun[k];
      scaled(of_a ? factor_a : factor_b, spun, scaled_arm[i]);
      for (int k = 0; k < 3; ++k)
        part.store(of_a ? scaled_arm[i][k] : -scaled_arm[i][k], (of_a ? out.arm_a : out.arm_b)[3 * i + k]);
    }
    w.add(scaled_arm);
  }
  const Vector mass = factor_a[6] + factor_b[6], zero{}, one = zero + 1.0f;
  // Without a mass W has rank 1 (a part with one freedom) or 0: see padding_of().
  const Vector whole = w.nn + w.t11 + w.t22,
               pad = mass > zero ? zero : (whole > zero ? Vector(rank_pad * whole) : one);
  const Vector nn = mass + w.nn + pad, t11 = mass + w.t11 + pad, t22 = ratio * ratio * mass + w.t22 + pad;
  part.store(nn, out.w_nn);
  part.store(one / nn, out.inverse_w_nn);
  part.store(w.n1, out.w_t1n);
  part.store(w.n2, out.w_t2n);
  invert_tangential(part, t11, w.t12, t22, out);
  part.store(in.law[1], out.friction);
}

/// The same for the spins about n, t1 and n x t1: t2 may be shorter.
template <class Part>
SCREE_INLINE void fill_spins(Part part, const ContactBatch& contacts, const Lanes* factors, SpinBatch& out) {
  using Vector = typename Part::Vector;
  Vector factor_a[8], factor_b[8], axes[3][3], turn[3][3];
  load3(part, contacts.n, axes[0]);
  load3(part, contacts.t1, axes[1]);
  cross3(axes[0], axes[1], axes[2]);
  part.read(factors, contacts.a, factor_a);
  part.read(factors, contacts.b, factor_b);
  const auto slides = factor_b[7] > Vector{};
  const bool any_slides = any_bit(factor_b[7]);
  Spread<Part> w;
  for (const bool of_a : {true, false}) {
    for (int i = 0; i < 3; ++i) {
      scaled(of_a ? factor_a : factor_b, axes[i], turn[i]);
      if (any_slides && !of_a)
        for (int k = 0; k < 3; ++k) turn[i][k] = slides ? Vector{} : turn[i][k];
      for (int k = 0; k < 3; ++k)
        part.store(of_a ? turn[i][k] : -turn[i][k], (of_a ? out.turn_a : out.turn_b)[3 * i + k]);
    }
    w.add(turn);
  }
  const Vector zero{}, one = zero + 1.0f, whole = w.nn + w.t11 + w.t22, across = w.t11 + w.t22,
                       det = w.t11 * w.t22 - w.t12 * w.t12;
  const auto is_regular = (w.nn > zero) & (det > least_det * (across * across));
  const Vector pad = is_regular ? zero : (whole > zero ? Vector(rank_pad * whole) : one);
  part.store(w.nn + pad, out.w_nn);
  part.store(one / (w.nn + pad), out.inverse_w_nn);
  invert_tangential(part, w.t11 + pad, w.t12, w.t22 + pad, out);
}

/// The first row of each contact.
void number_rows(const ContactProblem& p, std::vector<std::int32_t>& first) {
  if (p.contact_rows == 0) return first.clear();
  resize_with_room(first, p.contacts());
  for_blocks(p.contacts(), grain_light, [&](const Block& block) {
    std::fill(first.begin() + static_cast<std::ptrdiff_t>(block.begin),
              first.begin() + static_cast<std::ptrdiff_t>(block.end), -1);
  });
  for_each_index(p.contact_rows, grain_light, [&](std::size_t r) {
    if (r == 0 || p.rows[r - 1].contact != p.rows[r].contact)
      first[p.rows[r].contact] = static_cast<std::int32_t>(r);
  });
}

bool resists(const Batches& b, std::int32_t contact) { return contact >= 0 && b.first_row[contact] >= 0; }

/// Calls f(r, lane, axis) for the rows of the contacts of a batch with torque resistance, with the axis of
/// the frame about which each acts.
template <class F>
void for_rows_of_batch(const ContactProblem& p, const Batches& b, std::size_t k, F&& f) {
  for (std::size_t l = 0; l < batch_size; ++l) {
    const std::int32_t contact = b.lane[batch_size * k + l];
    if (!resists(b, contact)) continue;
    std::size_t tangent = 1;
    for (std::size_t r = b.first_row[contact]; r < p.contact_rows && p.rows[r].contact == contact; ++r)
      f(r, l, p.rows[r].bound == RowBound::disc ? tangent++ : 0);
  }
}

/// Lists the batches with torque resistance.
void number_spins(const ContactProblem& p, Batches& b) {
  b.spin_of.clear();
  if (p.contact_rows == 0) return b.spin.clear();
  b.spin_of.resize(b.contact.size());
  for_each_index(b.contact.size(), grain_medium, [&](std::size_t k) {
    const bool any = std::any_of(&b.lane[batch_size * k], &b.lane[batch_size * k] + batch_size,
                                 [&](std::int32_t contact) { return resists(b, contact); });
    b.spin_of[k] = any ? 0 : -1;
  });
  std::int32_t spins = 0;
  for (std::int32_t& spin : b.spin_of)
    if (spin == 0) spin = spins++;
  resize_with_room(b.spin, static_cast<std::size_t>(spins));
}

/// All data of a batch except velocities and impulses.
template <class Part, std::size_t count>
SCREE_INLINE void fill_by_parts(const ContactProblem& p, std::size_t k, const Part (&parts)[count],
                                Batches& b) {
  for (const Part& part : parts)
    fill_contacts(p, part, &b.lane[batch_size * k], b.factor.data(), b.contact[k]);
  SpinBatch* const spin = b.resistance(k);
  if (spin == nullptr) return;
  spin->torsion = spin->rolling = BatchLanes{};
  for_rows_of_batch(p, b, k, [&](std::size_t r, std::size_t lane, std::size_t axis) {
    (axis > 0 ? spin->rolling : spin->torsion).at[lane] = static_cast<float>(p.rows[r].high);
  });
  for (const Part& part : parts) fill_spins(part, b.contact[k], b.factor.data(), *spin);
}
SCREE_FOR_EACH_TARGET
void fill_halves(const ContactProblem& p, std::size_t k, Batches& b) { fill_by_parts(p, k, halves, b); }
SCREE_SIXTEEN_LANES
void fill_whole(const ContactProblem& p, std::size_t k, Batches& b) { fill_by_parts(p, k, whole, b); }
void fill_batch(const ContactProblem& p, std::size_t k, Batches& b) {
  are_whole(b) ? fill_whole(p, k, b) : fill_halves(p, k, b);
}

void make_free_rows(const ContactProblem& p, Batches& b) {
  b.row.resize(p.rows.size() - p.contact_rows);
  for_each_index(b.row.size(), grain_medium, [&](std::size_t k) {
    const Row& row = p.rows[p.contact_rows + k];
    FreeRow& out = b.row[k];
    const auto scaled_of = [&](std::int32_t body, const Vec3& x, float sign, float* to) {
      const float* l = b.factor[body].at;
      const float v[3] = {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])};
      to[0] = sign * (l[0] * v[0] + l[1] * v[1] + l[3] * v[2]);
      to[1] = sign * (l[2] * v[1] + l[4] * v[2]);
      to[2] = sign * (l[5] * v[2]);
    };
    scaled_of(row.edge.a, row.angular_a, 1.0f, out.turn_a);
    scaled_of(row.edge.b, p.response[row.edge.b].slides ? row.linear : row.angular_b, -1.0f, out.turn_b);
    out.linear[0] = static_cast<float>(row.linear[0]);
    out.linear[1] = static_cast<float>(row.linear[1]);
    out.linear[2] = static_cast<float>(row.linear[2]);
    out.a = row.edge.a;
    out.b = row.edge.b;
    out.compliance = static_cast<float>(row.compliance * b.mass_unit);
    out.inverse_w = static_cast<float>(row.inverse_w / b.mass_unit);
    out.length = static_cast<float>(row.length);
    out.low = static_cast<float>(row.low / b.mass_unit);
    out.high = static_cast<float>(row.high / b.mass_unit);
  });
}

/// Start of iterations, without momentum: the impulses of a batch's contacts, [c] in their frames, and of
/// their rows, N s.
template <class OfContact, class OfRow>
void begin_batch(const ContactProblem& p, std::size_t k, OfContact&& of_contact, OfRow&& of_row, Batches& b) {
  const double units = 1.0 / b.mass_unit;  // exact
  const auto in_units = [&](double impulse) { return static_cast<float>(impulse * units); };
  ContactBatch& batch = b.contact[k];
  for (std::size_t l = 0; l < batch_size; ++l) {
    const std::int32_t c = b.lane[batch_size * k + l];
    const Vec3 start = c >= 0 ? of_contact(c) : Vec3(Vec3::Zero());
    const bool presses = start[0] > 0.0;  // without that, friction would keep an idle batch from being idle
    const float impulse[] = {presses ? in_units(start[0]) : 0.0f, presses ? in_units(start[1]) : 0.0f,
                             presses ? in_units(start[2]) : 0.0f};
    for (int i = 0; i < 3; ++i) batch.last[i].at[l] = batch.impulse[i].at[l] = impulse[i];
  }
  SpinBatch* const spin = b.resistance(k);
  if (spin == nullptr) return;
  std::fill_n(spin->impulse, 3, BatchLanes{});
  for_rows_of_batch(p, b, k, [&](std::size_t r, std::size_t lane, std::size_t axis) {
    spin->impulse[axis].at[lane] = in_units(of_row(r));
  });
  std::copy_n(spin->impulse, 3, spin->last);
}
template <class OfRow>
void begin_free_rows(const ContactProblem& p, OfRow&& of_row, Batches& b) {
  for_each_index(b.row.size(), grain_light, [&](std::size_t r) {
    b.row[r].impulse = b.row[r].last = static_cast<float>(of_row(p.contact_rows + r) / b.mass_unit);
  });
}

/// u of the contacts of a batch at these velocities, in their frames, offset included; and their spins.
SCREE_FOR_EACH_TARGET
void read_velocities(const ContactProblem& p, const std::int32_t* lane, const BodyVelocity* velocity,
                     ContactBatch& batch, SpinBatch* spin) {
  for (std::size_t l = 0; l < batch_size; ++l) {
    Vector4 u{}, turn{};
    Vector4 n{}, t1{}, t2{}, t2_of_spin{};
    double offset = 0.0;
    if (lane[l] >= 0) {
      const std::size_t c = lane[l];
      const ContactTerms& g = p.contact[c];
      const BodyVelocity &a = velocity[p.a(c)], &b = velocity[p.b(c)];
      u = load(a.linear) + cross(load(a.angular), arm_a_of(g)) - load(b.linear) -
          cross(load(b.angular), arm_b_of(g));
      if (!p.image_velocity.empty()) u -= to_vector4(p.image_velocity[c]);
      turn = load(a.angular) - load(b.angular);
      n = normal_of(g);
      t1 = first_tangent(g);
      t2 = second_tangent(g);
      t2_of_spin = cross(n, t1);
      offset = p.contact[c].offset;
    }
    batch.velocity[0].at[l] = static_cast<float>(dot(n, u) + offset);
    batch.velocity[1].at[l] = static_cast<float>(dot(t1, u));
    batch.velocity[2].at[l] = static_cast<float>(dot(t2, u));
    if (spin == nullptr) continue;
    spin->velocity[0].at[l] = static_cast<float>(dot(n, turn));
    spin->velocity[1].at[l] = static_cast<float>(dot(t1, turn));
    spin->velocity[2].at[l] = static_cast<float>(dot(t2_of_spin, turn));
  }
}
void read_free_rows(const ContactProblem& p, const std::vector<BodyVelocity>& velocity, Batches& b) {
  for_each_index(b.row.size(), grain_medium, [&](std::size_t r) {
    b.row[r].velocity = static_cast<float>(velocity_of(p.rows[p.contact_rows + r], velocity));
  });
}

/// Calls f(k) for batches [begin, end), and prefetches the terms of the contacts that come soon.
template <class F>
void for_batches_fetched(const ContactProblem& p, const Batches& b, std::size_t begin, std::size_t end,
                         F&& f) {
  const bool fetches = b.are_large();
  for (std::size_t k = begin; k < end; ++k) {
    if (fetches && k + 1 < end) {
      for (std::size_t l = batch_size * (k + 1); l < batch_size * (k + 2); ++l)
        if (b.lane[l] >= 0) fetch(&p.contact[b.lane[l]], sizeof(ContactTerms));
    }
    f(k);
  }
}

}  // namespace

void make_batches(const ContactProblem& p, bool warm, const std::vector<BodyVelocity>& velocity, Batches& b) {
  number_rows(p, b.first_row);
  if (!are_laid_out(p, b)) lay_out(p, b);
  list_partners(p, b);
  b.mass_unit = mass_unit_of(p);
  for_blocks(p.bodies(), grain_medium, [&](const Block& block) {
    for (std::size_t first = block.begin; first < block.end; first += Factoring::capacity)
      factor_bodies(p, first, std::min(Factoring::capacity, block.end - first), b);
  });
  number_spins(p, b);
  b.compliance.clear();
  b.idle.assign(b.contact.size(), 0);
  const auto of_contact = [&](std::size_t c) -> Vec3 {
    return warm ? Vec3(p.start_impulse[c].cast<double>()) : Vec3(Vec3::Zero());
  };
  const auto of_row = [&](std::size_t r) { return warm ? p.rows[r].start_impulse : 0.0; };
  for_blocks(b.contact.size(), batch_grain, [&](const Block& block) {
    for_batches_fetched(p, b, block.begin, block.end, [&](std::size_t k) {
      fill_batch(p, k, b);
      begin_batch(p, k, of_contact, of_row, b);
      read_velocities(p, &b.lane[batch_size * k], velocity.data(), b.contact[k], b.resistance(k));
    });
  });
  make_free_rows(p, b);
  begin_free_rows(p, of_row, b);
  read_free_rows(p, velocity, b);
}

void set_start(const ContactProblem& p, const ContactSolution& s, Batches& b) {
  b.idle.assign(b.contact.size(), 0);
  const auto of_contact = [&](std::size_t c) -> Vec3 { return s.impulse[c]; };
  const auto of_row = [&](std::size_t r) { return s.row_impulse[r]; };
  for_each_index(b.contact.size(), batch_grain,
                 [&](std::size_t k) { begin_batch(p, k, of_contact, of_row, b); });
  begin_free_rows(p, of_row, b);
}

void set_velocities(const ContactProblem& p, const std::vector<BodyVelocity>& velocity, Batches& b) {
  for_blocks(b.contact.size(), batch_grain, [&](const Block& block) {
    for_batches_fetched(p, b, block.begin, block.end, [&](std::size_t k) {
      read_velocities(p, &b.lane[batch_size * k], velocity.data(), b.contact[k], b.resistance(k));
    });
  });
  read_free_rows(p, velocity, b);
}

namespace {
/// The impulse of a lane, projected: rounding may have moved it slightly out of its cone.
Vec3 admissible(const BatchLanes* impulse, std::size_t l, double friction) {
  const double p_n = double{impulse[0].at[l]}, p_1 = double{impulse[1].at[l]}, p_2 = double{impulse[2].at[l]};
  const double length = std::sqrt(p_1 * p_1 + p_2 * p_2), bound = friction * p_n;
  const double part = length > bound ? bound / length : 1.0;
  return {p_n, part * p_1, part * p_2};
}
}  // namespace

namespace {
/// In pieces, so that the expensive part is compiled for each target.
SCREE_FOR_EACH_TARGET
void take_lanes(const ContactProblem& p, const std::int32_t* lane, const ContactBatch& batch,
                double mass_unit, Vec3* impulses, BodyVelocity* got) {
  for (std::size_t l = 0; l < batch_size; ++l) {
    if (lane[l] < 0) continue;
    const std::size_t c = lane[l];
    const ContactTerms& g = p.contact[c];
    const Vec3 own = impulses[c] = mass_unit * admissible(batch.impulse, l, g.friction);
    const Vector4 impulse = to_world(g, own.data());
    BodyVelocity &to_a = got[p.edge[c].a], &to_b = got[p.edge[c].b];
    store(load(to_a.linear) + impulse, to_a.linear);
    store(load(to_a.angular) + cross(arm_a_of(g), impulse), to_a.angular);
    store(load(to_b.linear) - impulse, to_b.linear);
    store(load(to_b.angular) - cross(arm_b_of(g), impulse), to_b.angular);
  }
}
}  // namespace

void take_impulses(const ContactProblem& p, const Batches& b, BatchRange range, ContactSolution& s,
                   BodyVelocity* got) {
  for_batches_fetched(p, b, range.begin, range.end, [&](std::size_t k) {
    take_lanes(p, &b.lane[batch_size * k], b.contact[k], b.mass_unit, s.impulse.data(), got);
    const SpinBatch* const spin = b.resistance(k);
    if (spin == nullptr) return;
    for_rows_of_batch(p, b, k, [&](std::size_t r, std::size_t lane, std::size_t axis) {
      const Row& row = p.rows[r];
      const double impulse = s.row_impulse[r] = b.mass_unit * double{spin->impulse[axis].at[lane]};
      BodyVelocity &to_a = got[row.edge.a], &to_b = got[row.edge.b];
      store(load(to_a.angular) + impulse * angular_a_of(row), to_a.angular);
      store(load(to_b.angular) - impulse * angular_b_of(row), to_b.angular);
    });
  });
}

void take_row_impulses(const ContactProblem& p, const Batches& b, ContactSolution& s) {
  for_each_index(b.row.size(), grain_light, [&](std::size_t r) {
    s.row_impulse[p.contact_rows + r] = b.mass_unit * double{b.row[r].impulse};
  });
}

}  // namespace scree
