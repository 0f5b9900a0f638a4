// PLY, which most scanners write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"

namespace scree::io {

/// Corners of the triangles of a PLY file, text or binary, three each; polygons are cut into fans. With what
/// is wrong with it in `problem`, none. Vertices need x, y, z; faces the list vertex_indices or vertex_index;
/// all else is skipped. Source: Turk 1994, "The PLY Polygon File Format".
std::optional<std::vector<Vec3>> ply_corners(const std::string& bytes, std::string& problem);

}  // namespace scree::io
