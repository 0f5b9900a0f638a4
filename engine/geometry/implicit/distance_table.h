// Signed distances from a body's surface on a grid: a few operations exclude far points. Only searches use
// it; no contact is computed from it.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "engine/geometry/implicit/surface_cover.h"

namespace scree {

struct DistanceTable {
  Vec3 low = Vec3::Zero();      // m, of the grid
  double inverse_cell = 0.0;    // 1/m
  std::array<int, 3> cells{};   // along x, y, z
  std::vector<float> distance;  // m, [nodes] x fastest; positive outside
  double error = 0.0;           // m, largest error in the middles of cells
  double excess = 0.0;          // m, largest overestimate, outside and nearer than `near`
  double near = 0.0;            // m
};

inline constexpr int cells_beyond_box = 3;  // margin of the grid around the box

/// `box` contains the body.
DistanceTable distance_table(const PerturbedQuadric& f, const Cover& cover, const Box& box, int cells);

/// m, interpolated, within the table's errors; beyond the grid a lower bound.
[[gnu::always_inline]] inline double distance(const DistanceTable& t, const Vec3& x) {
  const Vec3 at = t.inverse_cell * (x - t.low);
  std::size_t i[3];
  double w[3], beyond = 0.0;
  for (int k = 0; k < 3; ++k) {
    const auto last = static_cast<double>(t.cells[k]);
    const double inside = at[k] < 0.0 ? 0.0 : (at[k] > last ? last : at[k]);
    const double out = std::abs(at[k] - inside);
    if (out > 0.0) beyond += (out + cells_beyond_box) * (out + cells_beyond_box);
    i[k] = static_cast<std::size_t>(inside < last - 1.0 ? inside : last - 1.0);
    w[k] = inside - static_cast<double>(i[k]);
  }
  if (beyond > 0.0) return std::sqrt(beyond) / t.inverse_cell;
  const auto nx = static_cast<std::size_t>(t.cells[0]), ny = static_cast<std::size_t>(t.cells[1]);
  const std::size_t row = nx + 1, layer = row * (ny + 1);
  const float* d = t.distance.data() + i[0] + row * i[1] + layer * i[2];
  const auto mix = [](double weight, double a, double b) { return a + weight * (b - a); };
  const auto along_x = [&](const float* p) { return mix(w[0], double{p[0]}, double{p[1]}); };
  const auto in_layer = [&](const float* p) { return mix(w[1], along_x(p), along_x(p + row)); };
  return mix(w[2], in_layer(d), in_layer(d + layer));
}

}  // namespace scree
