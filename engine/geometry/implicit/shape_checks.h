// Is a function a body that can be simulated?
#pragma once

#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

/// Adds what is wrong to the findings; the certified box of the body where it is bounded and holds the
/// origin. Cells of feature_size times the box's longest side, each proven inside, proven outside or on the
/// surface.
std::optional<Box> check_shape(const PerturbedQuadric& f, double feature_size, ShapeFindings& findings);

/// Warns where the cover could not be resolved: the gradient vanishes, or the surface turns too sharply.
void check_cover(const Cover& cover, double size, ShapeFindings& findings);

}  // namespace scree
