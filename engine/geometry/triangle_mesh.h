// Triangles that share points.
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

/// What keeps a mesh from being the surface of one body, in sentences for people: it is empty, has numbers
/// that are not finite, edges with one triangle (holes) or with more than two, neighbours that face opposite
/// ways, more than one piece, or no volume. Points that no triangle has do not count.
std::vector<std::string> mesh_faults(const TriangleMesh& mesh);

/// Of the body within a closed mesh. Test: TriangleMesh.*.
struct MeshMass {
  double volume = 0.0;         // m^3; negative where the mesh is inside out
  Vec3 centre = Vec3::Zero();  // m
  Mat3 second = Mat3::Zero();  // m^2, mean of x x^T over the body about its centre
};
MeshMass mesh_mass(const TriangleMesh& mesh);

/// Points spread evenly over the surface, one in every `count`-th part of its area; the same seed gives the
/// same points.
std::vector<Vec3> surface_samples(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed);

}  // namespace scree
