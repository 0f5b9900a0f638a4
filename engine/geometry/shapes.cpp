#include "engine/geometry/shapes.h"

#include <algorithm>
#include <cmath>

#include "engine/core/errors.h"
#include "engine/geometry/implicit/shape_checks.h"

namespace scree {

const char* to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::ellipsoid:
      return "ellipsoid";
    case ShapeKind::implicit:
      return "implicit";
    case ShapeKind::clump:
      return "clump";
  }
  return "";
}

namespace {

/// The least factor for which the ellipsoid with these semi-axes contains the surface.
double enclosing_factor(const ImplicitShape& shape, const Vec3& semi_axes) {
  double most = 0.0;
  for (const Box& box : shape.cover.boxes) {
    const Vec3 farthest = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs());
    most = std::max(most, farthest.cwiseQuotient(semi_axes).squaredNorm());
  }
  return std::sqrt(most);
}

Vec3 half_extent(const ImplicitShape& shape, const Mat3& rotation) {
  Vec3 half;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = rotation.row(k);
    half[k] = std::max(support_bound(shape, axis), support_bound(shape, -axis));
  }
  return half;
}

}  // namespace

Shapes::AsFunction Shapes::as_function(const Ellipsoid& ellipsoid) {
  // One form for all sizes of the same axis ratios, to a part in 10^12.
  constexpr double digits = 1e12;
  ShapeFindings findings;
  const auto refuse = [&] {
    Fault fault;
    fault.problem = findings.errors.empty() ? "is no body" : findings.errors.front();
    throw InputError({fault});
  };
  if (!is_thick_enough(ellipsoid.semi_axes, findings)) refuse();
  const double size = ellipsoid.semi_axes.maxCoeff();
  std::array<double, 3> proportions;
  for (int k = 0; k < 3; ++k) proportions[k] = std::round(digits * (ellipsoid.semi_axes[k] / size)) / digits;
  std::shared_ptr<const ImplicitShape>& form = ellipsoid_forms_[proportions];
  if (!form) {
    std::optional<ImplicitShape> made =
        make_implicit_shape(perturbed(Vec3(proportions.data())), {}, findings);
    if (!made) refuse();
    form = std::make_shared<ImplicitShape>(std::move(*made));
  }
  return {form, size};
}

std::int32_t Shapes::add_function(ShapeFunction function) {
  if (functions_.empty()) {
    for (std::size_t s = 0; s < size(); ++s)
      as_function_[s] = as_function(ellipsoid(ShapeIndex(static_cast<std::int64_t>(s))));
  }
  functions_.push_back(std::move(function));
  return static_cast<std::int32_t>(functions_.size()) - 1;
}

ShapeIndex Shapes::add(const SizedFunction& sized) {
  const std::shared_ptr<const ImplicitShape>& shape = functions_[sized.function].shape;
  kind_.push_back(ShapeKind::implicit);
  slot_.push_back(sized_.size());
  sized_.push_back(sized);
  bounding_radius_.push_back(sized.size * shape->bounding_radius);
  smallest_length_.push_back(sized.size * shape->smallest_length);
  as_function_.push_back({shape, sized.size});
  return ShapeIndex(static_cast<std::int64_t>(kind_.size()) - 1);
}

std::int32_t Shapes::add_clump(ShapeClump clump) {
  clumps_.push_back(std::move(clump));
  return static_cast<std::int32_t>(clumps_.size()) - 1;
}

ShapeIndex Shapes::add(const SizedClump& sized) {
  const Clump& clump = *clumps_[sized.clump].shape;
  kind_.push_back(ShapeKind::clump);
  slot_.push_back(sized_clumps_.size());
  sized_clumps_.push_back(sized);
  bounding_radius_.push_back(sized.size * clump.bounding_radius);
  smallest_length_.push_back(sized.size * clump.smallest_length);
  as_function_.emplace_back();
  return ShapeIndex(static_cast<std::int64_t>(kind_.size()) - 1);
}

ClumpMember Shapes::member(ShapeIndex s, std::size_t number) const {
  if (kind(s) == ShapeKind::ellipsoid) return {ellipsoid(s), {}};
  ClumpMember member = clump_of(s).members[number];
  const double size = sized_clump(s).size;
  member.ellipsoid.semi_axes *= size;
  member.pose.position *= size;
  return member;
}

ShapeIndex Shapes::add(const Ellipsoid& ellipsoid) {
  AsFunction function = functions_.empty() ? AsFunction{} : as_function(ellipsoid);
  kind_.push_back(ShapeKind::ellipsoid);
  slot_.push_back(ellipsoids_.size());
  ellipsoids_.push_back(ellipsoid);
  bounding_radius_.push_back(ellipsoid.semi_axes.maxCoeff());
  smallest_length_.push_back(ellipsoid.semi_axes.minCoeff());
  as_function_.push_back(std::move(function));
  return ShapeIndex(static_cast<std::int64_t>(kind_.size()) - 1);
}

ShapeIndex Shapes::add(const ShapeDescription& description) {
  switch (description.kind) {
    case ShapeKind::ellipsoid:
      return add(Ellipsoid{Vec3(description.numbers.data())});
    case ShapeKind::implicit:
      return add(SizedFunction{static_cast<std::int32_t>(description.numbers[3]), description.numbers[4]});
    case ShapeKind::clump:
      return add(SizedClump{static_cast<std::int32_t>(description.numbers[3]), description.numbers[4]});
  }
  return {};
}

