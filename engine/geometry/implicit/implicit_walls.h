// Functionally defined bodies against half-spaces and tubes.
//
// With d(x) the signed distance from the wall (positive outside of it), contacts are the local minima of d
// over the body's surface: n = -grad d and A + Hess d > 0 in the tangent plane. This is (F3) with the wall's
// own curvature.
#pragma once

#include "engine/geometry/implicit/implicit_contacts.h"
#include "engine/geometry/plane.h"
#include "engine/geometry/tube.h"

namespace scree {

/// Appends the contacts closer than `margin` (m) to `found`, normals from the wall to the body; overlaps down
/// to the body's smallest length. `starts` holds the last step's contacts and then these ({} for a new pair),
/// so that features persist. Ends of flat patches are added as in contacts(). A tube is hit from inside if
/// the body's centre is inside, else from outside, and on its rims. Tests: ImplicitWalls.*
void contacts(const PlacedImplicit& body, const Plane& plane, double margin, PairMemory& memory,
              std::vector<Gap>& found);
void contacts(const PlacedImplicit& body, const Tube& tube, double margin, PairMemory& memory,
              std::vector<Gap>& found);

/// Second time derivative of the gap at constant twists of both, m/s^2: (F4) with the wall's curvature.
double gap_acceleration(const PlacedImplicit& body, const Plane& plane, const Gap& contact,
                        const Twist& twist, const WallMotion& wall = {});
double gap_acceleration(const PlacedImplicit& body, const Tube& tube, const Gap& contact, const Twist& twist,
                        const WallMotion& wall = {});

}  // namespace scree
