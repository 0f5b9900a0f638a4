// Triangle meshes in files of other programs.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/geometry/triangle_mesh.h"

namespace scree::io {

/// STL and PLY, binary or text, or OBJ, by the path's ending in small or large letters; corners at the same
/// place become one point, and triangles of less than three points are left out. Polygons are cut into fans.
/// Throws ReadError.
TriangleMesh read_mesh(const std::filesystem::path& path);

/// Endings of files that are written: ".stl" and ".obj".
std::span<const std::string_view> mesh_endings();

/// Binary STL (single precision) or OBJ, by the path's ending, which is one of mesh_endings() in small
/// letters. Throws WriteError.
void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace scree::io
