// Ellipsoid against surfaces of revolution: contacts on faces, rims and tips, from both sides.
#pragma once

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/revolved_surface.h"

namespace scree {

/// Appends the contacts closer than `margin` (m), ordered by feature: 16 times the number of the segment or,
/// after all segments, of the corner, plus the number of the contact there: 0-7 by the end of the ellipsoid,
/// 8-10 of a ring. A segment makes a disc, a cylinder or a cone. It is touched where a tangent plane N(phi)
/// along one of its lines is also tangent to the ellipsoid: from outside where N.c - h(N), with h the support
/// function, is greatest, from inside where N.c + h(N) has a maximum, each if the foot lies on the line and,
/// where it is not in the ellipsoid, the segment reaches in elsewhere and none of its corners is less deep. A
/// corner makes a circle, or a tip if it is on the axis. A circle is touched where it is nearest and the
/// normal points away from both segments that meet there. A body that fits so closely that it touches all
/// round, as a ball in a funnel, has three more contacts, at fixed angles. Accurate to 1e-9 of the
/// ellipsoid's size (test: EllipsoidRevolved.*). Overlaps down to the smallest semi-axis.
void contacts(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall, double margin,
              std::vector<Gap>& found);

/// Second time derivative of the distance of one of those contacts at constant twists of both,
/// m/s^2: the second difference over +-dt with the same segment or corner, followed about the axis.
double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall,
                        const Gap& contact, const PairMotion& motion);

}  // namespace scree
