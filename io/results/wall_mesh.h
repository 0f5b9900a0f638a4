// Boundaries as surface meshes for pictures.
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
  std::vector<std::int32_t> boundary;              // [polygon] whose it is
};

/// The part of space worth showing: bodies, walls that have an end, and the foot of the bodies' middle on
/// every plane, with a quarter of its largest extent added on every side.
ViewBox scene_region(const Bodies& bodies, const Shapes& shapes, const Boundaries& boundaries);

/// `region` grown so that it also holds the bodies as they lie now, but for the outermost thousandth on every
/// side and those that are sizes of the region away from the middle half: a few that fly away must not make
/// everything else small. Numbers that are not finite do not count.
ViewBox grown_region(const ViewBox& region, const Bodies& bodies);

/// Walls become their whole surface (a tube inside, outside and its rounded rims), a mesh its triangles; a
/// plane, which has no end, becomes the polygon that `region` and the other planes leave of it, so that the
/// planes of a box look like a box. What is removed is left out.
WallMesh wall_mesh(const Boundaries& boundaries, const ViewBox& region);

}  // namespace scree::io
