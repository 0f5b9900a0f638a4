// Packing density, layer by layer.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/core/types.h"

namespace scree {

/// How far a body reaches from its centre of mass along a unit direction and against it, m. In the body
/// frame.
struct Extent {
  double ahead, behind;

  /// A distance from the centre along the direction, over the extent on that side: in [-1, 1] in the body.
  double part(double distance) const { return distance / (distance > 0.0 ? ahead : behind); }
};
inline Extent extent(const Shapes& shapes, ShapeIndex s, const Vec3& direction) {
  return {support(shapes, s, direction).dot(direction), -support(shapes, s, -direction).dot(direction)};
}

/// Layers of equal thickness normal to `axis`, starting at `bottom` (measured along it from the origin).
struct Layers {
  Vec3 axis = Vec3::UnitZ();  // unit
  double bottom = 0.0;        // m
  double thickness = 1.0;     // m
  std::size_t count = 0;
};

/// The share of an ellipsoid's volume below the height `above` relative to its centre, with the support h
/// along the axis: (2 + 3 s - s^3) / 4 with s = above / h, as for a spherical segment, because affine maps
/// of the sphere keep it; 0 and 1 outside.
double part_below(double above, double h);

/// [layer] m^3: volume of bodies in each layer; exact for ellipsoids. Bodies whose position is not finite
/// are left out.
std::vector<double> solid_volume(const Shapes& shapes, const Bodies& bodies, const Layers& layers);

}  // namespace scree
