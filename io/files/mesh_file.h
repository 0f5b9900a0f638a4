// Triangle meshes in common file formats.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/geometry/triangle_mesh.h"

namespace scree::io {

/// Reads STL and PLY, binary or text, and OBJ, by the path's ending in small or large letters, in double
/// precision if the file has it (VTK's readers of these round to single). VTK reads .vtp, .vtu, .vtk, .gltf
/// and .glb. Corners at the same place become one point, and triangles with less than three points are
/// removed. Polygons are split into fans. Keywords of STL may have letters of any case. Harmless
/// irregularities are added to the warnings; throws ReadError.
TriangleMesh read_mesh(const std::filesystem::path& path, std::vector<std::string>& warnings);
/// Reads the bytes of such a file.
TriangleMesh read_mesh(const std::string& bytes, const std::filesystem::path& path,
                       std::vector<std::string>& warnings);

/// Upper limit, more than a wall or a grain can need; derived data take about 100 bytes each.
inline constexpr std::size_t most_triangles = 20'000'000;

/// The reason why points cannot be those of a mesh: numbers that are not finite, or a size so small compared
/// to the distance from the origin that rounded coordinates coincide.
std::string mesh_problem(const std::vector<Vec3>& points);

/// Endings of the formats that can be written: ".stl", ".obj" and ".vtp".
std::span<const std::string_view> mesh_endings();

/// Writes binary STL (single precision), OBJ or VTP (by VTK), by the path's ending, which is one of
/// mesh_endings() in small letters. Throws WriteError.
void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);

/// Automatic repair of a mesh: corners nearer than the tolerance are merged, T-junctions are split,
/// degenerate and duplicate triangles are removed, holes whose bounding box has a diagonal up to `hole` are
/// filled (by VTK; without VTK they stay open), neighbours get the same orientation and closed pieces face
/// outwards. m.
TriangleMesh mended(const TriangleMesh& mesh, double tolerance, double hole);

}  // namespace scree::io
