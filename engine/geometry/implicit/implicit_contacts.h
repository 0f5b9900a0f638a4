// Contacts of two functionally defined bodies.
//
// With outward unit normals n_a, n_b and shape operators A, B (second fundamental forms, positive where a
// body bulges) at points x_a, x_b of the two surfaces, the two are a critical pair when
//   n_b = -n_a,   x_b - x_a = phi n_a,                                                                 (F2)
// which are all stationary values of the distance along a common normal, separate (phi > 0) or overlapping.
// It is a contact if the matrix of second derivatives of the distance with its constraint,
//   [ A  0  I ; 0  B  -I ; I  -I  -phi I ]   (6 x 6, I of the tangent plane),                           (F3)
// has four positive and two negative eigenvalues. That means: if separate, the distance is a local minimum
// over both surfaces; at touch, A + B > 0 (the bodies bend away from each other); between convex bodies, C_a
// + C_b + phi I > 0 with C = A^-1 in the notation of (G1), the local maxima of phi(n), also for overlaps. The
// matrix is regular at phi = 0, so contacts pass through touch without change; they appear and vanish only
// where det(A + B + phi B A) = 0. A pair is kept if phi <= margin, the overlap is not deeper than `depth` and
// the line between its points runs outside both bodies (if separate) or inside both (if they overlap), so
// that no contact passes through a body. If two bodies overlap more deeply than all such pairs,
// the contact is the least deep of all critical pairs.
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

/// Points of a contact in the axes of the two bodies, m.
struct ImplicitStart {
  Vec3 on_a, on_b;
  std::uint32_t feature = 0;
};

/// State of a pair that is kept from step to step: the starts of contact searches, and the relative motion
/// after which the covers must be compared again. Restarts need it, as they need cached normals; {} for a new
/// pair.
struct PairMemory {
  Vec3 offset = Vec3::Zero();    // m, centre of b in a's axes when the covers were compared
  Quat turn = Quat::Identity();  // b's axes in a's
  double reach = -infinity;      // m, largest gap up to which all contacts were found
  double slack = 0.0;            // m, allowed relative motion
  std::vector<ImplicitStart> starts;
};

/// Limits of the search, m: gaps up to margin, overlaps down to depth.
struct ContactReach {
  double margin;
  double depth;
};
/// The depth used by contacts(): half the smaller smallest length.
ContactReach usual_reach(const PlacedImplicit& a, const PlacedImplicit& b, double margin);

/// Counts of the ways in which contacts were found; add them up for a report.
struct ContactCounts {
  std::int64_t cached = 0;    // answered from the memory
  std::int64_t apart = 0;     // a separating plane was found
  std::int64_t compared = 0;  // fully searched
  std::int64_t newton = 0;    // searches from samples
  std::int64_t deep = 0;      // overlaps beyond the usual depth
};

/// Appends the contacts closer than the margin to `found`; normals from b to a. Features last while a contact
/// is followed from step to step through `memory`. Accuracy 1e-9 of the size (test: ImplicitContacts.*). For
/// two ellipsoids the result is that of ellipsoid_ellipsoid.h. If the gap widens by less than 0.2 % of the
/// smaller size over 15 % of it (flat on flat), the ends of that patch are added too, two or four, with the
/// contact's normal: features + 1 to + 4.
void contacts(const PlacedImplicit& a, const PlacedImplicit& b, double margin, PairMemory& memory,
              std::vector<Gap>& found, ContactCounts* counts = nullptr);

/// Second time derivative of the gap at constant twists of both, m/s^2. With v_i the velocities of
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
