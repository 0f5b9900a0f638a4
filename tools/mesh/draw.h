// The image of a mesh with its faults.
#pragma once

#include <filesystem>

#include "engine/geometry/mesh_repair.h"

namespace scree {

/// Triangles in the colours of their faults, rims of holes as rods. Returns the exit status: exit_left_out,
/// after a message, for a build without images. Throws WriteError.
int draw_mesh(const TriangleMesh& mesh, const MeshDiagnosis& diagnosis, const std::filesystem::path& path);

}  // namespace scree
