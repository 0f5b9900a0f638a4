// Ellipsoid against a finite open tube: from inside, from outside, on the rims.
#pragma once

#include <vector>

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/tube.h"

namespace scree {

/// Two on the surface (a grain that spans the bore touches with both ends) and four on each rim.
inline constexpr int max_tube_contacts = 10;

/// Writes the contacts closer than `margin` (m) to `out` (room for max_tube_contacts) and returns their
/// number, ordered by feature. Features: 0-7 surface, 16-23 rim at `start`, 32-39 rim at `end`; within each,
/// which end of the grain it is. Accuracy 1e-9 rad (test: EllipsoidTube.*). Seen along the axis the ellipsoid
/// is an ellipse, whose support function s(m) has its local maxima where it touches the bore: distance =
/// inner_radius - s(m).
int gaps(const Ellipsoid& shape, const Pose& pose, const Tube& tube, double margin, Gap* out);
inline void contacts(const Ellipsoid& shape, const Pose& pose, const Tube& tube, double margin,
                     std::vector<Gap>& found) {
  Gap list[max_tube_contacts];
  found.insert(found.end(), list, list + gaps(shape, pose, tube, margin, list));
}

/// Second time derivative of the distance of one of those contacts while both move on with their twists,
/// m/s^2: closed form on the surfaces, as (G3) with a direction that stays across the axis; on the rims, and
/// where the tube turns otherwise than about its own axis, the second difference over +-dt, 0 where the
/// contact is not there any more.
double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const Tube& tube, const Gap& contact,
                        const PairMotion& motion);

}  // namespace scree
