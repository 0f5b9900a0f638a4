#include "engine/modules/fields/coarse_graining.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"

namespace scree {

namespace {

// Values of a body: mass, momentum (3), m v v (6: xx yy zz xy yz xz), volume.
constexpr std::size_t body_values = 11;
using BodyLoad = std::array<double, body_values>;
// Value of a piece of a contact's line: force times line, N m.
using ContactLoad = std::array<double, 9>;

/// Loads at points, which are spread over the cells around them.
template <class Load>
struct Cloud {
  std::vector<Vec3> point;  // m
  std::vector<Load> load;
};

/// The kernel on a grid: the grid points within its radius of other points.
class Kernel {
 public:
  Kernel(const Grid& grid, double width)
      : grid_(grid),
        width_(width),
        to_cells_(grid.edges.inverse()),
        reach_(width * to_cells_.rowwise().norm()) {}

  /// Cells along one edge whose centres may be within the width, not limited to the grid: [first,
  /// end).
  struct Reach {
    std::int64_t first, end;
  };
  Reach reach(const Vec3& point, int axis) const { return reach_of(in_cells(point)[axis], axis); }

  /// Does it reach any cell of the grid?
  bool reaches(const Vec3& point) const {
    const Vec3 at = in_cells(point);
    for (int axis = 0; axis < 3; ++axis) {
      const Reach r = reach_of(at[axis], axis);
      if (r.end <= 0 || r.first >= static_cast<std::int64_t>(grid_.count[axis])) return false;
    }
    return true;
  }

  /// Calls f(i, j, r^2) for the cells of layer k within reach of the point.
  template <class F>
  void for_layer(const Vec3& point, std::int64_t k, F&& f) const {
    const Vec3 at = in_cells(point);
    const Reach x = reach_of(at[0], 0), y = reach_of(at[1], 1);
    const Vec3 of_layer = (static_cast<double>(k) - at[2]) * grid_.edges.col(2);
    for (std::int64_t j = y.first; j < y.end; ++j) {
      const Vec3 of_row = of_layer + (static_cast<double>(j) - at[1]) * grid_.edges.col(1);
      for (std::int64_t i = x.first; i < x.end; ++i)
        f(i, j, (of_row + (static_cast<double>(i) - at[0]) * grid_.edges.col(0)).squaredNorm());
    }
  }

  /// Factor so that the sum of the kernel at all points of the infinite grid, times the cell volume, is 1.
  double normalisation(const Vec3& point) const {
    double sum = 0.0;
    const Reach z = reach(point, 2);
    for (std::int64_t k = z.first; k < z.end; ++k) {
      for_layer(point, k,
                [&](std::int64_t, std::int64_t, double r2) { sum += lucy_kernel(std::sqrt(r2), width_); });
    }
    return 1.0 / (sum * grid_.cell_volume());
  }

 private:
  /// Relative to the centre of the first cell, in edges.
  Vec3 in_cells(const Vec3& point) const { return to_cells_ * (point - grid_.low) - Vec3::Constant(0.5); }
  Reach reach_of(double at, int axis) const {
    constexpr double far = 1e15;  // cells: outside of each grid, and still within the range of integers
    at = std::clamp(at, -far, far);
    return {static_cast<std::int64_t>(std::ceil(at - reach_[axis])),
            static_cast<std::int64_t>(std::floor(at + reach_[axis])) + 1};
  }

