// PLY, the format of most scanners.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"

namespace scree::io {

/// Corners of the triangles of a PLY file, text or binary, three each; polygons are split into fans. None if
/// the file is not valid, with the reason in `problem`. Vertices need x, y, z; faces the list vertex_indices
/// or vertex_index; other data are skipped. Source: Turk 1994, "The PLY Polygon File Format".
std::optional<std::vector<Vec3>> ply_corners(const std::string& bytes, std::string& problem);

}  // namespace scree::io
