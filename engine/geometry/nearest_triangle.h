// The triangle of a mesh to which a point belongs.
#pragma once

#include "engine/geometry/mesh_surface.h"

namespace scree {

/// m, from a point to a triangle, exact to rounding (Ericson 2005, Real-Time Collision
/// Detection, 5.1.5).
double distance_to_triangle(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);

/// The triangle to which a surface point with this normal, of either sign, belongs: the one for which the
/// distance plus `slack` (m) times (1 - cosine between the normals) is least.
/// The first of equal ones; -1 for a mesh without triangles. Test: NearestTriangle.*.
std::int32_t nearest_triangle(const MeshSurface& mesh, const Vec3& point, const Vec3& normal, double slack);

}  // namespace scree
