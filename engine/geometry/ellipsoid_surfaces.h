// Ellipsoids against all kinds of walls: contacts() and gap_acceleration() of each.
#pragma once

#include "engine/geometry/ellipsoid_mesh.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_revolved.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "engine/geometry/implicit/implicit_mesh.h"
#include "engine/geometry/implicit/implicit_revolved.h"
#include "engine/geometry/implicit/implicit_walls.h"
#include "engine/geometry/surfaces.h"

namespace scree {

/// Do bodies with a shape function touch the surface itself? Otherwise they touch its mesh.
template <class Surface>
concept MeetsFunctions = requires(const PlacedImplicit& body, const Surface& surface, PairMemory& memory,
                                  std::vector<Gap>& found) {
  contacts(body, surface, 0.0, memory, found);
};

}  // namespace scree
