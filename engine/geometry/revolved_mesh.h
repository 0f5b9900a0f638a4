// Surfaces of revolution as lines and triangles.
#pragma once

#include "engine/geometry/revolved_surface.h"
#include "engine/geometry/triangle_mesh.h"

namespace scree {

/// A point of a wall's cross-section: height along the axis and radius, m, with its normal in the same plane.
struct ProfilePoint {
  double height, radius, normal_height, normal_radius;
};

/// The lines whose rotation about the axis makes the wall: both sides of segments (one side of a sheet) and
/// the rounded corners, in steps of at most `round_step`, rad.
std::vector<std::vector<ProfilePoint>> profile(const RevolvedSurface& surface, double round_step);

/// Triangles on the surface, at rest, with corners on it. No point of them is farther from it than `sagitta`,
/// m, but there are at most 720 around the axis.
TriangleMesh mesh_of(const RevolvedSurface& surface, double sagitta);

}  // namespace scree
