// A pipe or a trough of elliptic section.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/types.h"
#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"
#include "engine/geometry/seams.h"
#include "engine/geometry/triangle_mesh.h"
#include "engine/geometry/wall.h"

namespace scree {

/// The wall is the set of points within thickness/2 of the sheet: an elliptic cylinder about the axis from
/// `start` to `end`, with `half_width` and `half_height` from the axis to the sheet; a trough has only the
/// half below the axis. Edges and rims are therefore rounded with thickness/2, and its normal is continuous
/// everywhere. Hit from both sides.
struct EllipticCylinder {
  Vec3 start = Vec3::Zero(), end = Vec3::UnitX();  // m, ends of the axis
  Vec3 up = Vec3::UnitZ();                         // direction of the height: not parallel to the axis
  double half_width = 1.0, half_height = 1.0;      // m, > 0
  double thickness = 0.1;                          // m, > 0
  bool trough = false;
};

/// Names, units and members of all numbers, for code that stores or reads them.
void for_each_member(IsA<EllipticCylinder> auto& cylinder, auto&& f) {
  f("start", "m", cylinder.start);
  f("end", "m", cylinder.end);
  f("up", "1", cylinder.up);
  f("half_width", "m", cylinder.half_width);
  f("half_height", "m", cylinder.half_height);
  f("thickness", "m", cylinder.thickness);
  f("trough", "1", cylinder.trough);
}

WallProblem problem_of(const EllipticCylinder& cylinder);

EllipticCylinder moved(const EllipticCylinder& cylinder, const Pose& motion);
std::optional<WallExtent> extent_of(const EllipticCylinder& cylinder);
std::optional<TurningAxis> turning_axis(const EllipticCylinder& cylinder);
double least_radius(const EllipticCylinder& cylinder, double size);
WallRoom room(const EllipticCylinder& cylinder, const Vec3& point);
bool rises_at(const EllipticCylinder& cylinder, const SharpPlace& at);

/// Distance of a point from the wall, m: negative within it.
double distance(const EllipticCylinder& cylinder, const Vec3& point);

/// Appends the contacts closer than `margin` (m), ordered by feature: 0-15 on the sheet, 16 and 32 more on
/// the rims at start and end, 48 and 49 on the edges of a trough, 50-53 on its corners. Seen along the axis
/// the ellipsoid is an ellipse with support function h(m) about c; H(m) is that of the section. It touches
/// from inside where H(m) - h(m) - m.c has a minimum over the direction m, from outside where m.c - H(m) -
/// h(m) has a maximum, each if its point lies between the ends and, where it is not in the ellipsoid, the
/// wall reaches in elsewhere and no rim or edge is less deep. Accurate to 1e-9 of the ellipsoid's size (test:
/// EllipticCylinder.*). Overlaps down to the smallest semi-axis.
void contacts(const Ellipsoid& shape, const Pose& pose, const EllipticCylinder& wall, double margin,
              std::vector<Gap>& found);

/// Second time derivative of the distance of one of those contacts at constant twists of both,
/// m/s^2: the second difference over +-dt with the same feature, 0 if it has vanished there.
double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const EllipticCylinder& wall,
                        const Gap& contact, const PairMotion& motion);

/// Corners are on the surface. The surface is nowhere farther from a patch than `sagitta`, m, but there are
/// at most 720 patches around the section.
SurfacePatches patches_of(const EllipticCylinder& cylinder, double sagitta);
/// The same as triangles.
TriangleMesh mesh_of(const EllipticCylinder& cylinder, double sagitta);

}  // namespace scree
