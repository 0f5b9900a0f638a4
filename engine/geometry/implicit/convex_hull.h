// The convex hull of points.
#pragma once

#include <array>
#include <vector>

#include "engine/core/types.h"

namespace scree {

struct ConvexHull {
  std::vector<std::array<std::int32_t, 3>> triangles;  // points, counter-clockwise seen from outside
  std::vector<std::int32_t> corners;                   // points that are one, ascending
  double volume = 0.0;                                 // m^3
};

/// Quickhull (Barber, Dobkin, Huhdanpaa 1996). Points are moved by up to 1e-9 of the size at random first, so
/// that no four lie in a plane. Precondition: at least four points that do not lie near a plane. Test:
/// FormIndices.Hull*.
ConvexHull convex_hull(std::vector<Vec3> points);

}  // namespace scree
