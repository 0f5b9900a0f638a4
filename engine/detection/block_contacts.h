// The contacts of a block of bodies: the second half of detection. Part of detection.cpp.
#pragma once

#include "engine/core/parallel.h"
#include "engine/detection/travel_bounds.h"

namespace scree {

/// All that contacts are made from.
struct Making {
  const DetectionInput& in;
  const PlacedShapes& placed;
  const DetectionWorkspace& w;
  const DetectionMemory& last;
  bool repeats;                 // is the cell periodic?
  bool is_known_apart = false;  // do DetectionWorkspace::apart and these seeds belong together?

  /// How far apart the two of a seed are at least, m.
  double apart(std::size_t seed, std::size_t i, std::int32_t b) const {
    return double{w.apart[seed]} - w.reach[i].moved - w.reach[b].moved;
  }

  double smallest_length(std::size_t i) const { return w.reach[i].smallest_length; }
  /// How much of what two surfaces travel in the step is of their turning, m.
  double turning(std::size_t i, std::size_t j) const {
    const std::vector<Vec3>& v = in.bodies.linear_velocity;
    return w.reach[i].travel + w.reach[j].travel - in.time_step_s * (v[i].norm() + v[j].norm());
  }
  /// Against each other; of an image, with its own.
  Vec3 velocity(std::size_t i, std::size_t j, const ImageShift* image) const {
    const Vec3 v = in.bodies.linear_velocity[i] - in.bodies.linear_velocity[j];
    return image == nullptr ? v : Vec3(v - image->velocity);
  }
  /// How near two bodies may come to each other in the step if nothing but each other moves them, m.
  double approach(std::size_t i, std::size_t j, const ImageShift* image) const {
    return in.time_step_s * velocity(i, j, image).norm() + turning(i, j) +
           resting_margin * (smallest_length(i) + smallest_length(j)) + in.bridge_m;
  }
};

/// All contacts of the bodies of a block, as the lower number of their pair, into w.found of the block.
void collide_block(const Making& m, const Block& block, DetectionWorkspace& w);
/// Frees the lists of a block.
void give_back_lists(DetectionWorkspace::Found& block);

}  // namespace scree
