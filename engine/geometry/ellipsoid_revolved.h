// Ellipsoid against surfaces of revolution: on their faces, rims and tips, from both sides.
#pragma once

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/revolved_surface.h"

namespace scree {

/// Appends the contacts closer than `margin` (m), ordered by feature: 16 times the number of the segment or,
/// after all segments, of the corner, and which of its contacts it is: 0-7 by the end of the grain, 8-10 of a
/// ring. A segment makes a disc, a cylinder or a cone, which is touched where a tangent plane N(phi) along
/// one of its lines is one of the ellipsoid too: from outside where N.c - h(N), with h the support function,
/// is greatest, from inside where N.c + h(N) has a maximum, each where the foot lies on the line. A corner
/// makes a circle, touched where it is nearest and the normal points away from both segments that meet there,
/// or on the axis a tip. What fits so closely that it touches all round, as a ball in a funnel, has three
/// more contacts, at fixed angles. Accurate to 1e-9 of the ellipsoid's size (test: EllipsoidRevolved.*).
/// Overlaps down to the smallest semi-axis.
void contacts(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall, double margin,
              std::vector<Gap>& found);

/// Second time derivative of the distance of one of those contacts while both move on with their twists,
/// m/s^2: the second difference over +-dt with the same segment or corner, followed round the axis.
double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall,
                        const Gap& contact, const PairMotion& motion);

}  // namespace scree
