// Periodic cells: space repeats itself along one, two or three directions, and may be sheared or
// squeezed at prescribed rates.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/core/types.h"

namespace scree {

/// The cell at one time. Bodies may be inside or outside the cell. A body stands for all its images, at x + S
/// for each S of the lattice; the images move with v + rate S.
struct PlacedCell {
  std::array<bool, 3> periodic{false, false, false};
  Vec3 centre = Vec3::Zero();           // m, the point that the deformation does not move
  Mat3 deformation = Mat3::Identity();  // since the start: F
  Mat3 rate = Mat3::Zero();             // 1/s, velocity gradient: dv_i/dx_j
  Mat3 lattice = Mat3::Identity();      // m, columns: shortest lattice vectors; 1 m if not periodic
  Mat3 inverse = Mat3::Identity();
  double volume = 0.0;  // m^3

  bool is_periodic() const { return periodic[0] || periodic[1] || periodic[2]; }
  bool flows() const { return !rate.isZero(0.0); }
  /// S of the image of a point that is nearest to the origin, if the nearest image is nearer than half
  /// the cell's least width; exactly zero for points within half of the cell.
  Vec3 nearest_image(const Vec3& x) const { return -lattice_point(inverse * x); }
  /// S of the image of a body that lies in the cell about its centre.
  Vec3 image_in_cell(const Vec3& x) const { return nearest_image(x - centre); }
  /// Calls f(S) for each image x + S of a point in a box, until f returns false; then returns false too.
  /// In a cell without periodic directions a point is its only image. A point that is not finite, or too far
  /// away for exact counts, has no image.
  template <class F>
  bool visit_images(const Vec3& x, const Vec3& middle, const Vec3& half_extents, F&& f) const;
  /// Velocity of images at S, m/s.
  Vec3 image_velocity(const Vec3& shift) const { return rate * shift; }
  /// Velocity of the flow at a place, m/s.
  Vec3 flow(const Vec3& x) const { return rate * (x - centre); }
  /// The least distance of opposite faces in periodic directions, m.
  double least_width() const;

 private:
  Vec3 lattice_point(const Vec3& fraction) const;
};

/// A homogeneous flow for a period of time.
struct CellFlow {
  Mat3 rate = Mat3::Zero();             // 1/s, dv_i/dx_j
  double start = 0.0, stop = infinity;  // s
};

/// exp(a t).
Mat3 exponential(const Mat3& a, double t);

/// A stress along an axis that a cell keeps constant by stretching or compressing itself along that axis.
struct HeldStress {
  double stress = 0.0;   // Pa, positive in compression
  double inertia = 1.0;  // of its strain rate, over (mass of the bodies x square of the cell's edge)
  double largest_rate = infinity;  // 1/s, of stretching or compression
};

/// The state of a cell that holds stresses.
struct CellState {
  Mat3 deformation = Mat3::Identity();  // F at this time
  double time_s = 0.0;
  Vec3 rate = Vec3::Zero();  // 1/s, strain rates along axes with a held stress
  Vec3 gain = Vec3::Zero();  // 1/s, change of these rates that bodies have not been given yet
};

/// The cell of a scene. Without settings no direction is periodic.
struct PeriodicCell {
  std::array<bool, 3> periodic{false, false, false};
  Vec3 low = Vec3::Zero(), high = Vec3::Ones();   // m, corners of the box at the start
  std::vector<CellFlow> flow;                     // one after the other
  std::array<std::optional<HeldStress>, 3> held;  // along x, y, z; its strain rate is added to the flow's

  bool is_periodic() const { return periodic[0] || periodic[1] || periodic[2]; }
  bool holds_stress() const { return held[0] || held[1] || held[2]; }
  bool flows() const { return !flow.empty() || holds_stress(); }
  /// Rate of the flows at a time, 1/s.
  Mat3 rate_at(double time_s) const;
  /// Mean rate of the flows over a step, 1/s, for bodies whose velocity is constant in the step. It equals
  /// the rate of a flow, bit for bit, if this flow fills the step except for a millionth part.
  Mat3 mean_rate(double begin_s, double end_s) const;
  /// The cell at a time, from its flows alone, with the rate at that time. Exact: F is the product of
  /// exp(rate time) of its flows.
  PlacedCell at(double time_s) const;
  /// The cell within a step that begins at `begin_s`, or at its ends, from the mean rate of the flows (1/s)
  /// and the state `from`: it moves as the bodies do, also if a flow begins or ends within the step.
  PlacedCell in_step(double time_s, double begin_s, const Mat3& mean, const CellState& from) const;

 private:
  PlacedCell placed(const Mat3& deformation, const Mat3& rate) const;
};

template <class F>
bool PlacedCell::visit_images(const Vec3& x, const Vec3& middle, const Vec3& half_extents, F&& f) const {
  constexpr double far = 1e15;  // cells: up to this number adding one changes a double
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
