// Ellipsoid against half-space: one contact, closed form.
#pragma once

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/plane.h"

namespace scree {

/// The point of the ellipsoid deepest along -normal is centre - S n / sqrt(n.S n). Exact to rounding.
Gap gap(const PlacedEllipsoid& ellipsoid, const Plane& plane);

}  // namespace scree
