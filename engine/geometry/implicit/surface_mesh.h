// A closed triangle mesh of a functionally defined body, for pictures and files.
#pragma once

#include <array>

#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

struct SurfaceMesh {
  std::vector<Vec3> points;                            // m, body frame, on the surface to rounding
  std::vector<Vec3> normals;                           // [point] unit, outward, exact
  std::vector<std::array<std::int32_t, 3>> triangles;  // counter-clockwise seen from outside
};

/// Where every ray from the centre leaves the body once: an icosahedron whose triangles are divided in
/// `fineness`^2, along the rays (20 fineness^2 triangles). Else marching tetrahedra on a grid of about as
/// fine cells, with crossings found exactly on its edges. Both are closed: every edge has two triangles
/// (test: ImplicitShape.MeshIsClosed).
SurfaceMesh surface_mesh(const ImplicitShape& shape, int fineness);

}  // namespace scree