  const Grid& grid_;
  double width_;
  Mat3 to_cells_;
  Vec3 reach_;  // of the width, in edges
};

/// [layer] points that reach it, in their order.
template <class Load>
std::vector<std::vector<std::uint32_t>> by_layer(const Grid& grid, const Kernel& kernel,
                                                 const Cloud<Load>& cloud) {
  std::vector<std::vector<std::uint32_t>> list(grid.count[2]);
  for (std::size_t p = 0; p < cloud.point.size(); ++p) {
    const Kernel::Reach z = kernel.reach(cloud.point[p], 2);
    const auto layers = static_cast<std::int64_t>(grid.count[2]);
    for (std::int64_t k = std::max<std::int64_t>(z.first, 0); k < std::min(z.end, layers); ++k) {
      list[k].push_back(static_cast<std::uint32_t>(p));
    }
  }
  return list;
}

/// [cell] sum of the loads times the kernel, per m^3. Layers of the grid run in parallel; each adds
/// the points in their order.
template <class Load>
std::vector<Load> spread(const Grid& grid, double width, const Cloud<Load>& cloud) {
  const Kernel kernel(grid, width);
  std::vector<double> scale(cloud.point.size());
  for_each_index(scale.size(), grain_heavy,
                 [&](std::size_t p) { scale[p] = kernel.normalisation(cloud.point[p]); });
  const auto list = by_layer(grid, kernel, cloud);
  std::vector<Load> cells(grid.size(), Load{});
  const auto nx = static_cast<std::int64_t>(grid.count[0]), ny = static_cast<std::int64_t>(grid.count[1]);
  for_each_index(grid.count[2], 1, [&](std::size_t layer) {
    const auto k = static_cast<std::int64_t>(layer);
    for (const std::uint32_t p : list[layer]) {
      kernel.for_layer(cloud.point[p], k, [&](std::int64_t i, std::int64_t j, double r2) {
        if (i < 0 || i >= nx || j < 0 || j >= ny || r2 >= width * width) return;
        const double weight = scale[p] * lucy_kernel(std::sqrt(r2), width);
        Load& cell = cells[i + nx * (j + ny * k)];
        for (std::size_t v = 0; v < cell.size(); ++v) cell[v] += weight * cloud.load[p][v];
      });
    }
  });
  return cells;
}

/// The images of points that reach the grid.
class Images {
 public:
  Images(const Grid& grid, double width, const PlacedCell& cell) : cell_(cell), kernel_(grid, width) {
    const Mat3 sides = grid.edges * grid.extent().asDiagonal();
    middle_ = grid.low + 0.5 * sides.rowwise().sum();
    half_ = 0.5 * sides.cwiseAbs().rowwise().sum() + Vec3::Constant(width);
  }
  /// Adds the point at x + S with load(S) for all these S.
  template <class Load, class F>
  void add(const Vec3& x, F&& load, Cloud<Load>& cloud) const {
    cell_.visit_images(x, middle_, half_, [&](const Vec3& shift) {
      if (!kernel_.reaches(x + shift)) return true;
      cloud.point.push_back(x + shift);
      cloud.load.push_back(load(shift));
      return true;
    });
  }
  /// The image of a body that is nearest to a point.
  Vec3 nearest_to(const Vec3& point, const Vec3& body) const {
    return body + cell_.nearest_image(body - point);
  }
  const PlacedCell& cell() const { return cell_; }

 private:
  const PlacedCell& cell_;
  Kernel kernel_;
  Vec3 middle_, half_;  // m, of the grid's bounding box plus `width`
};

Cloud<BodyLoad> body_cloud(const Shapes& shapes, const Bodies& bodies, const Images& images) {
  Cloud<BodyLoad> cloud;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.position[i].allFinite() || !bodies.linear_velocity[i].allFinite()) continue;
    const double m = bodies.mass[i], space = volume(shapes, bodies.shape[i]);
    const auto load = [&](const Vec3& shift) {
      const Vec3 v = bodies.linear_velocity[i] + images.cell().image_velocity(shift);
      return BodyLoad{m,
                      m * v.x(),
                      m * v.y(),
                      m * v.z(),
                      m * v.x() * v.x(),
                      m * v.y() * v.y(),
                      m * v.z() * v.z(),
                      m * v.x() * v.y(),
                      m * v.y() * v.z(),
                      m * v.x() * v.z(),
                      space};
    };
    images.add(bodies.position[i], load, cloud);
  }
  return cloud;
}

