// Meshes as CAD programs leave them: what is wrong with one as a wall, and what mends it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/geometry/triangle_mesh.h"

namespace scree {

/// What is the matter with a triangle; the worst is what pictures show.
enum class TriangleFault : std::uint8_t { none, needle, open, turned, crowded, crossing };

/// A loop of edges with one triangle each.
struct MeshHole {
  std::vector<std::int32_t> points;  // in the order of the triangles beside it
  double size = 0.0;                 // m, diagonal of the box about it
};

/// A point that lies on an edge between others: the triangles on both sides do not share it.
struct TJunction {
  std::int32_t point, from, to;
};

struct MeshDiagnosis {
  std::size_t points = 0, triangles = 0;  // points that triangles have
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  std::size_t pieces = 0;      // that hang together by points
  std::size_t inside_out = 0;  // closed ones whose triangles face inwards
  std::size_t open_edges = 0, crowded_edges = 0, turned_edges = 0, needles = 0;
  std::size_t without_area = 0, twice = 0;  // triangles
  std::size_t near_points = 0;              // that would be joined by welded()
  std::vector<MeshHole> holes;
  std::vector<TJunction> t_junctions;
  std::vector<std::array<std::int32_t, 2>> crossings;  // triangles that pass through each other
  std::vector<TriangleFault> fault;                    // [triangle]

  bool is_closed() const { return open_edges == 0 && crowded_edges == 0; }
  bool is_in_order() const {
    return is_closed() && turned_edges == 0 && inside_out == 0 && without_area == 0 && twice == 0 &&
           crossings.empty();
  }
};

/// `tolerance`, m: what is nearer than this is meant to be one. Time: linear in triangles but for their
/// neighbours. Test: MeshRepair.*.
MeshDiagnosis diagnose(const TriangleMesh& mesh, double tolerance);

/// Points nearer than the tolerance to an earlier one become that one; triangles that lose their area by it,
/// or are there already, are left out, and points that none has.
TriangleMesh welded(const TriangleMesh& mesh, double tolerance);

/// Cuts triangles at points of others that lie on their open edges, so that both sides share them.
TriangleMesh without_t_junctions(const TriangleMesh& mesh, double tolerance);

/// Neighbours face the same way; closed pieces face outwards; open ones as most of their area does.
TriangleMesh oriented(const TriangleMesh& mesh);

}  // namespace scree
