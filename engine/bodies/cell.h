// Cells without walls: space repeats itself along one, two or three directions, and may be sheared or
// squeezed at prescribed rates.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/core/types.h"

namespace scree {

/// The cell as it stands at some time. Bodies are where they have gone to, in or out of it; each stands for
/// all its images, at x + S for every S of the lattice, which move with v + rate S.
struct PlacedCell {
  std::array<bool, 3> periodic{false, false, false};
  Vec3 centre = Vec3::Zero();           // m, what the deformation leaves where it is
  Mat3 deformation = Mat3::Identity();  // since the start: F
  Mat3 rate = Mat3::Zero();             // 1/s, velocity gradient: dv_i/dx_j
  Mat3 lattice = Mat3::Identity();      // m, columns: as short as the lattice has them; of others 1 m
  Mat3 inverse = Mat3::Identity();
  double volume = 0.0;  // m^3

  bool is_periodic() const { return periodic[0] || periodic[1] || periodic[2]; }
  bool flows() const { return !rate.isZero(0.0); }
  /// S of the image of a point that is nearest to the origin, for points whose nearest is nearer than half
  /// the cell's least width; exactly zero for points within half of the cell.
  Vec3 nearest_image(const Vec3& x) const { return -lattice_point(inverse * x); }
  /// S of a body's image in the cell about its centre.
  Vec3 image_in_cell(const Vec3& x) const { return nearest_image(x - centre); }
  /// Calls f(S) for every image x + S of a point that lies in a box, until f returns false; false if it did.
  /// A point of a cell that repeats nothing is its only image; one without a place, or too far away to count,
  /// has none.
  template <class F>
  bool visit_images(const Vec3& x, const Vec3& middle, const Vec3& half_extents, F&& f) const;
  /// Of images at S, m/s.
  Vec3 image_velocity(const Vec3& shift) const { return rate * shift; }
  /// Of the flow at a place, m/s.
  Vec3 flow(const Vec3& x) const { return rate * (x - centre); }
  /// The least distance of opposite faces, of periodic directions, m.
  double least_width() const;

 private:
  Vec3 lattice_point(const Vec3& fraction) const;
};

/// A homogeneous flow for a while.
struct CellFlow {
  Mat3 rate = Mat3::Zero();             // 1/s, dv_i/dx_j
  double start = 0.0, stop = infinity;  // s
};

/// exp(a t).
Mat3 exponential(const Mat3& a, double t);

/// A stress that a cell holds along an axis, by stretching and squeezing itself along it.
struct HeldStress {
  double stress = 0.0;   // Pa, positive in compression
  double inertia = 1.0;  // of its strain rate, over the bodies' mass times the square of the cell's edge
  double largest_rate = infinity;  // 1/s, of stretching or squeezing
};

/// What a cell that holds stresses has come to.
struct CellState {
  Mat3 deformation = Mat3::Identity();  // F at this time
  double time_s = 0.0;
  Vec3 rate = Vec3::Zero();  // 1/s, along axes whose stress is held
  Vec3 gain = Vec3::Zero();  // 1/s, of these rates, that bodies have still to be given
};

/// The cell of a scene. Nothing is periodic unless it says so.
struct PeriodicCell {
  std::array<bool, 3> periodic{false, false, false};
  Vec3 low = Vec3::Zero(), high = Vec3::Ones();   // m, of the box that it is at the start
  std::vector<CellFlow> flow;                     // one after the other
  std::array<std::optional<HeldStress>, 3> held;  // along x, y, z; its strain rate goes on top of the flow's

  bool is_periodic() const { return periodic[0] || periodic[1] || periodic[2]; }
  bool holds_stress() const { return held[0] || held[1] || held[2]; }
  bool flows() const { return !flow.empty() || holds_stress(); }
  /// Of the flows at a time, 1/s.
  Mat3 rate_at(double time_s) const;
  /// Of the flows in the mean of a step, 1/s: what bodies move with that keep one velocity in it. It is the
  /// rate of a flow, bit for bit, that fills all of the step but its millionth part.
  Mat3 mean_rate(double begin_s, double end_s) const;
  /// At a time, by its flows alone; the rate is the one then. Exact: F is the product of exp(rate time) of
  /// its flows.
  PlacedCell at(double time_s) const;
  /// In a step that begins at `begin_s`, or at its ends, with the mean rate of the flows in it (1/s) and what
  /// the cell has come to: it moves as the bodies do, also where a flow begins or ends within the step.
  PlacedCell in_step(double time_s, double begin_s, const Mat3& mean, const CellState& from) const;

 private:
  PlacedCell placed(const Mat3& deformation, const Mat3& rate) const;
};

template <class F>
bool PlacedCell::visit_images(const Vec3& x, const Vec3& middle, const Vec3& half_extents, F&& f) const {
  constexpr double far = 1e15;  // cells: one more is a number of its own until there
  const Vec3 to = inverse * (middle - x), reach = inverse.cwiseAbs() * half_extents;
  if (!(to.cwiseAbs().maxCoeff() < far && reach.maxCoeff() < far)) return true;
  Vec3 first = Vec3::Zero(), last = Vec3::Zero(), turns;
  for (int k = 0; k < 3; ++k) {
    if (!periodic[k]) continue;
    first[k] = std::ceil(to[k] - reach[k]);
    last[k] = std::floor(to[k] + reach[k]);
  }
  for (turns[2] = first[2]; turns[2] <= last[2]; ++turns[2]) {
    for (turns[1] = first[1]; turns[1] <= last[1]; ++turns[1]) {
      for (turns[0] = first[0]; turns[0] <= last[0]; ++turns[0]) {
        const Vec3 shift = lattice_point(turns);
        if (((x + shift - middle).cwiseAbs() - half_extents).maxCoeff() > 0.0) continue;
        if (!f(shift)) return false;
      }
    }
  }
  return true;
}

}  // namespace scree
