#include "engine/fields/coarse_graining.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"

namespace scree {

namespace {

// What a body carries: mass, momentum (3), m v v (6: xx yy zz xy yz xz), volume.
constexpr std::size_t body_values = 11;
using BodyLoad = std::array<double, body_values>;
// What a piece of a contact's line carries: force times line, N m.
using ContactLoad = std::array<double, 9>;

/// Things at points, to be spread over the cells about them.
template <class Load>
struct Cloud {
  std::vector<Vec3> point;  // m
  std::vector<Load> load;
};

/// Cells along one axis whose centres may lie within the width of x, not cut off at the grid: [first, end).
struct Reach {
  std::int64_t first, end;
};
Reach reach(const Grid& grid, double width, double x, int axis) {
  constexpr double far = 1e15;  // cells: off every grid, and still a number of one
  const double at = std::clamp((x - grid.low[axis]) / grid.cell - 0.5, -far, far), w = width / grid.cell;
  return {static_cast<std::int64_t>(std::ceil(at - w)), static_cast<std::int64_t>(std::floor(at + w)) + 1};
}

double centre(const Grid& grid, std::int64_t cell, int axis) {
  return grid.low[axis] + (static_cast<double>(cell) + 0.5) * grid.cell;
}

/// f(i, j, r^2) for the cells of layer k within reach of the point.
template <class F>
void for_layer(const Grid& grid, double width, const Vec3& point, std::int64_t k, F&& f) {
  const Reach x = reach(grid, width, point.x(), 0), y = reach(grid, width, point.y(), 1);
  const double dz = centre(grid, k, 2) - point.z();
  for (std::int64_t j = y.first; j < y.end; ++j) {
    const double dy = centre(grid, j, 1) - point.y();
    for (std::int64_t i = x.first; i < x.end; ++i) {
      const double dx = centre(grid, i, 0) - point.x();
      f(i, j, dx * dx + dy * dy + dz * dz);
    }
  }
}

/// Over the sum of the kernel at all points of the endless grid, times the volume of a cell.
double normalisation(const Grid& grid, double width, const Vec3& point) {
  double sum = 0.0;
  const Reach z = reach(grid, width, point.z(), 2);
  for (std::int64_t k = z.first; k < z.end; ++k) {
    for_layer(grid, width, point, k,
              [&](std::int64_t, std::int64_t, double r2) { sum += lucy_kernel(std::sqrt(r2), width); });
  }
  return 1.0 / (sum * grid.cell_volume());
}

/// [layer] which points reach it, in their order.
template <class Load>
std::vector<std::vector<std::uint32_t>> by_layer(const Grid& grid, double width, const Cloud<Load>& cloud) {
  std::vector<std::vector<std::uint32_t>> list(grid.count[2]);
  for (std::size_t p = 0; p < cloud.point.size(); ++p) {
    const Reach z = reach(grid, width, cloud.point[p].z(), 2);
    const auto layers = static_cast<std::int64_t>(grid.count[2]);
    for (std::int64_t k = std::max<std::int64_t>(z.first, 0); k < std::min(z.end, layers); ++k) {
      list[static_cast<std::size_t>(k)].push_back(static_cast<std::uint32_t>(p));
    }
  }
  return list;
}

/// [cell] sum of the loads times the kernel, per m^3. Layers of the grid are done in parallel, each by adding
/// the points in their order.
template <class Load>
std::vector<Load> spread(const Grid& grid, double width, const Cloud<Load>& cloud) {
  std::vector<double> scale(cloud.point.size());
  for_each_index(scale.size(), grain_heavy,
                 [&](std::size_t p) { scale[p] = normalisation(grid, width, cloud.point[p]); });
  const auto list = by_layer(grid, width, cloud);
  std::vector<Load> cells(grid.size(), Load{});
  const auto nx = static_cast<std::int64_t>(grid.count[0]), ny = static_cast<std::int64_t>(grid.count[1]);
  for_each_index(grid.count[2], 1, [&](std::size_t layer) {
    const auto k = static_cast<std::int64_t>(layer);
    for (const std::uint32_t p : list[layer]) {
      for_layer(grid, width, cloud.point[p], k, [&](std::int64_t i, std::int64_t j, double r2) {
        if (i < 0 || i >= nx || j < 0 || j >= ny || r2 >= width * width) return;
        const double weight = scale[p] * lucy_kernel(std::sqrt(r2), width);
        Load& cell = cells[static_cast<std::size_t>(i + nx * (j + ny * k))];
        for (std::size_t v = 0; v < cell.size(); ++v) cell[v] += weight * cloud.load[p][v];
      });
    }
  });
  return cells;
}

Cloud<BodyLoad> body_cloud(const Shapes& shapes, const Bodies& bodies) {
  Cloud<BodyLoad> cloud;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.position[i].allFinite() || !bodies.linear_velocity[i].allFinite()) continue;
    const double m = bodies.mass[i];
    const Vec3& v = bodies.linear_velocity[i];
    cloud.point.push_back(bodies.position[i]);
    cloud.load.push_back({m, m * v.x(), m * v.y(), m * v.z(), m * v.x() * v.x(), m * v.y() * v.y(),
                          m * v.z() * v.z(), m * v.x() * v.y(), m * v.y() * v.z(), m * v.x() * v.z(),
                          volume(shapes, bodies.shape[i])});
  }
  return cloud;
}

