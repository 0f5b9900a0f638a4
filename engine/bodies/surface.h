// What a material's surface adds to the friction of its pairs: directions and places.
#pragma once

#include <vector>

#include "engine/core/types.h"

namespace scree {

/// A place where friction differs: a ball of `radius_m` about `centre` in the body's axes (a boundary's: the
/// world's). Inside the coefficients are multiplied by `factor`; over `edge_m` more they go back to one,
/// linearly.
struct FrictionPatch {
  Vec3 centre = Vec3::Zero();  // m
  double radius_m = 0.0, edge_m = 0.0, factor = 1.0;
};

/// The surface of a material. Sliding, torsional and rolling coefficients are multiplied alike.
struct Surface {
  /// Factors on friction in the directions of the body's axes (a boundary's: the world's). In a tangent plane
  /// with orthonormal basis B the factors are the semi-axes of the ellipse with the tensor T = B^T diag(f^2)
  /// B.
  Vec3 direction_factors = Vec3::Ones();
  std::vector<FrictionPatch> patches;

  bool is_isotropic() const { return direction_factors == Vec3::Ones(); }
};

/// Factor of the patches at a place, m, body axes (a boundary's: world axes).
double place_factor(const Surface& surface, const Vec3& place);

/// A surface and how its axes lie in the world.
struct PlacedSurface {
  const Surface& surface;
  Quat orientation = Quat::Identity();
};

/// Factors along two perpendicular tangents, larger first.
struct DirectionFactors {
  Vec3 t1;  // unit, world
  double along_t1, along_t2;
};

/// What two surfaces make of friction across the unit normal n. One isotropic partner leaves the other's
/// ellipse as it is; of two the tensors' symmetric product (sqrt(A) B sqrt(A) + sqrt(B) A sqrt(B)) / 2 is
/// taken, which does not depend on their order.
DirectionFactors direction_factors(const PlacedSurface& a, const PlacedSurface& b, const Vec3& n);

}  // namespace scree
