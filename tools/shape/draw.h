// The image of a shape as a file.
#pragma once

#include <filesystem>

#include "engine/geometry/shapes.h"
#include "engine/geometry/triangle_mesh.h"

namespace scree {

/// From three sides, with the mesh below if it is not null. Returns the exit status: exit_left_out, after a
/// message, for a build without images. Throws WriteError.
int draw_shape(const Shapes& shapes, ShapeIndex shape, const TriangleMesh* mesh,
               const std::filesystem::path& path);

}  // namespace scree
