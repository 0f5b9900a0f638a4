// A mesh with its faults.
#pragma once

#include "engine/geometry/mesh_repair.h"
#include "io/render/picture.h"

namespace scree::io {

/// From a corner, triangles in the colours of their worst fault (a legend names them), edges with one
/// triangle as rods.
Picture mesh_picture(const TriangleMesh& mesh, const MeshDiagnosis& diagnosis, int width, int height);

}  // namespace scree::io
