// Flat contacts: the surfaces stay close to each other over a patch, whose ends carry load as well.
#pragma once

#include "engine/geometry/implicit/pair_search.h"

namespace scree {

inline constexpr double flatness = 2e-3;    // of the size: the gap at the ends is wider by this
inline constexpr double flat_width = 0.15;  // of the size: contacts that are flat over this width have ends

/// Height above `at` at which a line along n meets the surface; none if the surface turns
/// away.
inline std::optional<double> height(const ImplicitShape& s, double scale, Three at, Three n) {
  constexpr int iterations = 20;
  double h = 0.0;
  for (int k = 0; k < iterations; ++k) {
    const SurfaceHere here = surface_here(s, scale, at + h * n);
    const double facing = dot(here.n, n);
    if (!(std::abs(facing) > 0.5)) return std::nullopt;
    const double step = here.off / facing;
    h += step;
    if (std::abs(step) < 1e-10 * scale * s.bounding_radius) return h;
  }
  return std::nullopt;
}

/// Below this bend a distance is flat, 1/m.
inline double weakest_bend(double size) { return 2.0 * flatness / (flat_width * flat_width * size); }

/// Directions (a's axes) in which a contact is flat: none, one or two, with signs and order that follow a's
/// axes. `bend`: second derivatives of the distance there, in tangents(n).
inline int flat_directions(const Plane2& bend, Three n, double size, Three* direction) {
  const double weakest = weakest_bend(size);
  const double mean = 0.5 * (bend.xx + bend.yy), half = std::hypot(0.5 * (bend.xx - bend.yy), bend.xy);
  if (!(mean - half < weakest)) return 0;
  const auto upright = [](Three v) {
    const double x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
    const double largest = x >= y && x >= z ? v.x : (y >= z ? v.y : v.z);
    return largest < 0.0 ? -1.0 * v : v;
  };
  if (mean + half < weakest) {
    // Flat in both directions: along the axis of a that is most nearly tangential, and across it.
    const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
    const Three axis =
        x <= y && x <= z ? Three{1.0, 0.0, 0.0} : (y <= z ? Three{0.0, 1.0, 0.0} : Three{0.0, 0.0, 1.0});
    Three e = axis - dot(axis, n) * n;
    e = (1.0 / norm(e)) * e;
    direction[0] = e;
    direction[1] = upright(cross(n, e));
    return 2;
  }
  const double angle = 0.5 * std::atan2(2.0 * bend.xy, bend.xx - bend.yy) + 0.5 * std::numbers::pi;
  direction[0] = upright(along(tangents(n), {std::cos(angle), std::sin(angle)}));
  return 1;
}

/// The farthest place along a tangent at which the surfaces are almost as near as at the contact; at(s): the
/// contact moved by s, if the surfaces exist there.
template <class Contact, class At>
Contact end_of_flat(const Contact& contact, double size, At&& at) {
  constexpr int steps = 8, halvings = 8;
  const double most = 2.0 * size, limit = contact.phi + flatness * size;
  Contact best = contact;
  double low = 0.0, high = most;
  const auto reaches = [&](double s) {
    const std::optional<Contact> there = at(s);
    if (!there || there->phi > limit) return false;
    best = *there;
    return true;
  };
  for (int k = 1; k <= steps; ++k) {
    const double s = most * k * k / (steps * steps);
    if (!reaches(s)) {
      high = s;
      break;
    }
    low = s;
  }
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (reaches(middle) ? low : high) = middle;
  }
  return best;
}

}  // namespace scree
