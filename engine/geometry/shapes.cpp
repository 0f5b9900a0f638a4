#include "engine/geometry/shapes.h"

namespace scree {

const char* to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::ellipsoid:
      return "ellipsoid";
  }
  return "";
}

ShapeIndex Shapes::add(const Ellipsoid& ellipsoid) {
  kind_.push_back(ShapeKind::ellipsoid);
  slot_.push_back(ellipsoids_.size());
  ellipsoids_.push_back(ellipsoid);
  bounding_radius_.push_back(ellipsoid.semi_axes.maxCoeff());
  smallest_length_.push_back(ellipsoid.semi_axes.minCoeff());
  return ShapeIndex(static_cast<std::int64_t>(kind_.size()) - 1);
}

ShapeIndex Shapes::add(const ShapeDescription& description) {
  switch (description.kind) {
    case ShapeKind::ellipsoid:
      return add(Ellipsoid{Vec3(description.numbers.data())});
  }
  return {};
}

ShapeDescription description(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid: {
      const Vec3& a = shapes.ellipsoid(s).semi_axes;
      return {ShapeKind::ellipsoid, {a[0], a[1], a[2]}};
    }
  }
  return {};
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

Ellipsoid enclosing_ellipsoid(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return shapes.ellipsoid(s);
  }
  return {};
}

std::optional<Relation> exact_relation(const Shapes& shapes, ShapeIndex a, const Pose& of_a, ShapeIndex b,
                                       const Pose& of_b) {
  if (shapes.kind(a) != ShapeKind::ellipsoid || shapes.kind(b) != ShapeKind::ellipsoid) return std::nullopt;
  return classify(place(shapes.ellipsoid(a), of_a), place(shapes.ellipsoid(b), of_b));
}

Vec3 support(const Shapes& shapes, ShapeIndex s, const Vec3& direction) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid: {
      const Vec3& a = shapes.ellipsoid(s).semi_axes;
      const Vec3 stretched = a.cwiseProduct(direction);
      return a.cwiseProduct(stretched) / stretched.norm();
    }
  }
  return Vec3::Zero();
}

double ray_hit(const Shapes& shapes, ShapeIndex s, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return ray_hit(shapes.ellipsoid(s), origin, direction, nearest, farthest);
  }
  return infinity;
}

Vec3 outward(const Shapes& shapes, ShapeIndex s, const Vec3& point) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return point.cwiseQuotient(shapes.ellipsoid(s).semi_axes.cwiseAbs2());
  }
  return Vec3::Zero();
}

}  // namespace scree
