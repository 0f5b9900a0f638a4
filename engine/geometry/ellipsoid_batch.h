// Many pairs of ellipsoids at once: a structure of arrays, with loops that the compiler turns into vector
// code for the machine (AVX-512, AVX2 or plain, selected at run time). The results have the same bits as
// separation() and gap() of single pairs.
#pragma once

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/slab_ascent.h"

namespace scree {

struct alignas(64) EllipsoidBatch {
  static constexpr std::size_t capacity = 64;
  template <std::size_t rows>
  using Columns = scree::Columns<rows, capacity>;

  // States of a pair. They are numbers like the rest, so that vectors can compare and select them.
  static constexpr double on_the_way = 0.0, arrived = 1.0, for_the_single_path = 2.0, apart = 3.0;

  std::size_t size = 0;                   // pairs in use
  Columns<3> r;                           // m, from the centre of A to that of B
  Columns<6> a, b;                        // m^2: xx, yy, zz, xy, xz, yz of the matrices
  Columns<3> n;                           // unit, from A to B: start direction, and then the result
  Columns<3> x_a, x_b;                    // m, support points from the centres
  std::array<double, capacity> h_a, h_b;  // m, support distances
  std::array<double, capacity> phi;       // m, width of the slab across n (G1)
  std::array<double, capacity> margin;    // m: pairs with a wider gap are not searched
  std::array<double, capacity> state;
  Columns<3> w_a, w_b, v;                     // rad/s, m/s: velocities of pairs for bend()
  std::array<double, capacity> acceleration;  // m/s^2, see bend()

  /// normal: start direction, from B to A.
  void add(const PlacedEllipsoid& first, const PlacedEllipsoid& second, const Vec3& normal, double margin_m);
  /// Sets the velocities of the last pair that was added.
  void set_motion(const Twist& of_a, const Twist& of_b);
  bool is_apart(std::size_t k) const { return state[k] == apart; }
  bool has_arrived(std::size_t k) const { return state[k] == arrived; }
};

/// Climbs from n to the maximum of phi. Afterwards a pair
///   is_apart()     if separation() at the given direction is larger than the margin, or
///   has_arrived()  then contact_of() equals gap() from the same start, to the last bit, or
/// neither: then gap() must be called. These are few: deep overlaps, pairs with a shortened Newton step, and
/// pairs that need more steps than most.
void climb(EllipsoidBatch& batch);

/// Second time derivatives of the distances of pairs that have arrived, with the same bits as
/// gap_acceleration(); all pairs must have velocities.
void bend(EllipsoidBatch& batch);

/// The contact of pair k, which has arrived; with the centres that were given.
SCREE_INLINE Gap contact_of(const EllipsoidBatch& batch, std::size_t k, const Vec3& centre_a,
                            const Vec3& centre_b) {
  return {
      .point = 0.5 * ((centre_a + to_vec3(three(batch.x_a, k))) + (centre_b - to_vec3(three(batch.x_b, k)))),
      .normal = -to_vec3(three(batch.n, k)),
      .distance = batch.phi[k]};
}

}  // namespace scree
