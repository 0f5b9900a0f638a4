// Triangle meshes in files of other programs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/geometry/triangle_mesh.h"

namespace scree::io {

/// STL and PLY, binary or text, or OBJ, by the path's ending in small or large letters, in double precision
/// where the file has it (VTK's readers of these round to single); by VTK .vtp, .vtu, .vtk, .gltf and .glb;
/// corners at the same place become one point, and triangles of less than three points are left out. Polygons
/// are cut into fans. Keywords of STL in letters of any size. Adds what is odd and does no harm to the
/// warnings; throws ReadError.
TriangleMesh read_mesh(const std::filesystem::path& path, std::vector<std::string>& warnings);
/// Of the bytes of such a file.
TriangleMesh read_mesh(const std::string& bytes, const std::filesystem::path& path,
                       std::vector<std::string>& warnings);

/// More than a wall or a grain can need; what is made of them takes some 100 bytes each.
inline constexpr std::size_t most_triangles = 20'000'000;

/// What keeps points from being those of a mesh: numbers that are not finite, or a size that is nothing
/// beside the distance from the origin, where coordinates do not tell one point from the next.
std::string mesh_problem(const std::vector<Vec3>& points);

/// Endings of files that are written: ".stl", ".obj" and ".vtp".
std::span<const std::string_view> mesh_endings();

/// Binary STL (single precision), OBJ or VTP (by VTK), by the path's ending, which is one of mesh_endings()
/// in small letters. Throws WriteError.
void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);

/// What can be mended of a mesh by itself: corners nearer than the tolerance are one, T-junctions are cut,
/// what is no triangle or there twice is left out, holes whose boxes' diagonals are not above `hole` are
/// filled (by VTK; they stay open in a build without), neighbours face the same way and closed pieces
/// outwards. m.
TriangleMesh mended(const TriangleMesh& mesh, double tolerance, double hole);

}  // namespace scree::io