ShapeDescription description(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid: {
      const Vec3& a = shapes.ellipsoid(s).semi_axes;
      return {ShapeKind::ellipsoid, {a[0], a[1], a[2], 0.0, 0.0}};
    }
    case ShapeKind::implicit: {
      const SizedFunction& sized = shapes.sized(s);
      return {ShapeKind::implicit, {0.0, 0.0, 0.0, static_cast<double>(sized.function), sized.size}};
    }
    case ShapeKind::clump: {
      const SizedClump& sized = shapes.sized_clump(s);
      return {ShapeKind::clump, {0.0, 0.0, 0.0, static_cast<double>(sized.clump), sized.size}};
    }
  }
  return {};
}

double volume(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return volume(shapes.ellipsoid(s));
    case ShapeKind::implicit: {
      const double size = shapes.size_of(s);
      return size * size * size * shapes.function_of(s).volume;
    }
    case ShapeKind::clump: {
      const double size = shapes.sized_clump(s).size;
      return size * size * size * shapes.clump_of(s).volume;
    }
  }
  return 0.0;
}

Vec3 inertia_per_mass(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return inertia_per_mass(shapes.ellipsoid(s));
    case ShapeKind::implicit: {
      const double size = shapes.size_of(s);
      return size * size * shapes.function_of(s).inertia_per_mass;
    }
    case ShapeKind::clump: {
      const double size = shapes.sized_clump(s).size;
      return size * size * shapes.clump_of(s).inertia_per_mass;
    }
  }
  return Vec3::Zero();
}

Vec3 half_extent(const Shapes& shapes, ShapeIndex s, const Quat& orientation) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      // Row norms of R diag(a): the support function along the world axes.
      return (orientation.toRotationMatrix() * shapes.ellipsoid(s).semi_axes.asDiagonal()).rowwise().norm();
    case ShapeKind::implicit:
      return shapes.size_of(s) * half_extent(shapes.function_of(s), orientation.toRotationMatrix());
    case ShapeKind::clump:
      return shapes.sized_clump(s).size * half_extent(shapes.clump_of(s), orientation.toRotationMatrix());
  }
  return Vec3::Zero();
}

Ellipsoid enclosing_ellipsoid(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return shapes.ellipsoid(s);
    case ShapeKind::implicit: {
      const ImplicitShape& shape = shapes.function_of(s);
      const Vec3 half = shape.box.low.cwiseAbs().cwiseMax(shape.box.high.cwiseAbs());
      return {shapes.size_of(s) * enclosing_factor(shape, half) * half};
    }
    case ShapeKind::clump:
      return {shapes.sized_clump(s).size * enclosing_ellipsoid(shapes.clump_of(s)).semi_axes};
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
    case ShapeKind::implicit:
      return shapes.size_of(s) * support(shapes.function_of(s), direction);
    case ShapeKind::clump:
      return shapes.sized_clump(s).size * support(shapes.clump_of(s), direction);
  }
  return Vec3::Zero();
}

double ray_hit(const Shapes& shapes, ShapeIndex s, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return ray_hit(shapes.ellipsoid(s), origin, direction, nearest, farthest);
    case ShapeKind::implicit: {
      const double size = shapes.size_of(s);
      return ray_hit(shapes.function_of(s), origin / size, direction / size, nearest, farthest);
    }
    case ShapeKind::clump: {
      const double size = shapes.sized_clump(s).size;
      return ray_hit(shapes.clump_of(s), origin / size, direction / size, nearest, farthest);
    }
  }
  return infinity;
}

Vec3 outward(const Shapes& shapes, ShapeIndex s, const Vec3& point) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return point.cwiseQuotient(shapes.ellipsoid(s).semi_axes.cwiseAbs2());
    case ShapeKind::implicit:
      return outward(shapes.function_of(s), point / shapes.size_of(s));
    case ShapeKind::clump:
      return outward(shapes.clump_of(s), point / shapes.sized_clump(s).size);
  }
  return Vec3::Zero();
}

namespace {

/// Curvature of the level set F = const: -t.(Hess F) t over the length of the gradient.
Vec3 curvature_of_level(const Vec3& gradient, const Mat3& second, const Vec3& t1, const Vec3& t2) {
  return -Vec3(t1.dot(second * t1), t1.dot(second * t2), t2.dot(second * t2)) / gradient.norm();
}

Vec3 curvature(const Ellipsoid& e, const Vec3& point, const Vec3& t1, const Vec3& t2) {
  const Vec3 over = e.semi_axes.cwiseAbs2().cwiseInverse();
  return curvature_of_level(-2.0 * over.cwiseProduct(point), Mat3((-2.0 * over).asDiagonal()), t1, t2);
}

Vec3 curvature(const ImplicitShape& shape, const Vec3& point, const Vec3& t1, const Vec3& t2) {
  const FunctionValue f = evaluate(shape.function, point);
  Mat3 second;
  second << f.xx, f.xy, f.xz, f.xy, f.yy, f.yz, f.xz, f.yz, f.zz;
  return curvature_of_level(f.gradient, second, t1, t2);
}

}  // namespace

Vec3 curvature(const Shapes& shapes, ShapeIndex s, const Vec3& point, const Vec3& t1, const Vec3& t2) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return curvature(shapes.ellipsoid(s), point, t1, t2);
    case ShapeKind::implicit:
      return curvature(shapes.function_of(s), point / shapes.size_of(s), t1, t2) / shapes.size_of(s);
    case ShapeKind::clump: {
      const ClumpMember member =
          shapes.member(s, nearest_member(shapes.clump_of(s), point / shapes.sized_clump(s).size));
      const Quat back = member.pose.orientation.conjugate();
      return curvature(member.ellipsoid, back * (point - member.pose.position), back * t1, back * t2);
    }
  }
  return Vec3::Zero();
}

}  // namespace scree
