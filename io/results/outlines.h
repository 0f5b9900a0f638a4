// Outlines: edges of what has no surface of its own but should be seen: cells, inlets, outlets, the domain.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/simulation/model.h"

namespace scree::io {

enum class OutlineKind : std::uint8_t { cell, inlet, outlet, domain };

struct OutlineEdge {
  Vec3 start, end;  // m
  OutlineKind kind = OutlineKind::cell;
};

/// Of a run.
struct Outlines {
  std::vector<OutlineEdge> edges;                     // of what stays where it is
  std::optional<Vec3> cell_centre;                    // m, of a periodic cell
  std::array<bool, 3> periodic{false, false, false};  // [vector of its lattice]

  bool is_empty() const { return edges.empty() && !cell_centre; }
};

/// Inlets, outlets and the domain as boxes and cylinders, of meshes the box that holds them. Planes, and
/// domains that are open to some side, have no edges.
Outlines outlines(const Model& model);

/// In coordinates that are counted from an origin.
Outlines counted_from(const Vec3& origin, Outlines outlines);

/// Of a cell about its centre with these vectors (columns, m).
std::vector<OutlineEdge> cell_outline(const Vec3& centre, const Mat3& lattice);

}  // namespace scree::io
