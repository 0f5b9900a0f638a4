// What sections that make grains have in common: their shape, sizes and region.
#pragma once

#include "engine/modules/generation/region.h"
#include "engine/modules/generation/size_distribution.h"
#include "io/scene/reading.h"

namespace scree::io {

ShapeDescription described_ellipsoid(const Vec3& semi_axes);
/// The same shape in another size.
ShapeDescription scaled_shape(ShapeDescription shape, double scale);

/// What keeps a body of this shape from standing beside shapes given by functions, which meet it as one of
/// them; empty if nothing does.
std::string problem_beside_functions(const ShapeDescription& shape, const Reading& reading);

/// By `semi_axes`, `radius`, or `shape` and `size`; faults where there are too many of them, or, if one is
/// `required`, none.
std::optional<ShapeDescription> read_grain_shape(const Section& section, bool required, Reading& reading);

/// A section "region" or an outlet, of a box or a cylinder.
std::optional<Region> read_region(const Section& section, Reading& reading);

/// The section's `orientation_spread`, rad; 0 without.
double read_spread(const Section& section, Reading& reading);

/// The section's `scale`; one size if it has none.
struct SizeLaw {
  SizeDistribution law;
  bool by_mass = false;
};
std::optional<SizeLaw> read_scale(const Section& section, Reading& reading);

}  // namespace scree::io
