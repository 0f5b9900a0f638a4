// How densely bodies lie, layer by layer.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/core/types.h"

namespace scree {

/// Layers of equal thickness at right angles to `axis`, from `bottom` (measured along it from the origin) on.
struct Layers {
  Vec3 axis = Vec3::UnitZ();  // unit
  double bottom = 0.0;        // m
  double thickness = 1.0;     // m
  std::size_t count = 0;
};

/// The part of an ellipsoid's volume that lies lower than the height `above` its centre, of the support h
/// along the axis: (2 + 3 s - s^3) / 4 with s = above / h, that of a spherical segment, which the affine map
/// from the sphere keeps; 0 and 1 beyond it.
double part_below(double above, double h);

/// [layer] m^3: the volume of bodies in each layer; exact of ellipsoids. Bodies whose position is not finite
/// are left out.
std::vector<double> solid_volume(const Shapes& shapes, const Bodies& bodies, const Layers& layers);

}  // namespace scree
