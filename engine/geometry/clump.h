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

/// A clump ready for use, in its body frame: origin in the centre of mass, principal axes.
struct Clump {
  std::vector<ClumpMember> members;      // in the body frame, in the given order, without those within others
  Pose body_in_file;                     // pose of the body frame in the frame of the given members
  double volume = 0.0;                   // m^3, of the union: volume shared by members counts once
  Vec3 inertia_per_mass = Vec3::Zero();  // m^2, principal moments about the centre of mass, uniform density
  double mass_error = 0.0;               // relative, of volume and inertia, estimated by the quadrature
  double bounding_radius = 0.0;  // m, of the smallest sphere about the centre of mass that holds all members
  double smallest_length = 0.0;  // m, the smallest semi-axis of all members
};

/// Returns none if there are errors. Checks: 1 to max_clump_members members, finite numbers, positive
/// semi-axes, and that the members are one connected piece in which each overlaps another one; members that
/// touch in a point count as separate. Warns of members that lie completely within another one, and if
/// mass_error is above 1e-6. Quaternions of any length are taken as rotations. If one member contains all
/// others, the body frame is that member's and the mass properties are exact. Else mass_error is about 1e-9,
/// and the frame keeps the given axes if they are principal to that accuracy (test: Clump.*). Takes 0.03
/// s for 5 members, 0.1 s for 10 (measured).
std::optional<Clump> make_clump(std::span<const ClumpMember> given, ShapeFindings& findings);

// Directions and points in the body frame, m.

/// The surface point that is farthest along a direction, which must not be zero.
Vec3 support(const Clump& clump, const Vec3& direction);
/// The least t in (nearest, farthest) at which origin + t direction lies on the surface of the union: on a
/// member's surface and not within another member. Rays may start inside. Infinite if there is none.
double ray_hit(const Clump& clump, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest);
/// The member on whose surface a point lies, or nearly lies.
std::size_t nearest_member(const Clump& clump, const Vec3& point);
/// Direction of the outward normal at a surface point, of any length: the normal of its member.
Vec3 outward(const Clump& clump, const Vec3& point);
/// Is the point inside of a member or on its surface?
bool contains(const Clump& clump, const Vec3& point);
/// Half extents of a box about the centre of mass, m. The box is symmetric about it, lies along the axes to
/// which the rotation leads, and contains the clump; exact: one of its two faces across each axis touches.
Vec3 half_extent(const Clump& clump, const Mat3& rotation);
/// An ellipsoid about the centre of mass, along the body's axes, that contains all members and touches one;
/// it has the proportions of the half extents.
Ellipsoid enclosing_ellipsoid(const Clump& clump);

/// The first other member that contains member i completely, to 1e-12 of its size; of equal members the first
/// counts as not contained.
std::optional<std::size_t> holder(std::span<const ClumpMember> members, std::size_t i);

}  // namespace scree
