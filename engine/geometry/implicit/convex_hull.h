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
/// that no four lie in a plane; sizes along the axes may be of any proportions, for hulls of points that are
/// stretched are stretched hulls. Points that are fewer than four, not finite or all at one place along an
/// axis have none. Test: FormIndices.Hull*.
ConvexHull convex_hull(std::vector<Vec3> points);

}  // namespace scree
