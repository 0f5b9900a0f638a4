// Seams of walls: an edge through which another surface passes is no edge of the two walls together.
#pragma once

#include "engine/geometry/mesh_surface.h"
#include "engine/geometry/plane.h"
#include "engine/geometry/revolved_surface.h"
#include "engine/geometry/tube.h"

namespace scree {

/// A place on the edge or the corner of a wall that a body approaches.
struct SharpPlace {
  Vec3 point;    // m, world
  Vec3 normal;   // unit, from the wall to the body
  double slack;  // m: surfaces this near to the point pass through it
  double size;   // m: about the smallest radius of curvature of the body
};

/// Are two places the same, as on an edge shared by two walls?
bool is_same(const SharpPlace& a, const SharpPlace& b);

/// The same for a smooth surface with this normal at a distance from the place: its tangent plane contains
/// all directions.
bool tangent_rises(const Vec3& surface_normal, double distance_m, const SharpPlace& at);

/// Does a surface pass through a place and rise from it towards the body? Then the body touches that surface
/// before the edge. In a single mesh this is the same: there an edge counts only if the normal points away
/// from all triangles that meet there. A direction d of the surface rises if n.d > 1e-9 + 2 distance/size: a
/// surface at a small distance from the place, as across a slit, must rise enough for the body to touch it
/// beyond the slit.
bool rises_at(const Plane& surface, const SharpPlace& at);
bool rises_at(const Tube& surface, const SharpPlace& at);
bool rises_at(const PlacedMesh& surface, const SharpPlace& at);
bool rises_at(const PlacedRevolved& surface, const SharpPlace& at);

}  // namespace scree
