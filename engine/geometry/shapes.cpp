#include "engine/geometry/shapes.h"

namespace scree {

ShapeIndex Shapes::add(const Ellipsoid& ellipsoid) {
  kind_.push_back(ShapeKind::ellipsoid);
  slot_.push_back(ellipsoids_.size());
  ellipsoids_.push_back(ellipsoid);
  bounding_radius_.push_back(ellipsoid.semi_axes.maxCoeff());
  smallest_length_.push_back(ellipsoid.semi_axes.minCoeff());
  return ShapeIndex(static_cast<std::int64_t>(kind_.size()) - 1);
}

double volume(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return volume(shapes.ellipsoid(s));
  }
  return 0.0;
}

Vec3 inertia_per_mass(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return inertia_per_mass(shapes.ellipsoid(s));
  }
  return Vec3::Zero();
}

Vec3 half_extent(const Shapes& shapes, ShapeIndex s, const Quat& orientation) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      // Row norms of R diag(a): the support function along the world axes.
      return (orientation.toRotationMatrix() * shapes.ellipsoid(s).semi_axes.asDiagonal()).rowwise().norm();
  }
  return Vec3::Zero();
}

}  // namespace scree
