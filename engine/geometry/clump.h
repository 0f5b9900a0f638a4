// The clump: a rigid body that is the union of ellipsoids.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

inline constexpr std::size_t max_clump_members = 64;

struct ClumpMember {
  Ellipsoid ellipsoid;
  Pose pose;  // of the ellipsoid's frame in the clump's
};

/// Made ready for use, in the body frame: centre of mass, principal axes.
struct Clump {
  std::vector<ClumpMember> members;      // in the body frame, in the order given
  Pose body_in_file;                     // of the body frame in the frame that the members were given in
  double volume = 0.0;                   // m^3, of the union: what several members share counts once
  Vec3 inertia_per_mass = Vec3::Zero();  // m^2, principal moments about the centre of mass, uniform density
  double mass_error = 0.0;               // relative, of volume and inertia, as the quadrature estimates it
  double bounding_radius = 0.0;  // m, of the smallest sphere about the centre of mass that holds all members
  double smallest_length = 0.0;  // m, the smallest semi-axis of all members
};

/// None where there are errors. Checks: from 1 to max_clump_members members, numbers that are finite,
/// semi-axes that are positive, and that the members are one piece: each overlaps another one, and all hang
/// together; members that touch in a point are apart. Warns of members that lie wholly within another one,
/// and where mass_error is above 1e-6. Quaternions of any length are taken for rotations. Where one member
/// holds all others, the body frame is that member's and the mass properties are exact; else mass_error is
/// about 1e-9, and the frame has the given axes where these are principal to that (test: Clump.*). Takes 0.03
/// s for 5 members, 0.1 s for 10 (measured).
std::optional<Clump> make_clump(std::span<const ClumpMember> given, ShapeFindings& findings);

// Directions and points in the body frame, m.

/// The surface point that lies farthest along a direction, which is not zero.
Vec3 support(const Clump& clump, const Vec3& direction);
/// The least t in (nearest, farthest) at which origin + t direction lies on the surface of the union: of a
/// member, and not within another one. Rays may start inside. Infinite if there is none.
double ray_hit(const Clump& clump, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest);
/// The member whose surface a point lies on, or nearly.
std::size_t nearest_member(const Clump& clump, const Vec3& point);
/// Direction of the outward normal at a surface point, of any length: that of its member.
Vec3 outward(const Clump& clump, const Vec3& point);
/// Is the point inside of a member or on its surface?
bool contains(const Clump& clump, const Vec3& point);
/// Half extents of the box about the centre of mass that is symmetric about it, lies along the axes that the
/// rotation leads to, and holds the clump, m; exact: one of its two faces across each axis touches.
Vec3 half_extent(const Clump& clump, const Mat3& rotation);
/// An ellipsoid about the centre of mass, along the body's axes, that holds all members and touches one: in
/// the proportions of the half extents.
Ellipsoid enclosing_ellipsoid(const Clump& clump);

/// The first other member that holds member i wholly, to 1e-12 of its size; of equal members the first counts
/// as not held.
std::optional<std::size_t> holder(std::span<const ClumpMember> members, std::size_t i);

}  // namespace scree
