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

/// [layer] m^3: the volume of bodies in each layer. Exact: the part of an ellipsoid of support h along the
/// axis that lies below the height s h above its centre is (2 + 3 s - s^3) / 4 of its volume (a spherical
/// segment, which the affine map from the sphere keeps). Bodies whose position is not finite are left out.
std::vector<double> solid_volume(const Shapes& shapes, const Bodies& bodies, const Layers& layers);

}  // namespace scree
