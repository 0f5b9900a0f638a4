// Bounds of the travel of bodies and boundaries within a step: the first half of detection. Part of
// detection.cpp.
#pragma once

#include <cstring>

#include "engine/detection/detection.h"

namespace scree {

// Largest gap of contacts between bodies at rest, over the smallest length: impulses of the same step may
// move them. Each body contributes half.
inline constexpr double resting_margin = 0.01;

/// Copies plain numbers as bytes; types with Eigen's vectors would be copied member by member.
template <class T>
void copy_plain(const T* from, std::size_t count, T* to) {
  if (count > 0) std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
}

/// Travel of bodies in the step by themselves, m: least and most of all.
struct TravelBounds {
  double least = infinity, most = 0.0;
};
/// Places all bodies; the workspace gets their boxes and their travel by themselves.
TravelBounds place_bodies(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w);
/// The same for ghosts, which differ from those of the last detection; own bodies are placed already.
TravelBounds place_ghosts(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w);
/// Any neighbour may push a body within the step: so it may travel as far as its fastest neighbour.
void spread_reach(DetectionWorkspace& w);
/// Widens boxes of bodies that others may push further than they move by themselves; true if any did widen.
bool widen_boxes(DetectionWorkspace& w);
/// Places the boundaries, with guards that exclude most bodies from most of them.
void place_boundaries(const DetectionInput& in, DetectionWorkspace& w);
/// Travel of a boundary's surface in the step at a body's place, m.
double travel_of(const DetectionInput& in, const DetectionWorkspace& w, std::size_t boundary, std::size_t i);

}  // namespace scree
