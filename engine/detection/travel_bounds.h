// How far bodies and boundaries may get within a step: the first half of detection. Part of detection.cpp.
#pragma once

#include <cstring>

#include "engine/detection/detection.h"

namespace scree {

// Gap up to which contacts are kept even between bodies at rest, over the smallest length: impulses of the
// same step may set them moving. Each body brings half.
inline constexpr double resting_margin = 0.01;

/// Copies plain numbers as bytes: what has Eigen's vectors in it would go member by member.
template <class T>
void copy_plain(const T* from, std::size_t count, T* to) {
  if (count > 0) std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
}

/// How far bodies may get in the step by themselves, m: least and most of all.
struct TravelBounds {
  double least = infinity, most = 0.0;
};
/// Places all bodies; their boxes and how far they get by themselves go to the workspace.
TravelBounds place_bodies(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w);
/// Likewise of ghosts, which are others than at the last detection; of the others that has been done.
TravelBounds place_ghosts(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w);
/// A body may be set moving within the step by any of its neighbours: it gets as far as the fastest of them.
void spread_reach(DetectionWorkspace& w);
/// Boxes of bodies that others may push further than they move by themselves; is there any that counts?
bool widen_boxes(DetectionWorkspace& w);
/// Places the boundaries, with what keeps most bodies from most of them.
void place_boundaries(const DetectionInput& in, DetectionWorkspace& w);
/// How far a boundary's surface moves in the step where a body is, m.
double travel_of(const DetectionInput& in, const DetectionWorkspace& w, std::size_t boundary, std::size_t i);

}  // namespace scree
