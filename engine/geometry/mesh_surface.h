// Walls made of triangles: contacts from both sides, on faces, edges and vertices.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/geometry/triangle_mesh.h"
#include "engine/geometry/wall.h"

namespace scree {

/// Triangles with shared corners, at rest, with search data for contacts. Made by
/// mesh_surface().
struct MeshSurface : TriangleMesh {
  std::vector<Vec3> normals;  // [triangle] unit
  /// [triangle] Connected triangles in one plane form a patch: a contact that slides from one to the next
  /// does not change.
  std::vector<std::int32_t> patch;
  std::vector<std::int32_t> triangle_of_patch;  // [patch] any of its triangles

  struct Edge {
    std::int32_t from, to;           // vertices
    std::int32_t first_face, faces;  // range in face_of_edge
    bool is_sharp;                   // else the triangles on both sides lie in one plane
  };
  std::vector<Edge> edges;
  std::vector<std::int32_t> face_of_edge;  // triangles
  std::vector<Vec3> into_face;             // [of face_of_edge] unit, across the edge into the triangle
  std::vector<std::array<std::int32_t, 3>> edge_of;      // [triangle]
  std::vector<std::int32_t> first_neighbour, neighbour;  // vertices at the other ends of its edges
  std::vector<char> is_corner;                           // [vertex] does any sharp edge end there?

  /// Boxes about triangles, as a binary tree, the root first.
  struct Node {
    Vec3 low, high;             // m
    std::int32_t first, count;  // range in `order`; count 0: inner node, children first and first + 1
  };
  std::vector<Node> nodes;
  std::vector<std::int32_t> order;  // triangles

  Vec3 low() const { return nodes.empty() ? Vec3(Vec3::Zero()) : nodes[0].low; }
  Vec3 high() const { return nodes.empty() ? Vec3(Vec3::Zero()) : nodes[0].high; }
};

/// Findings about a mesh.
struct MeshFindings {
  std::size_t triangles = 0, dropped = 0;  // dropped: without area, or twice in the mesh
  std::size_t open_edges = 0;              // edges of one triangle
  std::size_t crowded_edges = 0;           // edges of more than two triangles
  std::size_t turned_edges = 0;            // edges whose two triangles face opposite ways
  std::size_t needles = 0;                 // triangles with an angle below a degree
  bool is_closed() const { return open_edges == 0 && crowded_edges == 0 && turned_edges == 0; }
};

/// Merges corners that are nearer than 1e-9 of the size.
MeshSurface mesh_surface(const TriangleMesh& given, MeshFindings& findings);

/// Calls found(triangle) for all triangles whose boxes meet this one.
template <class Found>
void triangles_near(const MeshSurface& mesh, const Vec3& low, const Vec3& high, Found&& found) {
  std::array<std::int32_t, 128> stack;
  std::size_t waiting = 0;
  if (!mesh.nodes.empty()) stack[waiting++] = 0;
  while (waiting > 0) {
    const MeshSurface::Node& node = mesh.nodes[stack[--waiting]];
    if ((node.low.array() > high.array()).any() || (node.high.array() < low.array()).any()) continue;
    if (node.count == 0) {
      stack[waiting++] = node.first + 1;
      stack[waiting++] = node.first;
      continue;
    }
    for (std::int32_t k = node.first; k < node.first + node.count; ++k) found(mesh.order[k]);
  }
}

/// Offset of features of contacts with edges and with vertices; features of faces start at 0.
inline constexpr std::uint32_t mesh_edge = 1u << 30, mesh_vertex = 2u << 30;

/// Is a point over a triangle, or beside it by less than `slack` (m)?
bool is_over(const MeshSurface& mesh, std::int32_t triangle, const Vec3& point, double slack);

// Does the normal of a contact point away from all triangles that meet at an edge, or from all edges at a
// vertex? Else the edge or the vertex is not in contact.
bool is_free_of_faces(const MeshSurface& mesh, const MeshSurface::Edge& edge, const Vec3& normal);
bool is_free_of_edges(const MeshSurface& mesh, std::int32_t vertex, const Vec3& normal);

/// A mesh in its pose: x at rest moves to orientation * x + position.
struct PlacedMesh {
  std::shared_ptr<const MeshSurface> mesh;
  Pose pose;
};

PlacedMesh moved(const PlacedMesh& mesh, const Pose& motion);
std::optional<WallExtent> extent_of(const PlacedMesh& mesh);
inline std::optional<TurningAxis> turning_axis(const PlacedMesh&) { return std::nullopt; }
inline double least_radius(const PlacedMesh&, double) { return infinity; }
inline WallRoom room(const PlacedMesh&, const Vec3&) { return {}; }

}  // namespace scree