/// Nothing where the body is lost, as its centre is no place then. The force on a body acts along the line
/// from its contact to its centre.
void add_line(const ContactForce& contact, const Vec3& force, const Vec3& body, Cloud<ContactLoad>& cloud) {
  static const std::array<double, 3> place{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
  constexpr std::array<double, 3> weight{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  const Vec3 line = body - contact.point;
  if (!line.allFinite()) return;
  const Mat3 load = force * line.transpose();
  for (std::size_t g = 0; g < 3; ++g) {
    ContactLoad values;
    for (std::size_t v = 0; v < 9; ++v) {
      values[v] = weight[g] * load(static_cast<Eigen::Index>(v / 3), static_cast<Eigen::Index>(v % 3));
    }
    cloud.point.push_back(contact.point + place[g] * line);
    cloud.load.push_back(values);
  }
}

Cloud<ContactLoad> contact_cloud(const Bodies& bodies, std::span<const ContactForce> contacts) {
  Cloud<ContactLoad> cloud;
  for (const ContactForce& contact : contacts) {
    if (contact.force.isZero(0.0) || !contact.force.allFinite() || !contact.point.allFinite()) continue;
    add_line(contact, contact.force, bodies.position[static_cast<std::size_t>(contact.a)], cloud);
    if (contact.b >= 0)
      add_line(contact, -contact.force, bodies.position[static_cast<std::size_t>(contact.b)], cloud);
  }
  return cloud;
}

}  // namespace

Grid covering_grid(const Vec3& low, const Vec3& high, double margin, double cell) {
  Grid grid{low - Vec3::Constant(margin), cell, {}};
  for (int axis = 0; axis < 3; ++axis) {
    const double length = high[axis] - low[axis] + 2.0 * margin;
    const auto n = static_cast<std::size_t>(std::max(1.0, std::ceil(length / cell - 1e-9)));
    grid.count[static_cast<std::size_t>(axis)] = n;
    grid.low[axis] -= 0.5 * (static_cast<double>(n) * cell - length);
  }
  return grid;
}

double lucy_kernel(double r, double w) {
  if (r >= w) return 0.0;
  const double q = r / w, rest = 1.0 - q;
  return 105.0 / (16.0 * std::numbers::pi * w * w * w) * (1.0 + 3.0 * q) * rest * rest * rest;
}

CoarseFields coarse_fields(const Shapes& shapes, const Bodies& bodies, std::span<const ContactForce> contacts,
                           const Grid& grid, double width) {
  assert(width >= 1.5 * grid.cell);  // so that every point reaches a cell's centre
  const std::vector<BodyLoad> body = spread(grid, width, body_cloud(shapes, bodies));
  const std::vector<ContactLoad> contact = spread(grid, width, contact_cloud(bodies, contacts));
  CoarseFields fields;
  const std::size_t n = grid.size();
  fields.density.resize(n);
  fields.solid_fraction.resize(n);
  fields.velocity.assign(n, Vec3::Zero());
  fields.temperature.assign(n, 0.0);
  fields.kinetic_stress.assign(n, Mat3::Zero());
  fields.contact_stress.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    const BodyLoad& s = body[c];
    fields.density[c] = s[0];
    fields.solid_fraction[c] = s[10];
    fields.contact_stress[c] =
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(contact[c].data());
    if (!(s[0] > 0.0)) continue;
    const Vec3 v = Vec3(s[1], s[2], s[3]) / s[0];
    Mat3 flux;  // sum of m v v, from which the mean motion is taken out
    flux << s[4], s[7], s[9], s[7], s[5], s[8], s[9], s[8], s[6];
    fields.velocity[c] = v;
    fields.kinetic_stress[c] = flux - s[0] * v * v.transpose();
    fields.temperature[c] = std::max(0.0, fields.kinetic_stress[c].trace() / (3.0 * s[0]));
  }
  return fields;
}

}  // namespace scree
