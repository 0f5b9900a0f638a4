// Dense packings without overlap: grains that a container shrinks around.
#pragma once

#include <vector>

#include "engine/bodies/cell.h"
#include "engine/geometry/shapes.h"
#include "engine/modules/generation/region.h"

namespace scree {

/// A box or a cylinder, this many times as large about its centre, or about the cell's if it is periodic.
Region enlarged(const Region& region, const PeriodicCell& cell, double factor);

/// How dense grains of this total volume would be in the region, and how much larger it has to be for random
/// places to be found in it easily.
struct Looseness {
  double solid_fraction = 0.0, factor = 1.0;
};
Looseness looseness(const Region& region, double grain_volume_m3);

/// Moves grains, which lie in the enlarged region, with the region as it shrinks to its size; where they come
/// to overlap, or stick out, they are pushed and turned apart, as a step corrects overlaps. The reverse of
/// growing grains (Jodrey and Tory 1985 did it with overlaps as forces; Lubachevsky and Stillinger 1990 with
/// collisions). No two overlap at the end. A region as wide as a periodic cell ends nowhere there. Ends at
/// the factor that it comes to: 1, or more where they are too many. Same input, same bits on any number of
/// threads.
double compress(const Shapes& shapes, const std::vector<ShapeIndex>& shape, const Region& region,
                const PeriodicCell& cell, double factor, std::vector<Pose>& poses);

}  // namespace scree
