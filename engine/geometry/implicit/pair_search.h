// The kernels of (F2): a pair seen from one of its bodies, Newton, and the test whether a critical pair is a
// contact.
#pragma once

#include <cmath>
#include <numbers>
#include <span>

#include "engine/geometry/implicit/evaluation.h"
#include "engine/geometry/implicit/implicit_contacts.h"

namespace scree {

/// A rotation, by rows.
struct Rotation {
  Three x, y, z;
};
SCREE_INLINE Three operator*(const Rotation& r, Three v) { return {dot(r.x, v), dot(r.y, v), dot(r.z, v)}; }
SCREE_INLINE Three back(const Rotation& r, Three v) { return v.x * r.x + v.y * r.y + v.z * r.z; }
inline Rotation to_rotation(const Mat3& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}
SCREE_INLINE double norm(Three v) { return std::sqrt(dot(v, v)); }

/// A pair seen from a's axes.
struct PairView {
  const ImplicitShape *a, *b;
  double scale_a, scale_b;
  Three offset;   // centre of b, m
  Rotation turn;  // from b's axes to a's
  double size;    // m, the smaller bounding radius
};
inline PairView view(const PlacedImplicit& a, const PlacedImplicit& b) {
  return {a.shape,
          b.shape,
          a.scale,
          b.scale,
          to_three(a.rotation.transpose() * (b.position - a.position)),
          to_rotation(a.rotation.transpose() * b.rotation),
          std::min(a.scale * a.shape->bounding_radius, b.scale * b.shape->bounding_radius)};
}

/// A symmetric 2 x 2 matrix in the tangent plane.
struct Plane2 {
  double xx, xy, yy;
};
struct Two {
  double x, y;
};
SCREE_INLINE Two operator*(const Plane2& m, Two v) {
  return {m.xx * v.x + m.xy * v.y, m.xy * v.x + m.yy * v.y};
}
SCREE_INLINE double norm(Two v) { return std::sqrt(v.x * v.x + v.y * v.y); }
SCREE_INLINE double norm(const Plane2& m) {
  const double mean = 0.5 * (m.xx + m.yy), half = 0.5 * (m.xx - m.yy);
  return std::abs(mean) + std::sqrt(half * half + m.xy * m.xy);
}

/// M = A + B + phi B A.
struct Matrix2 {
  double xx, xy, yx, yy;
  double det() const { return xx * yy - xy * yx; }
};
SCREE_INLINE Matrix2 relative_bend(const Plane2& a, const Plane2& b, double phi) {
  return {a.xx + b.xx + phi * (b.xx * a.xx + b.xy * a.xy), a.xy + b.xy + phi * (b.xx * a.xy + b.xy * a.yy),
          a.xy + b.xy + phi * (b.xy * a.xx + b.yy * a.xy), a.yy + b.yy + phi * (b.xy * a.xy + b.yy * a.yy)};
}
SCREE_INLINE Two solve(const Matrix2& m, Two r) {
  const double inverse = 1.0 / m.det();
  return {inverse * (m.yy * r.x - m.xy * r.y), inverse * (m.xx * r.y - m.yx * r.x)};
}
SCREE_INLINE double largest_singular(const Matrix2& m) {
  const double square = m.xx * m.xx + m.xy * m.xy + m.yx * m.yx + m.yy * m.yy, d = m.det();
  return std::sqrt(0.5 * (square + std::sqrt(std::max(square * square - 4.0 * d * d, 0.0))));
}

/// Eigenvalues of a symmetric matrix, the larger one first, and the direction of the larger one.
struct Axes2 {
  double larger, smaller;
  Two along;
};
SCREE_INLINE Axes2 axes_of(const Plane2& m) {
  const double middle = 0.5 * (m.xx + m.yy), half_x = 0.5 * (m.xx - m.yy),
               half = std::sqrt(half_x * half_x + m.xy * m.xy);
  const double x = half_x > 0.0 ? half + half_x : m.xy, y = half_x > 0.0 ? m.xy : half - half_x;
  const double length = std::sqrt(x * x + y * y), inverse = 1.0 / (length > 0.0 ? length : 1.0);
  return {middle + half, middle - half, {length > 0.0 ? inverse * x : 1.0, inverse * y}};
}

/// The part of `right` across the line, over the bend there; nothing if the surfaces are flat on each other.
SCREE_INLINE Two solve_across(const Matrix2& m, const Plane2& bend, double weakest, Two right) {
  const Axes2 axes = axes_of(bend);
  if (!(axes.larger > weakest)) return {0.0, 0.0};
  const Two e = axes.along;
  const double me = e.x * (m.xx * e.x + m.xy * e.y) + e.y * (m.yx * e.x + m.yy * e.y);
  constexpr double flattest = 1e-3;  // of the bend, in deep overlaps
  if (!(me > flattest * axes.larger)) return {0.0, 0.0};
  const double step = (e.x * right.x + e.y * right.y) / me;
  return {step * e.x, step * e.y};
}

struct Tangents {
  Three x, y;
};
SCREE_INLINE Tangents tangents(Three n) {
  const double sign = std::copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  return {{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}};
}
SCREE_INLINE Two across(const Tangents& t, Three v) { return {dot(t.x, v), dot(t.y, v)}; }
SCREE_INLINE Three along(const Tangents& t, Two v) { return v.x * t.x + v.y * t.y; }
SCREE_INLINE Plane2 across(const Tangents& t, const Symmetric& s) {
  const Three sx = s * t.x, sy = s * t.y;
  return {dot(t.x, sx), dot(t.x, sy), dot(t.y, sy)};
}

/// Has (F3) the inertia (4, 2)? Counted by block elimination of d = u - v and lambda (the signs follow from
/// the eigenvalues 1 + phi alpha), then for the rest, B + A (1 + phi A)^-1.
SCREE_INLINE bool is_contact(const Plane2& a, const Plane2& b, double phi) {
  const double g_xx = 1.0 + phi * a.xx, g_xy = phi * a.xy, g_yy = 1.0 + phi * a.yy;
  const double g_det = g_xx * g_yy - g_xy * g_xy;
  if (g_det == 0.0) return false;
  // A (1 + phi A)^-1 = (A + phi det(A) 1) / det(1 + phi A), symmetric.
  const double det_a = a.xx * a.yy - a.xy * a.xy, inverse = 1.0 / g_det;
  const double s_xx = b.xx + inverse * (a.xx + phi * det_a), s_xy = b.xy + inverse * a.xy,
               s_yy = b.yy + inverse * (a.yy + phi * det_a);
  const double s_det = s_xx * s_yy - s_xy * s_xy, s_trace = s_xx + s_yy;
  // Negative eigenvalues of the rest, and of the eliminated block: one each for 1 + phi alpha > 0. For 1 +
  // phi alpha < 0: none if phi < 0 (alpha > 0), two if phi > 0.
  const int rest = s_det < 0.0 ? 1 : (s_trace < 0.0 ? 2 : 0);
  const int bent = g_det < 0.0 ? 1 : (g_xx + g_yy < 0.0 ? 2 : 0);
  const int block = 2 + (phi < 0.0 ? -bent : bent);
  return s_det != 0.0 && rest + block == 2;
}

/// A surface near a point: unit outward normal, -H/|g|, and the distance of the surface from the point,
/// outwards.
struct SurfaceHere {
  Three n;
  Symmetric bend;
  double off;
};
SCREE_INLINE SurfaceHere surface_here(const ImplicitShape& s, double scale, Three x) {
  const double in = 1.0 / scale;
  const Jet j = jet(s.function.base, s.perturbations, in * x);
  const double length = std::sqrt(dot(j.g, j.g)), inverse = length > 0.0 ? 1.0 / length : 0.0,
               k = -in * inverse;
  return {-inverse * j.g,
          {k * j.h.xx, k * j.h.yy, k * j.h.zz, k * j.h.xy, k * j.h.xz, k * j.h.yz},
          scale * inverse * j.f};
}

/// A critical pair (F2).
struct CriticalPair {
  Three a, b;             // points in the axes of a and of b, m
  Three n;                // unit, from a to b, in a's axes
  double phi;             // m
  Plane2 bend_a, bend_b;  // in tangents(n)
  bool converged;
  bool left = false;  // did the search leave its region?
};

/// A contact that is already known: a search ends if it comes near both of its points. `reach` is in spacings
/// of the samples at which the search began.
struct KnownContact {
  Three a, b;  // m, in the axes of the two
  double reach;
};

/// Two balls that a search must not leave, each in the axes of its body, m.
struct SearchRegion {
  Three a, b;
  double radius_a, radius_b;
  std::span<const KnownContact> known = {};
  double spacing = 0.0;  // m
};

inline constexpr int newton_iterations = 30, region_iterations = 8;
// A search in a region ends after these iterations if a step is not shorter than the last one by this
// factor.
inline constexpr int hopeful_iterations = 3;
inline constexpr double hopeless = 0.7;
inline constexpr double newton_tolerance =
    1e-7;  // of the size: after a step of this size the next one is below rounding
inline constexpr double longest_step = 0.3;  // of the size

/// The equations of Newton's step on (F2): with u and v the steps of the two points in the tangent plane,
///   v = (1 + phi A) u - shift,   shift = r_t - phi k,   M u = right = B shift - (n_b)_t - k - k_b,
/// r = x_b - x_a; k and k_b: change of the normals while the points move to the surface.
struct PairStep {
  SurfaceHere on_a, on_b;
  Three n_b;       // a's axes
  Tangents frame;  // of a's surface, to which all below refers
  Two n_t, k, shift, right;
  Matrix2 m;
};
/// Sets the bends and phi of t.
SCREE_INLINE PairStep step_at(const PairView& p, CriticalPair& t) {
  PairStep s;
  s.on_a = surface_here(*p.a, p.scale_a, t.a);
  s.on_b = surface_here(*p.b, p.scale_b, t.b);
  s.n_b = p.turn * s.on_b.n;
  const Three r = p.offset + p.turn * t.b - t.a;
  s.frame = tangents(s.on_a.n);
  const Tangents frame_b{back(p.turn, s.frame.x), back(p.turn, s.frame.y)};
  t.bend_a = across(s.frame, s.on_a.bend);
  t.bend_b = across(frame_b, s.on_b.bend);
  s.n_t = across(s.frame, s.n_b);
  Two r_t = across(s.frame, r), k_b = across(frame_b, s.on_b.bend * s.on_b.n);
  s.k = across(s.frame, s.on_a.bend * s.on_a.n);
  s.k = {s.on_a.off * s.k.x, s.on_a.off * s.k.y};
  k_b = {s.on_b.off * k_b.x, s.on_b.off * k_b.y};
  r_t = {r_t.x + s.on_b.off * s.n_t.x, r_t.y + s.on_b.off * s.n_t.y};
  t.phi = dot(s.on_a.n, r) - s.on_a.off - s.on_b.off;
  s.m = relative_bend(t.bend_a, t.bend_b, t.phi);
  s.shift = {r_t.x - t.phi * s.k.x, r_t.y - t.phi * s.k.y};
  const Two turned = t.bend_b * s.shift;
  s.right = {turned.x - s.n_t.x - s.k.x - k_b.x, turned.y - s.n_t.y - s.k.y - k_b.y};
  return s;
}

/// Newton on (F2).
SCREE_INLINE CriticalPair newton(const PairView& p, Three a, Three b, const SearchRegion* region = nullptr) {
  CriticalPair t{a, b, {}, 0.0, {}, {}, false};
  double last_step = infinity;
  const int iterations = region == nullptr ? newton_iterations : region_iterations;
  for (int i = 0; i < iterations; ++i) {
    const PairStep s = step_at(p, t);
    const auto& [on_a, on_b, n_b, frame, n_t, k, shift, right, m] = s;
    // Flat on flat: any of the pairs is a solution; this is the nearest one, by least squares.
    const double scale = norm(t.bend_a) + norm(t.bend_b) + 1e-3 / p.size;
    Two u = std::abs(m.det()) > 1e-12 * scale * scale ? solve(m, right) : Two{0.0, 0.0};
    const Two au = t.bend_a * u;
    Two v{u.x + t.phi * au.x - shift.x, u.y + t.phi * au.y - shift.y};
    const double step = std::max(norm(u), norm(v)),
                 limit = region == nullptr ? longest_step * p.size
                                           : 0.5 * std::max(region->radius_a, region->radius_b);
    if (!(step < 1e10 * p.size)) return t;
    if (region != nullptr && i >= hopeful_iterations && step > hopeless * last_step) return t;
    last_step = step;
    if (step > limit) {
      const double shorter = limit / step;
      u = {shorter * u.x, shorter * u.y};
      v = {shorter * v.x, shorter * v.y};
    }
    const double limited_a = std::clamp(on_a.off, -limit, limit),
                 limited_b = std::clamp(on_b.off, -limit, limit);
    t.a = t.a + along(frame, u) + limited_a * on_a.n;
    t.b = t.b + back(p.turn, along(frame, v)) + limited_b * on_b.n;
    if (region != nullptr &&
        (norm(t.a - region->a) > region->radius_a || norm(t.b - region->b) > region->radius_b)) {
      t.left = true;
      return t;
    }
    if (region != nullptr) {
      for (const KnownContact& o : region->known) {
        const double near = o.reach * region->spacing;
        if (norm(t.a - o.a) < near && norm(t.b - o.b) < near) {
          t.left = true;
          return t;
        }
      }
    }
    if (std::max({step, std::abs(on_a.off), std::abs(on_b.off)}) < newton_tolerance * p.size) {
      const Two tilt{au.x + k.x, au.y + k.y};
      t.n = on_a.n + along(frame, tilt);
      t.n = (1.0 / norm(t.n)) * t.n;
      t.phi = dot(t.n, p.offset + p.turn * t.b - t.a);
      t.converged = std::isfinite(t.phi) && dot(on_a.n, n_b) < 0.0;
      return t;
    }
  }
  return t;
}

/// Limits of a search, with the motion that the bodies may still make.
struct SearchReach {
  double margin, depth;  // m
  double slack = 0.0;    // m, of any point of b relative to a
};

inline bool is_within(const CriticalPair& t, const SearchReach& reach) {
  return t.converged && t.phi <= reach.margin && t.phi >= -reach.depth &&
         is_contact(t.bend_a, t.bend_b, t.phi);
}

inline constexpr double same_place = 1e-5;  // of the size: two contacts nearer than this are the same
inline bool is_same(const PairView& p, Three a, Three b, const CriticalPair& t) {
  const double near = same_place * p.size;
  return norm(a - t.a) < near && norm(b - t.b) < near;
}

inline double smaller_length(const PairView& p) {
  return std::min(p.scale_a * p.a->smallest_length, p.scale_b * p.b->smallest_length);
}

// (F1) at a point in the axes of a, and of b, m.
inline double value_on_a(const PairView& p, Three x) { return value(p.a->function, (1.0 / p.scale_a) * x); }
inline double value_on_b(const PairView& p, Three x) { return value(p.b->function, (1.0 / p.scale_b) * x); }

/// Does the line between the points of a critical pair run outside both bodies if they are separate, or
/// inside both if they overlap?
bool runs_clear(const PairView& p, const CriticalPair& t);

/// The gap in the world; `a`: the placed first body of the pair.
Gap to_gap(const PlacedImplicit& a, const PairView& p, const CriticalPair& t, std::uint32_t feature);

/// A pair of vectors, one of each body.
struct OfBoth {
  Three a, b;
};

/// Motion of both bodies; arms from the centres to the two points.
struct MotionOfBoth {
  OfBoth spin, velocity, arm;
};

/// (F4); all in the same axes, bends in tangents(n). For points of line contacts (F5), which keep their place
/// in directions in which the distance bends less than `weakest`.
SCREE_INLINE double bending(const Plane2& a, const Plane2& b, double phi, const MotionOfBoth& motion, Three n,
                            double weakest = -infinity) {
  const auto& [spin, velocity, arm] = motion;
  constexpr double flattest = 1e-3;  // least det M over its square: below it the points run away
  const Tangents frame = tangents(n);
  const Three swing_a = cross(spin.a, arm.a), swing_b = cross(spin.b, arm.b);
  const Two c = across(frame, velocity.b + swing_b - velocity.a - swing_a);
  const Two q_a = across(frame, cross(n, spin.a)), q_b = across(frame, cross(n, spin.b));
  const double carried = dot(n, cross(spin.b, swing_b) - cross(spin.a, swing_a));
  const Matrix2 m = relative_bend(a, b, phi);
  const double largest = largest_singular(m);
  const bool is_on_line = weakest > -infinity;
  if (!is_on_line && !(std::abs(m.det()) > flattest * largest * largest)) return 0.0;
  const Two bc = b * Two{c.x + phi * q_a.x, c.y + phi * q_a.y};
  const Two right{bc.x + q_a.x - q_b.x, bc.y + q_a.y - q_b.y};
  const Two u =
      is_on_line ? solve_across(m, {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy}, weakest, right) : solve(m, right);
  const Two au = a * u;
  const Two v{u.x + phi * (au.x - q_a.x) - c.x, u.y + phi * (au.y - q_a.y) - c.y};
  const Two l{au.x - q_a.x, au.y - q_a.y};
  return carried + v.x * q_b.x + v.y * q_b.y - u.x * q_a.x - u.y * q_a.y + l.x * c.x + l.y * c.y;
}

}  // namespace scree
