// Outlines: edges of objects without a surface that should be visible: cells, inlets, outlets, the domain.
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

/// The outlines of a run.
struct Outlines {
  std::vector<OutlineEdge> edges;                     // of fixed objects
  std::optional<Vec3> cell_centre;                    // m, of a periodic cell
  std::array<bool, 3> periodic{false, false, false};  // [vector of its lattice]

  bool is_empty() const { return edges.empty() && !cell_centre; }
};

/// Inlets, outlets and the domain as boxes and cylinders; for meshes the bounding box. Planes, and
/// domains with open sides, have no edges.
Outlines outlines(const Model& model);

/// In coordinates relative to an origin.
Outlines counted_from(const Vec3& origin, Outlines outlines);

/// The outline of a cell about its centre with these vectors (columns, m).
std::vector<OutlineEdge> cell_outline(const Vec3& centre, const Mat3& lattice);

}  // namespace scree::io
