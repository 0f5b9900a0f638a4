// Ellipsoid against a finite open tube: from inside, from outside, and on the rims.
#pragma once

#include <vector>

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/tube.h"

namespace scree {

/// Two on the surface (a body that spans the bore touches with both ends) and four on each rim.
inline constexpr int max_tube_contacts = 10;

/// Writes the contacts closer than `margin` (m) to `out` (room for max_tube_contacts) and returns their
/// number, ordered by feature. Features: 0-7 surface, 16-23 rim at `start`, 32-39 rim at `end`; the offset is
/// the end of the ellipsoid. Accuracy 1e-9 rad (test: EllipsoidTube.*). Seen along the axis the ellipsoid
/// is an ellipse. Its support function s(m) has local maxima where it touches the bore: distance =
/// inner_radius - s(m). From outside only the plane of the greatest distance counts. A surface contact whose
/// place is not in the body also needs the wall to reach into it there, or at a rim without a shallower
/// contact.
int gaps(const Ellipsoid& shape, const Pose& pose, const Tube& tube, double margin, Gap* out);
inline void contacts(const Ellipsoid& shape, const Pose& pose, const Tube& tube, double margin,
                     std::vector<Gap>& found) {
  Gap list[max_tube_contacts];
  found.insert(found.end(), list, list + gaps(shape, pose, tube, margin, list));
}

/// Second time derivative of the distance of one of those contacts at constant twists of both, m/s^2. On the
/// surfaces in closed form, as (G3) with a direction that stays across the axis. On the rims, and if the tube
/// rotates about another axis than its own, by the second difference over +-dt, or 0 if the contact has
/// vanished there.
double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const Tube& tube, const Gap& contact,
                        const PairMotion& motion);

}  // namespace scree
