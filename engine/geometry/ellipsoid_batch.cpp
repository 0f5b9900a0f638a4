#include "engine/geometry/ellipsoid_batch.h"

#include <algorithm>

namespace scree {

namespace {

// Newton steps that all pairs of a batch take together; one or two are enough for a cached pair.
constexpr int most_steps = 6;

SCREE_INLINE Symmetric symmetric(const EllipsoidBatch::Columns<6>& s, std::size_t k) {
  return {s[0][k], s[1][k], s[2][k], s[3][k], s[4][k], s[5][k]};
}
SCREE_INLINE void put(EllipsoidBatch::Columns<6>& s, std::size_t k, const Mat3& m) {
  s[0][k] = m(0, 0);
  s[1][k] = m(1, 1);
  s[2][k] = m(2, 2);
  s[3][k] = m(0, 1);
  s[4][k] = m(0, 2);
  s[5][k] = m(1, 2);
}
SCREE_INLINE EllipsoidPair pair_at(const EllipsoidBatch& b, std::size_t k) {
  return {three(b.r, k), symmetric(b.a, k), symmetric(b.b, k)};
}

SCREE_INLINE Slab slab_at(const EllipsoidBatch& b, std::size_t k) {
  return {b.phi[k], b.h_a[k], b.h_b[k], three(b.x_a, k), three(b.x_b, k)};
}
SCREE_INLINE void put_slab(EllipsoidBatch& b, std::size_t k, const Slab& s) {
  b.phi[k] = s.phi;
  b.h_a[k] = s.h_a;
  b.h_b[k] = s.h_b;
  put(b.x_a, k, s.x_a);
  put(b.x_b, k, s.x_b);
}

/// Repeats the last pair up to the end of its vector: random numbers there could be slow.
void fill_up(EllipsoidBatch& b) {
  for (std::size_t k = b.size; k < whole_vectors(b.size); ++k) {
    for (auto* columns : {&b.r, &b.n})
      for (auto& column : *columns) column[k] = column[b.size - 1];
    for (auto* columns : {&b.a, &b.b})
      for (auto& column : *columns) column[k] = column[b.size - 1];
    b.margin[k] = b.margin[b.size - 1];
  }
}

SCREE_FOR_EACH_VECTOR_WIDTH
void begin(EllipsoidBatch& b) {
  const std::size_t whole = whole_vectors(b.size);
  SCREE_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < whole; ++k) {
    put_slab(b, k, slab(pair_at(b, k), three(b.n, k)));
    b.state[k] = b.phi[k] > b.margin[k] ? EllipsoidBatch::apart : EllipsoidBatch::on_the_way;
  }
}

/// One Newton step for each pair that has not arrived.
SCREE_FOR_EACH_VECTOR_WIDTH
void take_step(EllipsoidBatch& b) {
  const std::size_t whole = whole_vectors(b.size);
  SCREE_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < whole; ++k) {
    const EllipsoidPair p = pair_at(b, k);
    const Three n = three(b.n, k);
    const Slab at = slab_at(b, k);
    const AscentStep step = ascent_step(p, n, at);
    const Three trial = turned(n, step.along);
    const Slab next = slab(p, trial);
    const bool moving = b.state[k] == EllipsoidBatch::on_the_way;
    const bool stays = step.length < no_step_rad;
    const bool ascends = next.phi >= at.phi - slab_rounding(p, n, at);
    const bool moves = moving & !stays & ascends;
    const double ascended =
        step.length < last_step_rad ? EllipsoidBatch::arrived : EllipsoidBatch::on_the_way;
    const double state =
        stays ? EllipsoidBatch::arrived : (ascends ? ascended : EllipsoidBatch::for_the_single_path);
    b.state[k] = moving ? state : b.state[k];
    put(b.n, k, choose(moves, trial, n));
    b.phi[k] = choose(moves, next.phi, at.phi);
    b.h_a[k] = choose(moves, next.h_a, at.h_a);
    b.h_b[k] = choose(moves, next.h_b, at.h_b);
    put(b.x_a, k, choose(moves, next.x_a, at.x_a));
    put(b.x_b, k, choose(moves, next.x_b, at.x_b));
  }
}

SCREE_FOR_EACH_VECTOR_WIDTH
void bend_all(EllipsoidBatch& b) {
  const std::size_t whole = whole_vectors(b.size);
  SCREE_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < whole; ++k)
    b.acceleration[k] = bending(pair_at(b, k), three(b.n, k), slab_at(b, k),
                                {three(b.w_a, k), three(b.w_b, k), three(b.v, k)});
}

}  // namespace

void EllipsoidBatch::set_motion(const Twist& of_a, const Twist& of_b) {
  put(w_a, size - 1, to_three(of_a.angular));
  put(w_b, size - 1, to_three(of_b.angular));
  put(v, size - 1, to_three(of_b.linear - of_a.linear));
}

void bend(EllipsoidBatch& batch) {
  for (std::size_t k = batch.size; k < whole_vectors(batch.size); ++k) {
    for (auto* columns : {&batch.w_a, &batch.w_b, &batch.v})
      for (auto& column : *columns) column[k] = 0.0;
  }
  bend_all(batch);
}

void EllipsoidBatch::add(const PlacedEllipsoid& first, const PlacedEllipsoid& second, const Vec3& normal,
                         double margin_m) {
  put(r, size, to_three(second.centre - first.centre));
  put(a, size, first.matrix);
  put(b, size, second.matrix);
  put(n, size, to_three(-normal));
  margin[size] = margin_m;
  ++size;
}

void climb(EllipsoidBatch& batch) {
  if (batch.size == 0) return;
  fill_up(batch);
  begin(batch);
  for (int i = 0; i < most_steps; ++i) {
    take_step(batch);
    const auto end = batch.state.begin() + static_cast<std::ptrdiff_t>(batch.size);
    if (std::find(batch.state.begin(), end, EllipsoidBatch::on_the_way) == end) break;
  }
  for (std::size_t k = 0; k < batch.size; ++k) {
    if (batch.phi[k] < 0.0 && batch.has_arrived(k) && may_be_deep(batch.phi[k], pair_at(batch, k)))
      batch.state[k] = EllipsoidBatch::for_the_single_path;
  }
}

}  // namespace scree
