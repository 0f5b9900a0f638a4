// One update of one contact: the common part of the sweeping solvers.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/core/vector4.h"
#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// Change of an impulse, N s, in the contact's frame.
struct ImpulseChange {
  double n, t1, t2;
  bool is_zero() const { return n == 0.0 && t1 == 0.0 && t2 == 0.0; }
};

/// Entries of a Delassus block, 1/kg.
struct DelassusEntries {
  double nn, t1n, t2n, t11, t12, t22;
};

/// Added to the diagonal of a Delassus block of rank 0 or 1, over its trace: that of a part with one
/// freedom and a body that nothing moves. Iterations then have the same solutions, since only differences of
/// impulses meet it.
inline constexpr float rank_pad = 1e-3f;

/// The addition, 1/kg; 0 if the block is regular.
SCREE_INLINE double padding_of(const DelassusEntries& w) {
  constexpr double rounding = 1e-12;
  const double across = w.t11 + w.t22, whole = w.nn + across;
  if (w.t11 * w.t22 - w.t12 * w.t12 > rounding * (across * across) && w.nn > rounding * whole) return 0.0;
  return whole > 0.0 ? double{rank_pad} * whole : 1.0;
}

SCREE_INLINE LocalContact local_contact(DelassusEntries w, double friction) {
  const double pad = padding_of(w);
  w.nn += pad;
  w.t11 += pad;
  w.t22 += pad;
  const double inverse_det = 1.0 / (w.t11 * w.t22 - w.t12 * w.t12);
  const double mean = 0.5 * (w.t11 + w.t22), half = 0.5 * (w.t11 - w.t22);
  return {.inverse_w_nn = 1.0 / w.nn,
          .w_t1n = w.t1n,
          .w_t2n = w.t2n,
          .i_tt11 = w.t22 * inverse_det,
          .i_tt12 = -w.t12 * inverse_det,
          .i_tt22 = w.t11 * inverse_det,
          .slide_step = 1.0 / (mean + std::sqrt(half * half + w.t12 * w.t12)),
          .friction = friction,
          .rho = 3.0 / (w.nn + w.t11 + w.t22)};
}

inline LocalContact local_contact(const Mat3& w, double friction) {
  return local_contact(
      DelassusEntries{w(0, 0), w(1, 0), w(2, 0), w(1, 1), 0.5 * (w(1, 2) + w(2, 1)), w(2, 2)}, friction);
}

/// (P1) and (P2) for a contact with `impulse`, the normal velocity u_n (offset included) and the
/// tangential velocities u_1, u_2. The tangential impulse sticks if the unconstrained minimum of (P2) is
/// admissible; else it slides: one projected gradient step of length slide_step, whose fixed point is exact.
SCREE_INLINE ImpulseChange improve_impulse(const LocalContact& c, const double* impulse, double u_n,
                                           double u_1, double u_2) {
  const double p_n = std::max(0.0, impulse[0] - u_n * c.inverse_w_nn);
  const double dn = p_n - impulse[0];
  const double u1 = u_1 + c.w_t1n * dn, u2 = u_2 + c.w_t2n * dn;
  const double bound = c.friction * p_n;
  double p1 = impulse[1] - (c.i_tt11 * u1 + c.i_tt12 * u2), p2 = impulse[2] - (c.i_tt12 * u1 + c.i_tt22 * u2);
  if (p1 * p1 + p2 * p2 > bound * bound) {
    p1 = impulse[1] - c.slide_step * u1;
    p2 = impulse[2] - c.slide_step * u2;
    const double squared = p1 * p1 + p2 * p2;
    if (squared > bound * bound) {
      const double scale = bound / std::sqrt(squared);
      p1 *= scale;
      p2 *= scale;
    }
  }
  return {dn, p1 - impulse[1], p2 - impulse[2]};
}

/// The same with the full Delassus block, the exact minimum of (P2), and a smooth (corners = 0) or sampled
/// set of admissible impulses; u: the present velocity, offset included. Returns the new impulse.
Vec3 improve_impulse(const Mat3& w, const Vec3& impulse, const Vec3& u, double friction, int corners);

/// Squared change of the contact's velocity for a change of impulse, (m/s)^2.
SCREE_INLINE double velocity_change_squared(const LocalContact& c, const ImpulseChange& d) {
  return d.n * d.n / (c.inverse_w_nn * c.inverse_w_nn) +
         (d.t1 * d.t1 + d.t2 * d.t2) / (c.slide_step * c.slide_step);
}

}  // namespace scree
