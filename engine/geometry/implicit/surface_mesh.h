// A closed triangle mesh of a functionally defined body, for images and files.
#pragma once

#include "engine/geometry/implicit/implicit_shape.h"
#include "engine/geometry/triangle_mesh.h"

namespace scree {

/// Points in the body frame, on the surface to rounding.
struct SurfaceMesh : TriangleMesh {
  std::vector<Vec3> normals;  // [point] unit, outward, exact
};

/// The unit sphere: an icosahedron whose triangles are divided in `fineness`^2.
SurfaceMesh unit_sphere_mesh(int fineness);

/// If each ray from the centre leaves the body once: an icosahedron whose triangles are divided in
/// `fineness`^2, along the rays (20 fineness^2 triangles). Else marching tetrahedra on a grid of similar
/// cell size, with exact crossings on its edges. Both are closed: each edge has two triangles
/// (test: ImplicitShape.MeshIsClosed).
SurfaceMesh surface_mesh(const ImplicitShape& shape, int fineness);

}  // namespace scree
