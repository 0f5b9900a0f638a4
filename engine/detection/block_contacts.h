// The contacts of a block of bodies: the second half of detection. Part of detection.cpp.
#pragma once

#include "engine/core/parallel.h"
#include "engine/detection/travel_bounds.h"

namespace scree {

/// The data from which contacts are made.
struct Making {
  const DetectionInput& in;
  const PlacedShapes& placed;
  const DetectionWorkspace& w;
  const DetectionMemory& last;
  bool repeats;                 // is the cell periodic?
  bool is_known_apart = false;  // do DetectionWorkspace::apart and the cached normals belong together?

  /// The least distance of the two bodies of a cached normal, m.
  double apart(std::size_t seed, std::size_t i, std::int32_t b) const {
    return double{w.apart[seed]} - w.reach[i].moved - w.reach[b].moved;
  }

  double smallest_length(std::size_t i) const { return w.reach[i].smallest_length; }
  /// The distance that two surfaces may travel in the step by rotation, m.
  double turning(std::size_t i, std::size_t j) const {
    const std::vector<Vec3>& v = in.bodies.linear_velocity;
    return w.reach[i].travel + w.reach[j].travel - in.time_step_s * (v[i].norm() + v[j].norm());
  }
  /// Relative velocity; an image has its own velocity.
  Vec3 velocity(std::size_t i, std::size_t j, const ImageShift* image) const {
    const Vec3 v = in.bodies.linear_velocity[i] - in.bodies.linear_velocity[j];
    return image == nullptr ? v : Vec3(v - image->velocity);
  }
  /// The distance by which two bodies may approach in the step if only their own contact acts, m.
  double approach(std::size_t i, std::size_t j, const ImageShift* image) const {
    return in.time_step_s * velocity(i, j, image).norm() + turning(i, j) +
           resting_margin * (smallest_length(i) + smallest_length(j)) + in.bridge_m;
  }
};

/// Finds all contacts of a block's bodies in which they are body a; they go to w.found of the block.
void collide_block(const Making& m, const Block& block, DetectionWorkspace& w);
/// Frees the lists of a block.
void give_back_lists(DetectionWorkspace::Found& block);

}  // namespace scree
