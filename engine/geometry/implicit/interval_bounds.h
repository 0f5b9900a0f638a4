// Bounds of F', its gradient and its second derivatives in a box: interval arithmetic with directed
// rounding (boost::numeric::interval, used only behind this header), so that the bounds also hold in exact
// arithmetic. Taylor form about the middle of the box: the overestimate decreases with the
// square of its size.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "engine/geometry/implicit/perturbed_quadric.h"

namespace scree {

struct Range {
  double low, high;
  double width() const { return high - low; }
  double largest() const { return high > -low ? high : -low; }  // largest absolute value
};

struct Box {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  Vec3 middle() const { return 0.5 * (low + high); }
  Vec3 size() const { return high - low; }
};

/// The two halves of a box across its longest side.
std::array<Box, 2> halves(const Box& box);

Range value_range(const PerturbedQuadric& f, const Box& box);

/// In the order of Quadric: xx, yy, zz, xy, xz, yz.
struct Bounds {
  Range value;
  std::array<Range, 3> gradient;
  std::array<Range, 6> second;
};
Bounds bounds(const PerturbedQuadric& f, const Box& box);

/// A smaller box that contains all of the surface within the box; none if there is no surface (interval
/// Newton with the gradient's bounds).
std::optional<Box> contract(const PerturbedQuadric& f, const Box& box, const Bounds& of);

/// Half the side of a cube about the origin outside of which F' < 0 for certain; none if none below `most`
/// can be proven.
std::optional<double> bounding_cube(const PerturbedQuadric& f, double most);

/// Upper bounds, by branch and bound on boxes that contain all of the surface: of the largest direction.x
/// (support function) and of the largest |x|. `known`: a value attained at a surface point; the bound is
/// at most `tolerance` above the larger of it and the true value.
double support_above(const PerturbedQuadric& f, std::span<const Box> surface, const Vec3& direction,
                     double known, double tolerance);
double distance_above(const PerturbedQuadric& f, std::span<const Box> surface, double known,
                      double tolerance);

}  // namespace scree
