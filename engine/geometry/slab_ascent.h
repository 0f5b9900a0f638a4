// The arithmetic of (G1), on plain numbers: one source for a single pair and for loops over many pairs, which
// the compiler turns into vector code. The order of operations is the same, so the results have the same
// bits.
#pragma once

#include <cmath>

#include "engine/core/three.h"
#include "engine/geometry/ellipsoid.h"

namespace scree {

/// A symmetric matrix.
struct Symmetric {
  double xx, yy, zz, xy, xz, yz;
};

SCREE_INLINE Three operator*(const Symmetric& s, Three v) {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
SCREE_INLINE Symmetric to_symmetric(const Mat3& m) {
  return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
}

/// Two ellipsoids: the vector from the centre of A to that of B (m) and their matrices (m^2).
struct EllipsoidPair {
  Three r;
  Symmetric a, b;
};

SCREE_INLINE EllipsoidPair pair_of(const PlacedEllipsoid& a, const PlacedEllipsoid& b) {
  return {to_three(b.centre - a.centre), to_symmetric(a.matrix), to_symmetric(b.matrix)};
}

// Overlaps beyond this share of the smaller smallest semi-axis may have several local maxima: the search then
// starts from more normals.
inline constexpr double deep_overlap = 0.3;

/// May an overlap be deep in this sense? The smallest diagonal element bounds the smallest semi-axis from
/// above. This is cheap, and decides only whether the true semi-axis is computed.
SCREE_INLINE bool may_be_deep(double phi, const EllipsoidPair& p) {
  const double a = p.a.xx < p.a.yy ? p.a.xx : p.a.yy, b = p.b.xx < p.b.yy ? p.b.xx : p.b.yy;
  const double c = p.a.zz < p.b.zz ? p.a.zz : p.b.zz, ab = a < b ? a : b;
  return phi < -0.5 * deep_overlap * std::sqrt(ab < c ? ab : c);
}

/// phi (G1) at n, with the terms of its derivatives.
struct Slab {
  double phi;       // m
  double h_a, h_b;  // support distances, m
  Three x_a, x_b;   // support points from the centres, m
};

/// phi(n) alone.
SCREE_INLINE double slab_width(const EllipsoidPair& p, Three n) {
  return dot(n, p.r) - std::sqrt(dot(n, p.a * n)) - std::sqrt(dot(n, p.b * n));
}

SCREE_INLINE Slab slab(const EllipsoidPair& p, Three n) {
  const Three sa = p.a * n, sb = p.b * n;
  const double ha = std::sqrt(dot(n, sa)), hb = std::sqrt(dot(n, sb));
  return {dot(n, p.r) - ha - hb, ha, hb, (1.0 / ha) * sa, (1.0 / hb) * sb};
}

/// Newton's step for the maximum of phi, in the tangent plane of n.
struct AscentStep {
  Three along;    // rotation of the unit vector n, rad; at most 1
  double length;  // rad, before that limit
};

// Newton stops if the next correction of the direction would be below the square of this angle (quadratic
// order).
inline constexpr double last_step_rad = 1e-6;
inline constexpr double no_step_rad = 1e-10;  // the direction needs no correction

/// -Hess in the tangent plane is sum over both of (t.S t - (x.t)^2) / h + phi I. If it is not positive
/// definite (overlap deeper than the curvature radii), phi is replaced by |phi|, which still gives an ascent
/// direction.
SCREE_INLINE AscentStep ascent_step(const EllipsoidPair& p, Three n, const Slab& at) {
  // Tangents as in frames.h.
  const double sign = std::copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  const Three t0{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x}, t1{b, sign + n.y * n.y * a, -n.y};
  const Three g = p.r - at.x_a - at.x_b;
  const double slope0 = dot(t0, g), slope1 = dot(t1, g);
  const double ia = 1.0 / at.h_a, ib = 1.0 / at.h_b;
  const Symmetric s{ia * p.a.xx + ib * p.b.xx, ia * p.a.yy + ib * p.b.yy, ia * p.a.zz + ib * p.b.zz,
                    ia * p.a.xy + ib * p.b.xy, ia * p.a.xz + ib * p.b.xz, ia * p.a.yz + ib * p.b.yz};
  const Three s0 = s * t0, s1 = s * t1;
  const double a0 = dot(at.x_a, t0), a1 = dot(at.x_a, t1), b0 = dot(at.x_b, t0), b1 = dot(at.x_b, t1);
  const double bare00 = dot(t0, s0) - ia * a0 * a0 - ib * b0 * b0,
               bare11 = dot(t1, s1) - ia * a1 * a1 - ib * b1 * b1,
               k01 = dot(t0, s1) - ia * a0 * a1 - ib * b0 * b1;
  const double full00 = bare00 + at.phi, full11 = bare11 + at.phi;
  const bool definite =
      (full00 > 0.0) & (full11 > 0.0) & (full00 * full11 - k01 * k01 > 1e-3 * full00 * full11);
  const double rest = definite ? at.phi : std::abs(at.phi);
  const double k00 = bare00 + rest, k11 = bare11 + rest;
  const double inverse_det = 1.0 / (k00 * k11 - k01 * k01);
  const double step0 = (k11 * slope0 - k01 * slope1) * inverse_det,
               step1 = (k00 * slope1 - k01 * slope0) * inverse_det;
  const double length = std::sqrt(step0 * step0 + step1 * step1);
  const double scale = length > 1.0 ? 1.0 / length : 1.0;
  return {(scale * step0) * t0 + (scale * step1) * t1, length};
}

/// Motion of both bodies of a pair: spins, rad/s, and the velocity of B's centre relative to A's, m/s.
struct PairTwist {
  Three w_a, w_b, v;
};

/// A direction and two across it.
struct DirectionFrame {
  Three n, t0, t1;
};

/// One body's terms in (G3): from its matrix, support point and distance, and spin.
struct Bend {
  double k00, k01, k11, slope0, slope1, sum;
};
SCREE_INLINE Bend bend_of(const Symmetric& s, Three x, double h, Three w, const DirectionFrame& frame) {
  const auto& [n, t0, t1] = frame;
  const double ih = 1.0 / h;
  const Three turned = cross(w, n), s0 = s * t0, s1 = s * t1, sw = s * turned;
  const double x0 = dot(x, t0), x1 = dot(x, t1), xw = dot(x, turned);
  return {ih * (dot(t0, s0) - x0 * x0),
          ih * (dot(t0, s1) - x0 * x1),
          ih * (dot(t1, s1) - x1 * x1),
          ih * (dot(turned, s0) - xw * x0) + dot(x, cross(w, t0)),
          ih * (dot(turned, s1) - xw * x1) + dot(x, cross(w, t1)),
          dot(x, w) * dot(w, n) - dot(w, w) * h + ih * (dot(turned, sw) - xw * xw)};
}

/// phi'' (G3) at its maximum n for constant velocities of both; 0 if the Hessian is not definite.
SCREE_INLINE double bending(const EllipsoidPair& p, Three n, const Slab& at, const PairTwist& motion) {
  const double sign = std::copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  const Three t0{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x}, t1{b, sign + n.y * n.y * a, -n.y};
  const DirectionFrame frame{n, t0, t1};
  const Bend of_a = bend_of(p.a, at.x_a, at.h_a, motion.w_a, frame),
             of_b = bend_of(p.b, at.x_b, at.h_b, motion.w_b, frame);
  const double k00 = at.phi + of_a.k00 + of_b.k00, k01 = of_a.k01 + of_b.k01,
               k11 = at.phi + of_a.k11 + of_b.k11;
  const double slope0 = dot(t0, motion.v) + of_a.slope0 + of_b.slope0,
               slope1 = dot(t1, motion.v) + of_a.slope1 + of_b.slope1;
  const double det = k00 * k11 - k01 * k01;
  const double along = (k11 * slope0 * slope0 - 2.0 * k01 * slope0 * slope1 + k00 * slope1 * slope1) / det;
  const bool definite = (k00 > 0.0) & (det > 1e-6 * k00 * k11);
  return definite ? along - (of_a.sum + of_b.sum) : 0.0;
}

SCREE_INLINE Three turned(Three n, Three along) {
  const Three v = n + along;
  return (1.0 / std::sqrt(dot(v, v))) * v;
}

/// Growth of phi below rounding, m.
SCREE_INLINE double slab_rounding(const EllipsoidPair& p, Three n, const Slab& at) {
  return 4e-16 * (at.h_a + at.h_b + std::abs(dot(n, p.r)));
}

}  // namespace scree
