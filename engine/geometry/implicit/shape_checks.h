// Checks whether a function defines a body that can be simulated.
#pragma once

#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

/// Range of sizes of shapes, in their own units: their sixth powers, which form indices need, and the squares
/// of the function's second derivatives stay far within the range of doubles.
inline constexpr Range shape_lengths{1e-30, 1e30};

/// Smallest over largest semi-axis of an ellipsoid that is a function: then the second derivatives along the
/// two differ by 10^12, which leaves four of sixteen digits where they are added.
inline constexpr double least_proportion = 1e-6;

/// False, with a finding, if it is not.
bool is_size_of_a_shape(double length, ShapeFindings& findings);
bool is_thick_enough(const Vec3& semi_axes, ShapeFindings& findings);

/// Adds errors to the findings; returns the certified box of the body if it is bounded and contains the
/// origin. Uses cells of feature_size times the box's longest side, each proven inside, proven outside or on
/// the surface.
std::optional<Box> check_shape(const PerturbedQuadric& f, double feature_size, ShapeFindings& findings);

/// Warns where the cover could not be resolved: the gradient vanishes, or the surface bends too sharply.
void check_cover(const Cover& cover, double size, ShapeFindings& findings);

}  // namespace scree
