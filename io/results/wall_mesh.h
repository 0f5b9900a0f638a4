// Boundaries as surface meshes for images.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/bodies/boundaries.h"

namespace scree::io {

/// An axis-aligned box, m.
struct ViewBox {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
};

/// Convex polygons with outward or free-side normals.
struct WallMesh {
  std::vector<Vec3> point;                         // [point], m
  std::vector<Vec3> normal;                        // [point], unit, towards the free side
  std::vector<std::vector<std::int32_t>> polygon;  // [polygon] points in order
  std::vector<std::int32_t> boundary;              // [polygon] its boundary
};

/// The visible region: bodies, bounded walls, and the projection of the bodies' middle on
/// each plane, plus a quarter of its largest extent on each side.
ViewBox scene_region(const Bodies& bodies, const Shapes& shapes, const Boundaries& boundaries);

/// `region`, enlarged to contain the bodies in their present places, except for the outermost thousandth on
/// each side and those several region sizes away from the middle half: a few bodies that fly away must not
/// make everything else small. Numbers that are not finite do not count.
ViewBox grown_region(const ViewBox& region, const Bodies& bodies);

/// Bounded walls become their whole surface (a tube inside, outside and its rounded rims), a mesh its
/// triangles. An unbounded plane becomes the polygon within `region` and the other planes, so that the
/// planes of a box look like a box. Removed boundaries are left out.
WallMesh wall_mesh(const Boundaries& boundaries, const ViewBox& region);

}  // namespace scree::io
