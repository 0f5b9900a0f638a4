// Many pairs of ellipsoids at once: structure of arrays, loops that the compiler turns into vector code for
// the machine it runs on (AVX-512, AVX2 or plain, chosen at run time). The same bits as separation() and
// gap() one by one.
#pragma once

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/slab_ascent.h"

namespace scree {

struct alignas(64) EllipsoidBatch {
  static constexpr std::size_t capacity = 64;
  template <std::size_t rows>
  using Columns = scree::Columns<rows, capacity>;

  // States of a pair. Numbers like the rest, so that vectors can compare and choose them.
  static constexpr double on_the_way = 0.0, arrived = 1.0, for_the_single_path = 2.0, apart = 3.0;

  std::size_t size = 0;                   // pairs in use
  Columns<3> r;                           // m, from the centre of A to that of B
  Columns<6> a, b;                        // m^2: xx, yy, zz, xy, xz, yz of the matrices
  Columns<3> n;                           // unit, from A to B: where to begin, and where it ended
  Columns<3> x_a, x_b;                    // m, support points from the centres
  std::array<double, capacity> h_a, h_b;  // m, support distances
  std::array<double, capacity> phi;       // m, width of the slab across n (G1)
  std::array<double, capacity> margin;    // m: pairs that are further apart than that are not looked into
  std::array<double, capacity> state;
  Columns<3> w_a, w_b, v;                     // rad/s, m/s: how pairs move, of those that are to bend
  std::array<double, capacity> acceleration;  // m/s^2, see bend()

  /// normal: where to begin, from B to A.
  void add(const PlacedEllipsoid& first, const PlacedEllipsoid& second, const Vec3& normal, double margin_m);
  /// How the last pair that was added moves.
  void set_motion(const Twist& of_a, const Twist& of_b);
  bool is_apart(std::size_t k) const { return state[k] == apart; }
  bool has_arrived(std::size_t k) const { return state[k] == arrived; }
};

/// Climbs from n to the maximum of phi. After it a pair
///   is_apart()     if separation() at the given direction is larger than the margin, or
///   has_arrived()  then contact_of() is what gap() returns from the same start, to the last bit, or
/// neither: the few of deep overlap, of a step that had to be shortened, or of more steps than most need, are
/// for gap().
void climb(EllipsoidBatch& batch);

/// Second time derivatives of the distances of pairs that have arrived, the same bits as gap_acceleration();
/// all pairs must have a motion.
void bend(EllipsoidBatch& batch);

/// The contact of pair k, which has arrived; centres as they were given.
SCREE_INLINE Gap contact_of(const EllipsoidBatch& batch, std::size_t k, const Vec3& centre_a,
                            const Vec3& centre_b) {
  return {
      .point = 0.5 * ((centre_a + to_vec3(three(batch.x_a, k))) + (centre_b - to_vec3(three(batch.x_b, k)))),
      .normal = -to_vec3(three(batch.n, k)),
      .distance = batch.phi[k]};
}

}  // namespace scree
