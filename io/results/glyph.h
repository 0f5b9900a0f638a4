// What bodies are shown as where many of them share a few meshes.
#pragma once

#include "engine/geometry/shapes.h"

namespace scree::io {

/// A mesh that is scaled along the body's axes, turned and put to its place.
struct Glyph {
  std::int32_t mesh = 0;      // 0: a ball of radius 1, k + 1: the surface of function k in units of its own
  Vec3 scale = Vec3::Ones();  // m
};

inline Glyph glyph(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return {0, shapes.ellipsoid(s).semi_axes};
    case ShapeKind::implicit:
      return {shapes.sized(s).function + 1, Vec3::Constant(shapes.sized(s).size)};
  }
  return {};
}

}  // namespace scree::io
