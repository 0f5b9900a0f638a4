// Triangles of a clump's surface, for pictures and files.
#pragma once

#include "engine/geometry/clump.h"
#include "engine/geometry/implicit/surface_mesh.h"

namespace scree {

/// Points in the body frame, on the surfaces of parts to rounding: of each part an icosahedron whose
/// triangles are divided in `fineness`^2, cut off along the creases between parts, without what lies within
/// other parts. Parts share no points, so the mesh is open along creases, and corners where three parts meet
/// may lie within one of them: both by about the height of a part's surface over its triangles.
SurfaceMesh surface_mesh(const Clump& clump, int fineness);

}  // namespace scree
