// Cells without walls: space repeats itself along one, two or three directions, and may be sheared or
// squeezed at prescribed rates.
#pragma once

#include <array>
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
  /// At a time, by its flows alone; the rate is the one then. Exact: F is the product of exp(rate time) of
  /// its flows.
  PlacedCell at(double time_s) const;
  /// At a time, from what it has come to; the same unless it holds a stress.
  PlacedCell at(double time_s, const CellState& from) const;

 private:
  PlacedCell placed(const Mat3& deformation, const Mat3& rate) const;
};

}  // namespace scree
