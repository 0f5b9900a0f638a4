// Triangles of a clump's surface, for images and files.
#pragma once

#include "engine/geometry/clump.h"
#include "engine/geometry/implicit/surface_mesh.h"

namespace scree {

/// Points in the body frame, on the surfaces of the members to rounding. Each member is an icosahedron whose
/// triangles are divided in `fineness`^2, cut off along the creases between members, without the parts within
/// other members. Members share no points, so the mesh is open along creases, and corners where three members
/// meet may lie within one of them: both by about the height of a member's surface over its triangles.
SurfaceMesh surface_mesh(const Clump& clump, int fineness);

}  // namespace scree
