// Which triangle of a mesh a point belongs to.
#pragma once

#include "engine/geometry/mesh_surface.h"

namespace scree {

/// m, from a point to a triangle, exact but for rounding (Ericson 2005, Real-Time Collision
/// Detection, 5.1.5).
double distance_to_triangle(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);

/// The triangle that a point on the surface belongs to where the surface has this normal, of either sign: the
/// one with the smallest distance, and `slack` (m) times how far the cosine of the normals is from 1 on top.
/// Of equals the first; -1 of a mesh without triangles. Test: NearestTriangle.*.
std::int32_t nearest_triangle(const MeshSurface& mesh, const Vec3& point, const Vec3& normal, double slack);

}  // namespace scree
