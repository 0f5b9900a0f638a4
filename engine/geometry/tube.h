// A finite open tube: hit from inside, from outside and on its two rims.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// The wall is every point within thickness/2 of the middle surface: the cylinder of radius inner_radius +
/// thickness/2 between `start` and `end`. The rims are therefore rounded with radius thickness/2, and the
/// surface normal is continuous everywhere.
struct Tube {
  Vec3 start = Vec3::Zero(), end = Vec3::UnitZ();  // m, ends of the axis
  double inner_radius = 1.0;                       // m
  double thickness = 0.1;                          // m

  double middle_radius() const { return inner_radius + 0.5 * thickness; }
  double outer_radius() const { return inner_radius + thickness; }
};

}  // namespace scree