/// Adds nothing if the body is lost and its centre is not finite. The force on a body acts along the line
/// from its contact to its centre.
void add_line(const Vec3& point, const Vec3& force, const Vec3& body, const Images& images,
              Cloud<ContactLoad>& cloud) {
  static const std::array<double, 3> place{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
  constexpr std::array<double, 3> weight{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  if (!body.allFinite()) return;
  const Vec3 line = images.nearest_to(point, body) - point;
  const Mat3 load = force * line.transpose();
  for (std::size_t g = 0; g < 3; ++g) {
    ContactLoad values;
    for (std::size_t v = 0; v < 9; ++v) {
      values[v] = weight[g] * load(static_cast<Eigen::Index>(v / 3), static_cast<Eigen::Index>(v % 3));
    }
    images.add(
        point + place[g] * line, [&](const Vec3&) { return values; }, cloud);
  }
}

Cloud<ContactLoad> contact_cloud(const Bodies& bodies, std::span<const ContactForce> contacts,
                                 const Images& images) {
  Cloud<ContactLoad> cloud;
  for (const ContactForce& contact : contacts) {
    if (contact.force.isZero(0.0) || !contact.force.allFinite() || !contact.point.allFinite()) continue;
    const auto centre = [&](std::int32_t body) { return bodies.position[body]; };
    add_line(contact.point, contact.force, centre(contact.a), images, cloud);
    if (contact.b >= 0) add_line(contact.point, -contact.force, centre(contact.b), images, cloud);
  }
  return cloud;
}

}  // namespace

Grid covering_grid(const Vec3& low, const Vec3& high, double margin, double cell) {
  Grid grid{low - Vec3::Constant(margin), cell * Mat3::Identity(), {}};
  for (int axis = 0; axis < 3; ++axis) {
    const double length = high[axis] - low[axis] + 2.0 * margin;
    const auto n = static_cast<std::size_t>(std::max(1.0, std::ceil(length / cell - 1e-9)));
    grid.count[axis] = n;
    grid.low[axis] -= 0.5 * (static_cast<double>(n) * cell - length);
  }
  return grid;
}

Grid covering_grid(const PlacedCell& periodic, const Vec3& low, const Vec3& high, double margin,
                   double cell) {
  // Lengths of cells that hold a stress change continuously: a change of a hundredth of a cell does not
  // change their number.
  constexpr double allowance = 0.01;
  Grid grid = covering_grid(low, high, margin, cell);
  for (int axis = 0; axis < 3; ++axis)
    if (periodic.periodic[axis]) grid.low[axis] = periodic.centre[axis];
  for (int axis = 0; axis < 3; ++axis) {
    if (!periodic.periodic[axis]) continue;
    const Vec3 side = periodic.lattice.col(axis);
    const double n = std::max(1.0, std::ceil(side.norm() / cell - allowance));
    grid.count[axis] = static_cast<std::size_t>(n);
    grid.edges.col(axis) = side / n;
    grid.low -= 0.5 * side;
  }
  return grid;
}

double lucy_kernel(double r, double w) {
  if (r >= w) return 0.0;
  const double q = r / w, rest = 1.0 - q;
  return 105.0 / (16.0 * std::numbers::pi * w * w * w) * (1.0 + 3.0 * q) * rest * rest * rest;
}

CoarseFields coarse_fields(const Shapes& shapes, const Bodies& bodies, std::span<const ContactForce> contacts,
                           const Grid& grid, double width, const PlacedCell& cell) {
  // So that each point reaches the centre of a cell.
  assert(width >= 1.49 * grid.edges.colwise().norm().maxCoeff());
  const Images images(grid, width, cell);
  const std::vector<BodyLoad> body = spread(grid, width, body_cloud(shapes, bodies, images));
  const std::vector<ContactLoad> contact = spread(grid, width, contact_cloud(bodies, contacts, images));
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
    Mat3 flux;  // sum of m v v; the mean motion is subtracted below
    flux << s[4], s[7], s[9], s[7], s[5], s[8], s[9], s[8], s[6];
    fields.velocity[c] = v;
    fields.kinetic_stress[c] = flux - s[0] * v * v.transpose();
    fields.temperature[c] = std::max(0.0, fields.kinetic_stress[c].trace() / (3.0 * s[0]));
  }
  return fields;
}

}  // namespace scree
