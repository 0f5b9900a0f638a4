// Ellipsoid against half-space: one contact, closed form.
#pragma once

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/plane.h"

namespace scree {

/// The point of the ellipsoid deepest along -normal is centre - S n / sqrt(n.S n). Exact to rounding.
Gap gap(const PlacedEllipsoid& ellipsoid, const Plane& plane);

/// Second time derivative of that gap while both move on with their twists, m/s^2. With W = w - w_wall, r
/// from the wall's centre to the ellipsoid's and C as in (G3):
///   n'' = w_wall x (w_wall x n),
///   g'' = r.n'' + 2 r'.(w_wall x n) - x.[w x (w x n) - 2 w x (w_wall x n) + n''] - (W x n).C (W x n). (G4)
/// Test: EllipsoidPlane.GapAcceleration.
double gap_acceleration(const PlacedEllipsoid& ellipsoid, const Plane& plane, const Twist& twist,
                        const WallMotion& wall = {});

}  // namespace scree
