// Triangles with shared points.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/core/types.h"

namespace scree {

struct TriangleMesh {
  std::vector<Vec3> points;                            // m
  std::vector<std::array<std::int32_t, 3>> triangles;  // counter-clockwise seen from outside
};

/// Faults because of which a mesh is not the surface of one body, as sentences for users: it is empty, has
/// numbers that are not finite, edges with one triangle (holes) or with more than two, neighbours that face
/// opposite ways, more than one piece, or no volume. Points without triangles are ignored.
std::vector<std::string> mesh_faults(const TriangleMesh& mesh);

/// Mass properties of the body within a closed mesh. Test: TriangleMesh.*.
struct MeshMass {
  double volume = 0.0;         // m^3; negative if the mesh is inside out
  Vec3 centre = Vec3::Zero();  // m
  Mat3 second = Mat3::Zero();  // m^2, mean of x x^T over the body about its centre
};
MeshMass mesh_mass(const TriangleMesh& mesh);

/// Points spread evenly over the surface, one in each of `count` equal parts of its area; the same seed gives
/// the same points.
std::vector<Vec3> surface_samples(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed);

}  // namespace scree
