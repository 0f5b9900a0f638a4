// Ellipsoid against half-space: one contact, closed form.
#pragma once

#include <vector>

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/plane.h"

namespace scree {

/// The point of the ellipsoid deepest along -normal is centre - S n / sqrt(n.S n). Exact to rounding.
Gap gap(const PlacedEllipsoid& ellipsoid, const Plane& plane);

/// Second time derivative of that gap at constant twists of both, m/s^2. With W = w - w_wall, r
/// from the wall's centre to the ellipsoid's and C as in (G3):
///   n'' = w_wall x (w_wall x n),
///   g'' = r.n'' + 2 r'.(w_wall x n) - x.[w x (w x n) - 2 w x (w_wall x n) + n''] - (W x n).C (W x n). (G4)
/// Test: EllipsoidPlane.GapAcceleration.
double gap_acceleration(const PlacedEllipsoid& ellipsoid, const Plane& plane, const Twist& twist,
                        const WallMotion& wall = {});

/// The interface of all walls: appends the gap if it is closer than `margin`.
inline void contacts(const Ellipsoid& shape, const Pose& pose, const Plane& plane, double margin,
                     std::vector<Gap>& found) {
  if (const Gap g = gap(place(shape, pose), plane); g.distance <= margin) found.push_back(g);
}
inline double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const Plane& plane, const Gap&,
                               const PairMotion& motion) {
  return gap_acceleration(place(shape, pose), plane, motion.body, motion.wall);
}

}  // namespace scree
