// The ellipsoid: F(x) = 1 - |x/a|^2 in its own frame, inside where F > 0.
#pragma once

#include "engine/core/frames.h"

namespace scree {

struct Ellipsoid {
  Vec3 semi_axes = Vec3::Ones();  // m, all > 0
};

/// An ellipsoid in the world: its matrix S = R diag(a^2) R^T (m^2) and its centre. Its support function is
/// sqrt(n.S n).
struct PlacedEllipsoid {
  Vec3 centre;
  Mat3 matrix;
};

inline PlacedEllipsoid place(const Ellipsoid& shape, const Pose& pose) {
  return {pose.position, symmetric_in_world(pose.orientation, shape.semi_axes.cwiseAbs2())};
}

/// Volume (m^3) and principal moments of inertia per unit mass (m^2), exact.
double volume(const Ellipsoid& shape);
Vec3 inertia_per_mass(const Ellipsoid& shape);

/// The point of the ellipsoid's surface closest to `point`, both in the ellipsoid's frame, m. For a point
/// inside it is the closest one along the outward branch; for the centre it is the end of the shortest
/// semi-axis. Relative accuracy 1e-14 of the largest semi-axis (test: Ellipsoid.ClosestPoint). Source: the
/// secular equation sum (a_i x_i / (t + a_i^2))^2 = 1 by guarded Newton (Hart 1994; Eberly 2013).
Vec3 closest_surface_point(const Ellipsoid& shape, const Vec3& point);

/// The least t in (nearest, farthest) at which origin + t direction lies on the surface, in the ellipsoid's
/// frame; infinite if there is none.
double ray_hit(const Ellipsoid& shape, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest);

}  // namespace scree
