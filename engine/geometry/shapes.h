// The table of body shapes. Nothing outside geometry and detection looks inside a shape: others ask for its
// mass properties, its bounds and its characteristic lengths here.
#pragma once

#include <span>

#include "engine/core/types.h"
#include "engine/geometry/ellipsoid.h"

namespace scree {

enum class ShapeKind : std::uint8_t { ellipsoid };

/// Struct of arrays [shape]; a shape may serve any number of bodies.
class Shapes {
 public:
  ShapeIndex add(const Ellipsoid& ellipsoid);

  std::size_t size() const { return kind_.size(); }
  ShapeKind kind(ShapeIndex s) const { return kind_[s]; }
  const Ellipsoid& ellipsoid(ShapeIndex s) const { return ellipsoids_[slot_[s]]; }  // kind must be ellipsoid
  /// Radius of the smallest sphere about the centre of mass that holds the shape, m.
  double bounding_radius(ShapeIndex s) const { return bounding_radius_[s]; }
  /// The length that overlaps are compared with, m: the smallest semi-axis of an ellipsoid.
  double smallest_length(ShapeIndex s) const { return smallest_length_[s]; }

 private:
  std::vector<ShapeKind> kind_;
  std::vector<std::size_t> slot_;  // in the array of its kind
  std::vector<Ellipsoid> ellipsoids_;
  std::vector<double> bounding_radius_, smallest_length_;
};

/// m^3
double volume(const Shapes& shapes, ShapeIndex s);
/// Principal moments of inertia of a unit mass about the centre of mass, in the body frame, m^2.
Vec3 inertia_per_mass(const Shapes& shapes, ShapeIndex s);
/// Half extents of the axis-aligned box about the centre that holds the oriented shape, m; exact for
/// ellipsoids.
Vec3 half_extent(const Shapes& shapes, ShapeIndex s, const Quat& orientation);

}  // namespace scree
