// What every kind of wall says of itself. A kind is a type with functions of these names (docs/new_wall.md):
//
// clang-format off
//   Surface moved(const Surface&, const Pose& motion)             where a motion of all space brings it
//   std::optional<WallExtent> extent_of(const Surface&)           a box that holds it; none: it has no end
//   std::optional<TurningAxis> turning_axis(const Surface&)       about which it turns into itself, if about any
//   double least_radius(const Surface&, double size)              m: how sharply a body of a size sees it bend
//   WallRoom room(const Surface&, const Vec3& point)              may the centre of a body be there?
//   bool rises_at(const Surface&, const SharpPlace&)              does it pass through an edge (seams.h)?
// and of kinds that are a few numbers (others have their own forms in files):
//   void for_each_member(Surface&, f)                             f(name, unit, member) of them all
//   WallProblem problem_of(const Surface&)
//   SurfacePatches patches_of(const Surface&, double sagitta)     what pictures show
//   TriangleMesh mesh_of(const Surface&, double sagitta)          what bodies that functions give meet
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

/// What keeps a wall's numbers from being one: which member, and why. None: nothing does.
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

/// What a wall says of a point that is the centre of a body.
struct WallRoom {
  enum class How : std::uint8_t { free, behind, in_the_wall };
  How how = How::free;
  double depth = 0.0;          // m: how far behind or in it
  double bore = infinity;      // m: wider bodies do not lie across what the point is in
  Vec3 along = Vec3::UnitZ();  // unit: the bore's direction
};

}  // namespace scree
