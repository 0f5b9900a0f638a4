// Drawings of one shape.
#pragma once

#include "engine/geometry/shapes.h"
#include "engine/geometry/triangle_mesh.h"
#include "io/render/picture.h"

namespace scree::io {

/// A shape from three sides, in one scale, nearly without perspective: from the front (against the body's y),
/// from the right (against x), from above (against z). Below it a mesh in the same axes, grey, if there is
/// one.
Picture shape_picture(const Shapes& shapes, ShapeIndex shape, const TriangleMesh* mesh, int width);

}  // namespace scree::io
