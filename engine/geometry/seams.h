// Where walls meet: an edge that another surface passes through is no edge of what they are together.
#pragma once

#include "engine/geometry/mesh_surface.h"
#include "engine/geometry/plane.h"
#include "engine/geometry/revolved_surface.h"
#include "engine/geometry/tube.h"

namespace scree {

/// A place on the edge or the corner of a wall that a body comes near to.
struct SharpPlace {
  Vec3 point;    // m, world
  Vec3 normal;   // unit, from the wall to the body
  double slack;  // m: surfaces this near to the point pass through it
  double size;   // m: the smallest radius at which the body bends, about
};

/// Are two places one, as that of an edge that two walls share?
bool is_same(const SharpPlace& a, const SharpPlace& b);

/// The same of a smooth surface with this normal at a distance from the place: its tangent plane has every
/// direction.
bool tangent_rises(const Vec3& surface_normal, double distance_m, const SharpPlace& at);

/// Does a surface pass through a place and rise from it towards the body? Then the body meets that surface
/// before the edge, as it does in one mesh, where an edge counts only if the normal points away from every
/// triangle that meets there. A direction d of the surface rises where n.d > 1e-9 + 2 distance/size: what is
/// not quite at the place, as across a slit, has to rise by so much that the body touches it beyond the slit.
bool rises_at(const Plane& surface, const SharpPlace& at);
bool rises_at(const Tube& surface, const SharpPlace& at);
bool rises_at(const PlacedMesh& surface, const SharpPlace& at);
bool rises_at(const PlacedRevolved& surface, const SharpPlace& at);

}  // namespace scree
