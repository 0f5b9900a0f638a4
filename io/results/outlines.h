// Outlines: edges of what has no surface of its own but should be seen: cells, inlets, outlets, the domain.
#pragma once

#include <array>
#include <vector>

#include "engine/simulation/model.h"

namespace scree::io {

enum class OutlineKind : std::uint8_t { cell, inlet, outlet, domain };

struct OutlineEdge {
  Vec3 start, end;  // m
  OutlineKind kind = OutlineKind::cell;
};

/// Of what stays where it is: boxes and cylinders, of meshes the box that holds them. Planes, and domains
/// that are open to some side, have no edges.
std::vector<OutlineEdge> outlines(const Model& model);

/// Of a cell about its centre with these vectors (columns, m).
std::vector<OutlineEdge> cell_outline(const Vec3& centre, const Mat3& lattice);

}  // namespace scree::io
