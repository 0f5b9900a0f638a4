// Dense packings without overlap: a container shrinks around grains.
#pragma once

#include <vector>

#include "engine/bodies/cell.h"
#include "engine/geometry/shapes.h"
#include "engine/modules/generation/region.h"

namespace scree {

/// The region, scaled by a factor about its centre, or about the cell's centre if it is periodic.
Region enlarged(const Region& region, const PeriodicCell& cell, double factor);

/// Solid fraction of grains of this total volume in the region, and the factor by which it must be larger so
/// that random places are found easily.
struct Looseness {
  double solid_fraction = 0.0, factor = 1.0;
};
Looseness looseness(const Region& region, double grain_volume_m3);

/// Moves grains in the enlarged region with the region while it shrinks to its size. Grains that overlap or
/// stick out are moved and rotated apart, as a step corrects overlaps. This is the reverse of growing grains
/// (Jodrey and Tory 1985 used overlaps as forces; Lubachevsky and Stillinger 1990 used collisions). At the
/// end there are no overlaps. A region as wide as a periodic cell has no walls there. Returns the final
/// factor: 1, or more if there are too many grains. The same input gives the same bits on any number of
/// threads.
double compress(const Shapes& shapes, const std::vector<ShapeIndex>& shape, const Region& region,
                const PeriodicCell& cell, double factor, std::vector<Pose>& poses);

}  // namespace scree
