// Two ellipsoids: certificate of separation, contact, exact classification.
//
// With r the vector from the centre of A to that of B and n a unit direction,
//   phi(n) = n.r - sqrt(n.S_A n) - sqrt(n.S_B n)                                                   (G1)
// is the width of the slab between the two supporting planes across n: phi(n) > 0 for any n proves that the
// two are apart by at least phi(n). The contact direction maximises phi; its value there is the signed
// distance.
#pragma once

#include <array>

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"

namespace scree {

/// phi(n) of (G1), m; n unit, from A to B.
double separation(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Vec3& n);

/// The contact, with the normal from B to A. Without a start direction (unit, from B to A as in Gap) the
/// search starts from the Perram-Wertheim direction. Accuracy: normal 1e-10 rad if the overlap is at most a
/// third of the smaller smallest semi-axis (test: EllipsoidPair.AgreesWithBruteForce); if it is deeper, the
/// best of several local maxima. Sources: Newton in the tangent plane of (G1); start: Perram, Wertheim 1985,
/// J. Comput. Phys. 58, 409.
Gap gap(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Vec3* start_normal = nullptr);

/// Second time derivative of the gap at constant twists of both, m/s^2: the term that the linear prediction
/// gap + dt u_n neglects. From (G1) with n(t) the maximiser, x_i the support points, C_i = (S_i - x_i
/// x_i^T) / h_i and K = -Hess phi in the tangent plane:
///   phi'' = -sum_i [(x_i.w_i)(w_i.n) - w_i^2 h_i + (w_i x n).C_i (w_i x n)] + b.K^-1 b,
///   b.t   = t.r' + sum_i [(w_i x n).C_i t + x_i.(w_i x t)].                                         (G3)
/// Zero where the Hessian is not definite (deep overlap). Test: EllipsoidPair.GapAcceleration.
double gap_acceleration(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Vec3& normal,
                        const Twist& of_a, const Twist& of_b);

/// The first contact of two ellipsoids while A moves with `velocity` (m/s, relative to B) for `duration_s`
/// and neither rotates; `now` is their gap at the start, positive. Distance: their present gap along the
/// normal of that contact, so that a motion with this velocity closes it at the contact. Point: midway
/// between the surfaces at the contact, relative to B's place now. Infinite distance if they do not touch in
/// this time. `nearness_m`: a gap that counts as touch. Method: directional conservative advancement: the
/// slab of (G1) across a fixed normal separates the two until it is used up (Mirtich 1996).
Gap first_touch(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Gap& now, const Vec3& velocity,
                double duration_s, double nearness_m);

/// The unit direction C^-1 r (from A to B) at the t that maximises t (1-t) r.C(t)^-1 r, C = (1-t) S_A + t
/// S_B, and that maximum, which is above 1 exactly if the two are separate (Perram, Wertheim 1985).
struct PerramWertheim {
  Vec3 direction;
  double contact_function;
};
PerramWertheim perram_wertheim(const PlacedEllipsoid& a, const PlacedEllipsoid& b);

/// The relation of two ellipsoids.
enum class Relation : std::uint8_t { separate, touching, overlapping, inside };
inline constexpr std::array relations{Relation::separate, Relation::touching, Relation::overlapping,
                                      Relation::inside};
const char* to_string(Relation relation);

/// Decided from the coefficients of the characteristic polynomial det(lambda A + B) of the two quadrics and
/// from its discriminant; no root is computed. `touching` if the discriminant is zero to rounding, which
/// holds for gaps up to about 1e-12 of the size; `inside` if one contains the other completely. Sources:
/// Wang, Wang, Kim 2001 (CAGD 18, 531); Brozos-Vazquez et al. 2022 (coefficient signs).
Relation classify(const PlacedEllipsoid& a, const PlacedEllipsoid& b);

}  // namespace scree
