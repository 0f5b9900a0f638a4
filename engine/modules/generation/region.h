// Regions in which grains are created.
#pragma once

#include <memory>
#include <variant>

#include "engine/bodies/cell.h"
#include "engine/core/random.h"
#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/mesh_surface.h"

namespace scree {

struct BoxRegion {
  Vec3 low = Vec3::Zero(), high = Vec3::Ones();  // m, low < high in each component
};

struct CylinderRegion {
  Vec3 start = Vec3::Zero(), end = Vec3::UnitZ();  // m, ends of the axis
  double radius = 1.0;                             // m
};

/// The inside of a closed mesh, with triangles of either orientation.
struct MeshRegion {
  std::shared_ptr<const MeshSurface> mesh;  // m, in the world
};

using Region = std::variant<BoxRegion, CylinderRegion, MeshRegion>;

/// The frame in which a region is filled: two axes across and the third along, with its origin.
struct RegionFrame {
  Vec3 origin;  // m: the low corner of the box or of the mesh's bounding box, or the cylinder's start minus
                // its radius along both axes across
  Mat3 axes;    // columns: unit axes
  Vec3 extent;  // m, along the axes
};
RegionFrame frame(const Region& region);

/// Middle and half extents of the axis-aligned box that contains a region, m.
std::pair<Vec3, Vec3> bounding_box(const Region& region);

double volume(const Region& region);  // m^3

/// A random point, uniform over the region.
Vec3 sample_point(const Region& region, Random& random);

/// True if the whole ellipsoid is inside; exact to 1e-9 of the region's size (test:
/// Region.HoldsAgreesWithSurfacePoints).
bool holds(const Region& region, const PlacedEllipsoid& ellipsoid);

bool holds(const Region& region, const Vec3& point);

/// Does the region contain a point or, in a periodic cell, any image of it?
bool holds_image(const Region& region, const PlacedCell& cell, const Vec3& point);

}  // namespace scree
