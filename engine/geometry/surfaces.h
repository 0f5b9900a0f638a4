// All kinds of walls. A new kind is a type with the functions of wall.h, listed here; docs/new_wall.md lists
// the other steps.
#pragma once

#include <array>
#include <variant>

#include "engine/geometry/elliptic_cylinder.h"
#include "engine/geometry/mesh_surface.h"
#include "engine/geometry/plane.h"
#include "engine/geometry/revolved_surface.h"
#include "engine/geometry/tube.h"

namespace scree {

using BoundarySurface = std::variant<Plane, Tube, PlacedMesh, PlacedRevolved, EllipticCylinder>;

/// Their names in files and messages, in the same order.
inline constexpr std::array surface_names{"plane", "tube", "mesh", "revolved", "elliptic_cylinder"};
static_assert(surface_names.size() == std::variant_size_v<BoundarySurface>);
inline const char* name_of(const BoundarySurface& surface) { return surface_names[surface.index()]; }

/// A kind that consists of a few numbers.
template <class Surface>
concept PlainWall = requires(const Surface& wall) {
  problem_of(wall);
};

/// Calls f.operator()<Surface>() for all kinds.
template <class F, std::size_t... kind>
void for_each_kind(F&& f, std::index_sequence<kind...>) {
  (f.template operator()<std::variant_alternative_t<kind, BoundarySurface>>(), ...);
}
/// The same for kinds that consist of a few numbers.
void for_each_plain_kind(auto&& f) {
  const auto if_plain = [&]<class Surface> {
    if constexpr (PlainWall<Surface>) f.template operator()<Surface>();
  };
  for_each_kind(if_plain, std::make_index_sequence<surface_names.size()>());
}

inline BoundarySurface moved(const BoundarySurface& surface, const Pose& motion) {
  return std::visit([&](const auto& s) { return BoundarySurface(moved(s, motion)); }, surface);
}
inline std::optional<WallExtent> extent_of(const BoundarySurface& surface) {
  return std::visit([](const auto& s) { return extent_of(s); }, surface);
}
inline std::optional<TurningAxis> turning_axis(const BoundarySurface& surface) {
  return std::visit([](const auto& s) { return turning_axis(s); }, surface);
}
inline double least_radius(const BoundarySurface& surface, double size) {
  return std::visit([&](const auto& s) { return least_radius(s, size); }, surface);
}
inline WallRoom room(const BoundarySurface& surface, const Vec3& point) {
  return std::visit([&](const auto& s) { return room(s, point); }, surface);
}

}  // namespace scree
