// Contacts of functionally defined bodies with each other.
//
// With outward unit normals n_a, n_b and shape operators A, B (second fundamental forms, positive where a
// body bulges) at points x_a, x_b of the two surfaces, the two are a critical pair when
//   n_b = -n_a,   x_b - x_a = phi n_a,                                                                 (F2)
// which are all stationary values of the distance along a common normal, apart (phi > 0) and overlapping. It
// is a contact when the matrix of second derivatives of the distance with its constraint,
//   [ A  0  I ; 0  B  -I ; I  -I  -phi I ]   (6 x 6, I of the tangent plane),                           (F3)
// has four positive and two negative eigenvalues. That is: apart, the distance is a local minimum over both
// surfaces; at touch, A + B > 0 (the bodies bend away from each other); between convex bodies, C_a + C_b +
// phi I > 0 with C = A^-1 in the words of (G1), the local maxima of phi(n), also where they overlap. The
// matrix is regular at phi = 0, so contacts pass through touch unchanged; they appear and vanish only where
// det(A + B + phi B A) = 0. A pair is kept when phi <= margin, the overlap is not deeper than `depth` and the
// line between its points runs as it must: outside both bodies where they are apart, inside both where they
// overlap, so that no contact reaches through a body. Where two overlap more deeply than any such pair says,
// the contact is the least deep one of all.
#pragma once

#include "engine/geometry/gap.h"
#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

/// A shape in the world. Lengths of the shape are multiplied by `scale`.
struct PlacedImplicit {
  const ImplicitShape* shape;
  Vec3 position = Vec3::Zero();  // m
  Mat3 rotation = Mat3::Identity();
  double scale = 1.0;
};
PlacedImplicit place(const ImplicitShape& shape, const Pose& pose, double scale = 1.0);

/// Where a contact was, in the axes of the two bodies, m.
struct ImplicitStart {
  Vec3 on_a, on_b;
  std::uint32_t feature = 0;
};

/// What a pair keeps from step to step: where contacts are looked for, and how far the two may move against
/// each other until their covers must be compared again. Part of what a restart needs, as seeds are; {} for a
/// new pair.
struct PairMemory {
  Vec3 offset = Vec3::Zero();    // m, centre of b in a's axes when the covers were compared
  Quat turn = Quat::Identity();  // b's axes in a's
  double reach = -infinity;      // m, up to which gap everything was found
  double slack = 0.0;            // m, motion that was allowed for
  std::vector<ImplicitStart> starts;
};

/// How far to look, m: gaps up to margin, overlaps down to depth.
struct ContactReach {
  double margin;
  double depth;
};
/// The depth used by contacts(): half the smaller smallest length.
ContactReach usual_reach(const PlacedImplicit& a, const PlacedImplicit& b, double margin);

/// How often which way was taken; add them up for a report.
struct ContactCounts {
  std::int64_t cached = 0;    // answered from the memory
  std::int64_t apart = 0;     // a plane proved that there is nothing
  std::int64_t compared = 0;  // searched through
  std::int64_t newton = 0;    // searches from samples
  std::int64_t deep = 0;      // overlaps beyond the usual depth
};

/// Appends the contacts closer than the margin to `found`; normals from b to a. Features last while a contact
/// is followed from step to step through `memory`. Accuracy 1e-9 of the size (test: ImplicitContacts.*). Two
/// ellipsoids give what ellipsoid_ellipsoid.h gives. Where the gap widens by less than 0.2 % of the smaller
/// size over 15 % of it, flat on flat, the ends of that patch come too, two or four, with the contact's
/// normal: features + 1 to + 4.
void contacts(const PlacedImplicit& a, const PlacedImplicit& b, double margin, PairMemory& memory,
              std::vector<Gap>& found, ContactCounts* counts = nullptr);

/// Second time derivative of the gap while both move on with their twists, m/s^2. With v_i the velocities of
/// the two points, e_i = w_i x (w_i x arm_i) their accelerations, c = (v_b - v_a)_t, q_i = (n x w_i)_t, n
/// from a to b:
///   M u = B (c + phi q_a) + q_a - q_b,   M = A + B + phi B A,
///   v = (1 + phi A) u - c - phi q_a,   l = A u - q_a,
///   phi'' = (e_b - e_a).n + v.q_b - u.q_a + l.c                                                        (F4)
/// (the stationary value of the second-order expansion of the distance). 0 where M is singular. Test:
/// ImplicitContacts.GapAcceleration.
double gap_acceleration(const PlacedImplicit& a, const PlacedImplicit& b, const Gap& contact,
                        const Twist& of_a, const Twist& of_b);

}  // namespace scree
