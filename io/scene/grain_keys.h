// Common keys of sections that create grains: shape, sizes and region.
#pragma once

#include "engine/modules/generation/region.h"
#include "engine/modules/generation/size_distribution.h"
#include "io/scene/reading.h"

namespace scree::io {

ShapeDescription described_ellipsoid(const Vec3& semi_axes);
/// The same shape in another size.
ShapeDescription scaled_shape(ShapeDescription shape, double scale);

/// The reason why a body of this shape cannot collide with shapes given by functions, which treat it as a
/// function; empty if there is none.
std::string problem_beside_functions(const ShapeDescription& shape, const Reading& reading);

/// From `semi_axes`, `radius`, or `shape` and `size`; faults if there are too many of them, or, if one is
/// `required`, none.
std::optional<ShapeDescription> read_grain_shape(const Section& section, bool required, Reading& reading);

/// A section "region" or an outlet, as a box or a cylinder.
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
