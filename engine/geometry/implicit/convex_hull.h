// The convex hull of points.
#pragma once

#include <array>
#include <vector>

#include "engine/core/types.h"

namespace scree {

struct ConvexHull {
  std::vector<std::array<std::int32_t, 3>> triangles;  // points, counter-clockwise seen from outside
  std::vector<std::int32_t> corners;                   // indices of points on the hull, ascending
  double volume = 0.0;                                 // m^3
};

/// Quickhull (Barber, Dobkin, Huhdanpaa 1996). Points are first moved at random by up to 1e-9 of the size, so
/// that no four lie in a plane. Sizes along the axes may have any ratio, since the hull of stretched points
/// is the stretched hull. Points have no hull if they are fewer than four, not finite, or all at one
/// coordinate of an axis. Test: FormIndices.Hull*.
ConvexHull convex_hull(std::vector<Vec3> points);

}  // namespace scree
