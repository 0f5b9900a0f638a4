// Glyphs: shared meshes as which bodies are displayed.
#pragma once

#include "engine/geometry/clump_mesh.h"
#include "engine/geometry/implicit/surface_mesh.h"
#include "engine/geometry/shapes.h"

namespace scree {

/// A mesh that is scaled along the body's axes, rotated and moved to its place.
struct Glyph {
  std::int32_t mesh = 0;      // 0: a ball of radius 1; k + 1: surface k of glyph_mesh(), in its own units
  Vec3 scale = Vec3::Ones();  // m
};

inline Glyph glyph(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return {0, shapes.ellipsoid(s).semi_axes};
    case ShapeKind::implicit:
      return {shapes.sized(s).function + 1, Vec3::Constant(shapes.sized(s).size)};
    case ShapeKind::clump:
      return {static_cast<std::int32_t>(shapes.functions().size()) + shapes.sized_clump(s).clump + 1,
              Vec3::Constant(shapes.sized_clump(s).size)};
  }
  return {};
}

/// The number of surfaces that bodies share: of all functions, then of all clumps.
inline std::size_t glyph_count(const Shapes& shapes) {
  return shapes.functions().size() + shapes.clumps().size();
}
/// See surface_mesh() of functions and of clumps.
inline SurfaceMesh glyph_mesh(const Shapes& shapes, std::size_t k, int fineness) {
  const std::size_t functions = shapes.functions().size();
  return k < functions ? surface_mesh(*shapes.functions()[k].shape, fineness)
                       : surface_mesh(*shapes.clumps()[k - functions].shape, fineness);
}

}  // namespace scree
