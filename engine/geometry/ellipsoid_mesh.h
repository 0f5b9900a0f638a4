// Ellipsoid against walls of triangles: on faces, edges and vertices, from both sides.
#pragma once

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/mesh_surface.h"

namespace scree {

/// Appends the contacts closer than `margin` (m), ordered by feature: 2^30 times 0 for a face, 1 for an edge,
/// 2 for a vertex, plus the number of its patch, edge or vertex. A face is hit from the side of the
/// ellipsoid's centre, if the deepest point of the ellipsoid is over the patch; where this is deeper than the
/// ellipsoid is curved, also the patch must reach into it, and no edge or vertex of the patch be less deep.
/// An edge or a vertex is hit if the normal of the contact points away from all triangles that meet there: so
/// inner edges of a flat wall have no effect, and bodies never hook on edges of a corner. In a thin body the
/// normal may be that of its other side, if the patches have no other contact. Faces are exact to rounding,
/// others to 1e-12 of the ellipsoid's size (test: EllipsoidMesh.*). Overlaps down to the smallest semi-axis.
void contacts(const Ellipsoid& shape, const Pose& pose, const PlacedMesh& mesh, double margin,
              std::vector<Gap>& found);

/// Does any triangle reach into the ellipsoid? Exact to rounding, at any depth, also where contacts() may no
/// longer find a contact.
bool reaches_into(const Ellipsoid& shape, const Pose& pose, const PlacedMesh& mesh);

/// Second time derivative of the distance of one of those contacts at constant twists of both,
/// m/s^2: the second difference over +-dt with the same face, edge or vertex.
double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const PlacedMesh& mesh, const Gap& contact,
                        const PairMotion& motion);

}  // namespace scree
