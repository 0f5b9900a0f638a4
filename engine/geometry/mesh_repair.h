// Meshes from CAD programs: faults of a mesh as a wall, and their repair.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/geometry/triangle_mesh.h"

namespace scree {

/// Fault of a triangle; images show the worst one.
enum class TriangleFault : std::uint8_t { none, needle, open, turned, crowded, crossing };

/// A loop of edges that belong to one triangle each.
struct MeshHole {
  std::vector<std::int32_t> points;  // in the order of the adjacent triangles
  double size = 0.0;                 // m, diagonal of its bounding box
};

/// A point that lies on an edge between two others: the triangles on both sides do not share it.
struct TJunction {
  std::int32_t point, from, to;
};

struct MeshDiagnosis {
  std::size_t points = 0, triangles = 0;  // points used by triangles
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  std::size_t pieces = 0;      // pieces connected by points
  std::size_t inside_out = 0;  // closed pieces whose triangles face inwards
  std::size_t open_edges = 0, crowded_edges = 0, turned_edges = 0, needles = 0;
  std::size_t without_area = 0, twice = 0;  // triangles
  std::size_t near_points = 0;              // points that welded() would join
  std::vector<MeshHole> holes;
  std::vector<TJunction> t_junctions;
  std::vector<std::array<std::int32_t, 2>> crossings;  // pairs of triangles that pass through each other
  std::vector<TriangleFault> fault;                    // [triangle]

  bool is_closed() const { return open_edges == 0 && crowded_edges == 0; }
  bool is_in_order() const {
    return is_closed() && turned_edges == 0 && inside_out == 0 && without_area == 0 && twice == 0 &&
           crossings.empty();
  }
};

/// `tolerance`, m: points nearer than this are regarded as one. Time: linear in triangles, except for their
/// neighbours. Test: MeshRepair.*.
MeshDiagnosis diagnose(const TriangleMesh& mesh, double tolerance);

/// Points nearer than the tolerance to an earlier one are merged with it. Triangles that lose their area by
/// this, or exist twice, are removed, and so are unused points.
TriangleMesh welded(const TriangleMesh& mesh, double tolerance);

/// Splits triangles at points of others that lie on their open edges, so that both sides share them.
TriangleMesh without_t_junctions(const TriangleMesh& mesh, double tolerance);

/// Neighbours get the same orientation; closed pieces face outwards; open ones as most of their area does.
TriangleMesh oriented(const TriangleMesh& mesh);

}  // namespace scree
