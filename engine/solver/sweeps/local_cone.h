// The exact solution of one frictional contact.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// p with u = W p + q, 0 <= u_n complementary to p_n >= 0, and |p_t| <= mu p_n dissipating the most
/// (Coulomb). W is symmetric positive definite, 1/kg; q in m/s; components n, t1, t2. Three cases: separate
/// (q_n
/// >= 0), sticking (-W^-1 q in the cone), sliding: u_n = 0 and u_t = -alpha p_t, alpha > 0, so
///   p_t(alpha) = -(S + alpha I)^-1 s,  S = W_tt - W_tn W_nt / W_nn,  s = q_t - W_tn q_n / W_nn,
///   p_n(alpha) = -(q_n + W_nt p_t) / W_nn,                                                         (L1)
/// with the alpha for which |p_t| = mu p_n, found by bisected Newton to rounding. If several solutions
/// exist (strong coupling of normal and tangents, as in Painleve's paradox) it returns the one with the
/// smallest sliding speed factor in the bracket. Source: after Bonnefon-Villeron, Daviet 2011 and
/// Jean 1999.
Vec3 solve_local_cone(const Mat3& w, const Vec3& q, double mu);

/// The same for a sampled cone, by (P1) and (P2) alternately from `start` until they converge.
Vec3 solve_local_sampled(const Mat3& w, const Vec3& q, double mu, int corners, const Vec3& start);

}  // namespace scree
