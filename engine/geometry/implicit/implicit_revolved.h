// Functionally defined bodies against surfaces of revolution, from both sides.
#pragma once

#include "engine/geometry/implicit/implicit_contacts.h"
#include "engine/geometry/revolved_surface.h"

namespace scree {

/// Appends the contacts closer than `margin` (m) to `found`, normals from the wall to the body; overlaps down
/// to the body's smallest length. The distance from a cone, a disc, a rounded corner or a hollow sphere is
/// exact, and contacts are its local minima over the body's surface (wall_search.h). At a sharp corner the
/// signed distance from the body has a local minimum along the circle. A segment is hit from the side of the
/// body's centre. The feature contains the segment or corner, and the place on the body. `memory` as in
/// contacts() of two bodies, {} for a new pair. Points to 1e-12 of the size if Newton converges. Tests:
/// ImplicitRevolved.*
void contacts(const PlacedImplicit& body, const PlacedRevolved& wall, double margin, PairMemory& memory,
              std::vector<Gap>& found);

/// Second time derivative of the gap at constant twists of both, m/s^2: the second difference with
/// the same segment or corner.
double gap_acceleration(const PlacedImplicit& body, const PlacedRevolved& wall, const Gap& contact,
                        const Twist& twist, const WallMotion& motion = {});

}  // namespace scree
