// Triangles that share points.
#pragma once

#include <array>
#include <vector>

#include "engine/core/types.h"

namespace scree {

struct TriangleMesh {
  std::vector<Vec3> points;                            // m
  std::vector<std::array<std::int32_t, 3>> triangles;  // counter-clockwise seen from outside
};

}  // namespace scree
