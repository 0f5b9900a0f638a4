// Functionally defined bodies against walls of triangles: on faces, edges and vertices, from both sides.
#pragma once

#include "engine/geometry/implicit/implicit_contacts.h"
#include "engine/geometry/mesh_surface.h"

namespace scree {

/// Patches, edges and vertices that a mesh may have each, for these contacts.
inline constexpr std::size_t most_mesh_parts = std::size_t{1} << 20;

/// Appends the contacts closer than `margin` (m) to `found`, normals from the mesh to the body; overlaps down
/// to the body's smallest length. A face is hit from the side on which the body's centre is, at every place
/// where the body is nearest to its plane, if that is over the face, and at the ends of flat parts. At an
/// edge the signed distance from the body has a local minimum along it; at a vertex it is the distance from
/// the body; both count where the normal points away from all triangles that meet there. Features: which face
/// (its patch), edge or vertex, and which place on the body. `memory` as in contacts() of two bodies, {} for
/// a new pair. Points to 1e-12 of the size where Newton converges; minima along edges are told from samples
/// of the distance a twelfth of the size apart. Tests: ImplicitMesh.*
void contacts(const PlacedImplicit& body, const PlacedMesh& mesh, double margin, PairMemory& memory,
              std::vector<Gap>& found);

/// Second time derivative of the gap while both move on with their twists, m/s^2: the second difference with
/// the same face, edge or vertex.
double gap_acceleration(const PlacedImplicit& body, const PlacedMesh& mesh, const Gap& contact,
                        const Twist& twist, const WallMotion& wall = {});

}  // namespace scree
