// Bodies that passed through a plane between two moments.
#pragma once

#include <unordered_map>

#include "engine/measurements/measurement.h"

namespace scree {

/// Stores positions of bodies. In a periodic cell any image of a body may be given: between two
/// moments bodies move by less than half of the cell.
class Crossings {
 public:
  explicit Crossings(const MeasuringPlane& plane) : plane_(plane) {}

  /// Calls f(body, +1) for each body whose centre passed through the plane along its normal since the last
  /// moment, and f(body, -1) for the opposite direction. Bodies that are new or removed do not count.
  template <class F>
  void see(const MeasuredMoment& moment, F&& f) {
    const Bodies& bodies = moment.bodies;
    const bool same = bodies.id == id_;
    if (!same) find_rows();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Vec3* const before = same ? &position_[i] : place_of(bodies.id[i]);
      if (before == nullptr) continue;
      if (const int way = way_through(moment.cell, *before, bodies.position[i]); way != 0) f(i, way);
    }
    id_ = bodies.id;
    position_ = bodies.position;
    if (!moment.cell.is_periodic()) return;
    for (Vec3& x : position_) x += moment.cell.image_in_cell(x);  // in a flow other images have other speeds
  }

  /// Ids and places, for a checkpoint.
  void append_memory(std::vector<double>& numbers) const;
  /// Reads them from place `at` of the list on; returns the place after them.
  std::size_t remember(const std::vector<double>& numbers, std::size_t at);

 private:
  /// `from`: of the image that was in the cell; `to`: of any image.
  int way_through(const PlacedCell& cell, const Vec3& from, const Vec3& to) const;
  void find_rows();
  const Vec3* place_of(BodyId id) const {
    const auto found = rows_.find(id);
    return found == rows_.end() ? nullptr : &position_[found->second];
  }

  MeasuringPlane plane_;
  std::vector<BodyId> id_;      // [body] of the last moment
  std::vector<Vec3> position_;  // m, likewise; of the image in the cell
  std::unordered_map<BodyId, std::size_t> rows_;
};

}  // namespace scree
