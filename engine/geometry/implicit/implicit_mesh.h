// Functionally defined bodies against walls of triangles: contacts on faces, edges and vertices, from both
// sides.
#pragma once

#include "engine/geometry/implicit/implicit_contacts.h"
#include "engine/geometry/mesh_surface.h"

namespace scree {

/// Largest number of patches, of edges and of vertices of a mesh for these contacts.
inline constexpr std::size_t most_mesh_parts = std::size_t{1} << 20;

/// Appends the contacts closer than `margin` (m) to `found`, normals from the mesh to the body; overlaps down
/// to the body's smallest length. A face is hit from the side of the body's centre, at each place where the
/// body is nearest to its plane, if that is over the face, and at the ends of flat parts. At an edge the
/// signed distance from the body has a local minimum along the edge; at a vertex it is the distance from
/// the body. Both count if the normal points away from all triangles that meet there. The feature contains
/// the face (its patch), edge or vertex, and the place on the body. `memory` as in contacts() of two bodies,
/// {} for a new pair. Points to 1e-12 of the size if Newton converges; minima along edges are found from
/// samples of the distance, a twelfth of the size apart. Tests: ImplicitMesh.*
void contacts(const PlacedImplicit& body, const PlacedMesh& mesh, double margin, PairMemory& memory,
              std::vector<Gap>& found);

/// Second time derivative of the gap at constant twists of both, m/s^2: the second difference with
/// the same face, edge or vertex.
double gap_acceleration(const PlacedImplicit& body, const PlacedMesh& mesh, const Gap& contact,
                        const Twist& twist, const WallMotion& wall = {});

}  // namespace scree
