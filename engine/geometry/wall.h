// The interface of all kinds of walls. A kind is a type with functions of these names (docs/new_wall.md):
//
// clang-format off
//   Surface moved(const Surface&, const Pose& motion)             the wall after a motion of all space
//   std::optional<WallExtent> extent_of(const Surface&)           its bounding box; none: it is unbounded
//   std::optional<TurningAxis> turning_axis(const Surface&)       rotations about it map the wall to itself
//   double least_radius(const Surface&, double size)              m: radius of curvature for a body of a size
//   WallRoom room(const Surface&, const Vec3& point)              may the centre of a body be there?
//   bool rises_at(const Surface&, const SharpPlace&)              does it pass through an edge (seams.h)?
// and for kinds that consist of a few numbers (others have their own forms in files):
//   void for_each_member(Surface&, f)                             f(name, unit, member) for each number
//   WallProblem problem_of(const Surface&)
//   SurfacePatches patches_of(const Surface&, double sagitta)     for images
//   TriangleMesh mesh_of(const Surface&, double sagitta)          for contacts with shape functions
// and, in the file of its contacts:
//   void contacts(const Ellipsoid&, const Pose&, const Surface&, double margin, std::vector<Gap>& found)
//   double gap_acceleration(const Ellipsoid&, const Pose&, const Surface&, const Gap&, const PairMotion&)
// clang-format on
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/core/types.h"

namespace scree {

/// A surface of one kind, const or not.
template <class T, class Surface>
concept IsA = std::same_as<std::remove_const_t<T>, Surface>;

/// An axis-aligned box: its middle and half extents, m.
struct WallExtent {
  Vec3 middle, half;
};

/// The member of a wall that has an invalid value, and the reason. Null: all values are valid.
struct WallProblem {
  const char* member = nullptr;
  const char* problem = "";
  explicit operator bool() const { return member != nullptr; }
};

struct TurningAxis {
  Vec3 point, direction;  // m, unit
};

/// A surface in pieces with four corners, and normals at points; in the world.
struct SurfacePatches {
  std::vector<Vec3> points, normals;  // [point] m, unit
  std::vector<std::array<std::int32_t, 4>> patches;
};

/// Whether a point can be the centre of a body beside this wall.
struct WallRoom {
  enum class How : std::uint8_t { free, behind, in_the_wall };
  How how = How::free;
  double depth = 0.0;          // m: distance behind or within it
  double bore = infinity;      // m: wider bodies do not fit across the space around the point
  Vec3 along = Vec3::UnitZ();  // unit: the bore's direction
};

}  // namespace scree
