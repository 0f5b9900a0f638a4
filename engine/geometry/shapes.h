// The table of body shapes. Only geometry and detection look inside a shape. Other code gets its mass
// properties, bounds, support, ray hits and descriptive numbers here.
#pragma once

#include <array>
#include <cassert>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/core/types.h"
#include "engine/geometry/clump.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

enum class ShapeKind : std::uint8_t { ellipsoid, implicit, clump };
inline constexpr std::array shape_kinds{ShapeKind::ellipsoid, ShapeKind::implicit, ShapeKind::clump};
const char* to_string(ShapeKind kind);

/// Numbers that describe shapes of some kind: `width` of them from `first` on in a ShapeDescription.
struct ShapeColumn {
  const char *name, *unit, *meaning;
  std::size_t first, width;
};
inline constexpr std::array shape_columns{
    ShapeColumn{"semi_axes", "m", "of the ellipsoid, along its own x, y, z", 0, 3},
    ShapeColumn{"function", "1", "row of /functions, of a clump of /clumps", 3, 1},
    ShapeColumn{"size", "m", "what one unit of length of the function or clump is", 4, 1}};

/// A shape as files store it. Numbers that a kind does not use are 0.
struct ShapeDescription {
  ShapeKind kind = ShapeKind::ellipsoid;
  std::array<double, 5> numbers{};  // those of shape_columns, one column after another
  auto operator<=>(const ShapeDescription&) const = default;
};

/// A function for bodies of any size, as given and ready for use, in its own
/// units.
struct ShapeFunction {
  std::string name;
  PerturbedQuadric given;
  std::shared_ptr<const ImplicitShape> shape;
};

/// A clump of ellipsoids for bodies of any size, as given and ready for use, in its own units.
struct ShapeClump {
  std::string name;
  std::vector<ClumpMember> given;
  std::shared_ptr<const Clump> shape;
};

/// A body that is a function.
struct SizedFunction {
  std::int32_t function = 0;  // its number
  double size = 1.0;          // m, one unit of length of the function
};

/// A body that is a clump.
struct SizedClump {
  std::int32_t clump = 0;  // its number
  double size = 1.0;       // m, one unit of length of the clump
};

/// Struct of arrays [shape]; any number of bodies may have the same shape.
class Shapes {
 public:
  /// Returns the number of the function. Functions must be added before shapes that use them.
  std::int32_t add_function(ShapeFunction function);
  /// Returns the number of the clump. Clumps and functions have no contacts: a scene has either of them.
  std::int32_t add_clump(ShapeClump clump);
  ShapeIndex add(const Ellipsoid& ellipsoid);
  ShapeIndex add(const SizedFunction& sized);
  ShapeIndex add(const SizedClump& sized);
  ShapeIndex add(const ShapeDescription& description);

  const std::vector<ShapeFunction>& functions() const { return functions_; }
  const std::vector<ShapeClump>& clumps() const { return clumps_; }
  /// Are there no other shapes than ellipsoids?
  bool only_ellipsoids() const { return functions_.empty() && clumps_.empty(); }

  std::size_t size() const { return kind_.size(); }
  ShapeKind kind(ShapeIndex s) const { return kind_[s]; }
  const Ellipsoid& ellipsoid(ShapeIndex s) const {
    assert(kind(s) == ShapeKind::ellipsoid);
    return ellipsoids_[slot_[s]];
  }
  const SizedFunction& sized(ShapeIndex s) const {
    assert(kind(s) == ShapeKind::implicit);
    return sized_[slot_[s]];
  }
  const SizedClump& sized_clump(ShapeIndex s) const {
    assert(kind(s) == ShapeKind::clump);
    return sized_clumps_[slot_[s]];
  }
  const Clump& clump_of(ShapeIndex s) const { return *clumps_[sized_clump(s).clump].shape; }
  /// If there may be clumps: the number of members of a body, 1 for an ellipsoid.
  std::size_t member_count(ShapeIndex s) const {
    return kind(s) == ShapeKind::clump ? clump_of(s).members.size() : 1;
  }
  ClumpMember member(ShapeIndex s, std::size_t number) const;  // in the body frame, m
  /// A shape as a function, with its size; ellipsoids too, if there are functions with which they may
  /// collide.
  const ImplicitShape& function_of(ShapeIndex s) const { return *as_function_[s].shape; }
  double size_of(ShapeIndex s) const { return as_function_[s].size; }
  /// Radius of the smallest sphere about the centre of mass that contains the shape, m.
  double bounding_radius(ShapeIndex s) const { return bounding_radius_[s]; }
  /// The reference length for overlaps, m: the smallest semi-axis of an ellipsoid.
  double smallest_length(ShapeIndex s) const { return smallest_length_[s]; }

 private:
  std::vector<ShapeKind> kind_;
  std::vector<std::size_t> slot_;  // in the array of its kind
  struct AsFunction {
    std::shared_ptr<const ImplicitShape> shape;  // null for an ellipsoid if there are no functions
    double size = 1.0;                           // m
  };
  AsFunction as_function(const Ellipsoid& ellipsoid);

  std::vector<Ellipsoid> ellipsoids_;
  std::vector<SizedFunction> sized_;
  std::vector<SizedClump> sized_clumps_;
  std::vector<double> bounding_radius_, smallest_length_;
  std::vector<AsFunction> as_function_;
  std::vector<ShapeFunction> functions_;
  std::vector<ShapeClump> clumps_;
  std::map<std::array<double, 3>, std::shared_ptr<const ImplicitShape>> ellipsoid_forms_;  // by ratio of axes
};

ShapeDescription description(const Shapes& shapes, ShapeIndex s);
/// m^3
double volume(const Shapes& shapes, ShapeIndex s);
/// Principal moments of inertia of a unit mass about the centre of mass, in the body frame, m^2.
Vec3 inertia_per_mass(const Shapes& shapes, ShapeIndex s);
/// Half extents of the axis-aligned box about the centre that contains the oriented shape, m; exact for
/// ellipsoids, at most 3 % of the bounding radius too large for others.
Vec3 half_extent(const Shapes& shapes, ShapeIndex s, const Quat& orientation);
/// The ellipsoid about the centre, along the body's axes, that contains the shape; an ellipsoid itself.
Ellipsoid enclosing_ellipsoid(const Shapes& shapes, ShapeIndex s);

/// The exact relation of two bodies, without iteration; none if there is no such test for their kinds.
std::optional<Relation> exact_relation(const Shapes& shapes, ShapeIndex a, const Pose& of_a, ShapeIndex b,
                                       const Pose& of_b);

/// Curvature of the surface near a point of it, in two unit tangents (body frame): t1.K t1, t1.K t2, t2.K t2
/// of its shape operator, 1/m, positive where it bulges. Exact on the surface; else the relative error is of
/// the order of the point's distance from it over its radii.
Vec3 curvature(const Shapes& shapes, ShapeIndex s, const Vec3& point, const Vec3& t1, const Vec3& t2);

// Directions and points in the body frame, m.

/// The surface point that is farthest along a direction, which must not be zero.
Vec3 support(const Shapes& shapes, ShapeIndex s, const Vec3& direction);
/// The least t in (nearest, farthest) at which origin + t direction lies on the surface; infinite if there is
/// none.
double ray_hit(const Shapes& shapes, ShapeIndex s, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest);
/// Direction of the outward normal at a surface point, of any length.
Vec3 outward(const Shapes& shapes, ShapeIndex s, const Vec3& point);

}  // namespace scree
