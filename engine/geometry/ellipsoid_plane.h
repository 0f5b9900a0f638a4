// Ellipsoid against half-space: one contact, closed form.
#pragma once

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/plane.h"

namespace scree {

/// The point of the ellipsoid deepest along -normal is centre - S n / sqrt(n.S n). Exact to rounding.
Gap gap(const PlacedEllipsoid& ellipsoid, const Plane& plane);

/// Second time derivative of that gap while the ellipsoid moves on with its twist, m/s^2: (G3) without the
/// second body and with a fixed direction, -[(x.w)(w.n) - w^2 h + (w x n).C (w x n)].
double gap_acceleration(const PlacedEllipsoid& ellipsoid, const Plane& plane, const Twist& twist);

}  // namespace scree
