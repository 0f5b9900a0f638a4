// Surface of a material: directions and places in which it changes the friction of its pairs.
#pragma once

#include <vector>

#include "engine/bodies/cell.h"
#include "engine/core/types.h"

namespace scree {

/// A place with different friction: a ball of `radius_m` about `centre` in the body's axes (for a boundary:
/// the world's). Inside, coefficients are multiplied by `factor`; over a further `edge_m` the factor returns
/// to 1, linearly.
struct FrictionPatch {
  Vec3 centre = Vec3::Zero();  // m
  double radius_m = 0.0, edge_m = 0.0, factor = 1.0;
};

/// The surface of a material. Sliding, torsional and rolling coefficients are multiplied alike.
struct Surface {
  /// Factors on friction along the body's axes (for a boundary: the world's). In a tangent plane with
  /// orthonormal basis B the factors are the semi-axes of the ellipse with the tensor T = B^T diag(f^2)
  /// B.
  Vec3 direction_factors = Vec3::Ones();
  std::vector<FrictionPatch> patches;

  bool is_isotropic() const { return direction_factors == Vec3::Ones(); }
};

/// Factor of the patches at a place, m, body axes (for a boundary: world axes).
/// In a periodic cell the surface of a boundary has images of its patches.
double place_factor(const Surface& surface, const Vec3& place, const PlacedCell& cell = {});

/// A surface and the orientation of its axes in the world.
struct PlacedSurface {
  const Surface& surface;
  Quat orientation = Quat::Identity();
};

/// Factors along two perpendicular tangents, the larger one first.
struct DirectionFactors {
  Vec3 t1;  // unit, world
  double along_t1, along_t2;
};

/// The friction factors of two surfaces across the unit normal n. If one is isotropic, the other's ellipse is
/// taken; else the tensors' symmetric product (sqrt(A) B sqrt(A) + sqrt(B) A sqrt(B)) / 2, which does not
/// depend on their order.
DirectionFactors direction_factors(const PlacedSurface& a, const PlacedSurface& b, const Vec3& n);

}  // namespace scree
