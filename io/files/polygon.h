// Polygons of mesh files, cut into triangles.
#pragma once

#include <span>
#include <vector>

#include "engine/core/types.h"

namespace scree::io {

/// Appends the triangles of a flat, simple polygon, three corners each, with its orientation: a fan from its
/// first corner if that is inside the polygon, else ears (Meisters 1975), in O(n^2) at least. A polygon that
/// crosses itself gives triangles without such meaning.
void append_triangles(std::span<const Vec3> polygon, std::vector<Vec3>& corners);

}  // namespace scree::io
