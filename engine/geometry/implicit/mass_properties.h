// Volume, centre of mass and inertia of a functionally defined body.
#pragma once

#include "engine/geometry/implicit/perturbed_quadric.h"

namespace scree {

struct MassProperties {
  double volume = 0.0;         // m^3
  Vec3 centre = Vec3::Zero();  // m
  Mat3 second = Mat3::Zero();  // m^2, mean of x x^T over the body about its centre
  double error = 0.0;          // relative, estimated
  /// Inertia of a unit mass about the centre, m^2.
  Mat3 inertia_per_mass() const { return second.trace() * Mat3::Identity() - second; }
};

/// Integrates along rays from the origin, which is inside; `farthest` (m): no part of the body is farther.
/// Exact along each ray, between the exact crossings. Over directions: Gauss-Legendre on the faces of a cube,
/// halved while the halves disagree. Rays may leave the body more than once, at a higher cost. Test:
/// ImplicitShape.MassPropertiesOfClosedForms.
MassProperties mass_properties(const PerturbedQuadric& f, double farthest, double tolerance);

/// A body frame whose axes are principal axes as near to the given ones as possible: right-handed, and the
/// given axes themselves if no off-diagonal element of `second` is above `noise` of its trace.
Mat3 principal_axes(const Mat3& second, double noise);

}  // namespace scree
