#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "engine/modules/fields/packing_profile.h"
#include "io/render/run_scene.h"
#include "io/report/plots.h"
#include "io/results/recorded_fields.h"

namespace scree::io {

namespace {

constexpr std::size_t size_bins = 24, direction_bins = 20, packing_layers = 50;

/// Counts in equal bins between low and high; values outside go into the outermost bins.
std::vector<double> histogram(const std::vector<double>& values, double low, double high, std::size_t bins) {
  std::vector<double> count(bins, 0.0);
  for (const double v : values) {
    const double at = high > low ? (v - low) / (high - low) * static_cast<double>(bins) : 0.0;
    if (std::isfinite(at))
      ++count[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(bins) - 0.5))];
  }
  return count;
}

std::vector<double> bin_centres(double low, double high, std::size_t bins) {
  std::vector<double> x;
  for (std::size_t k = 0; k < bins; ++k) {
    x.push_back(low + (high - low) * (static_cast<double>(k) + 0.5) / static_cast<double>(bins));
  }
  return x;
}

Plot size_plot(const TrajectoryReader& reader) {
  std::vector<double> radius;
  for (const double r : radii(reader.run())) radius.push_back(1e3 * r);
  Plot plot;
  plot.title = "Sizes";
  plot.x_label = "radius of the sphere of the same volume, mm";
  plot.y_label = "bodies";
  plot.bars = true;
  auto [low, high] = std::minmax_element(radius.begin(), radius.end());
  // All of the same size: one bar in the middle.
  const bool equal = *high - *low < 1e-6 * *high;
  const double from = equal ? 0.9 * *low : *low, to = equal ? 1.1 * *high : *high;
  const std::size_t bins = equal ? 5 : size_bins;
  plot.x = bin_centres(from, to, bins);
  plot.series.push_back({"bodies", histogram(radius, from, to, bins)});
  return plot;
}

/// Cosines between the longest axes of bodies, those of the least moments of inertia, and the vertical,
/// without signs; spheres have none.
std::vector<double> cosines(const Bodies& bodies, const Vec3& up) {
  std::vector<double> values;
  constexpr double rounding = 1e-6;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Eigen::Index longest = 0;
    const double least = bodies.inertia[i].minCoeff(&longest);
    if (!(least < (1.0 - rounding) * bodies.inertia[i].maxCoeff())) continue;  // a sphere has no direction
    values.push_back(std::abs((bodies.orientation[i] * Vec3::Unit(longest)).dot(up)));
  }
  return values;
}

Plot direction_plot(const TrajectoryReader& reader, const Vec3& up) {
  Plot plot;
  plot.title = "Directions";
  plot.x_label = "|cosine| between the longest axis and the vertical";
  plot.y_label = "over random directions";
  plot.note = "1 everywhere if directions are random; grains that lie flat gather at 0.";
  plot.x = bin_centres(0.0, 1.0, direction_bins);
  for (const std::size_t k : {std::size_t{0}, reader.frames() - 1}) {
    const std::vector<double> all = cosines(reader.bodies(k), up);
    std::vector<double> share = histogram(all, 0.0, 1.0, direction_bins);
    for (double& s : share)
      s *= static_cast<double>(direction_bins) / static_cast<double>(std::max<std::size_t>(all.size(), 1));
    plot.series.push_back({fmt::format("t = {:.3g} s", reader.time_s()[k]), std::move(share)});
  }
  return plot;
}

/// Area of a planar polygon, m^2.
double area(const std::vector<Vec3>& polygon) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < polygon.size(); ++i) sum += polygon[i].cross(polygon[(i + 1) % polygon.size()]);
  return 0.5 * sum.norm();
}

/// Reference area for layers: the floor between the upright walls, if they enclose it, or else the
/// rectangle of the middle 98 % of the bodies.
struct CrossSection {
  double area = 1.0;  // m^2
  std::string name;
};

CrossSection cross_section(const RecordedRun& run, const Bodies& bodies, const Vec3& up,
                           const RunScene& scene) {
  std::vector<std::size_t> upright;
  for (std::size_t b = 0; b < run.model.boundaries.size(); ++b) {
    const Plane* plane = std::get_if<Plane>(&run.model.boundaries[b].surface);
    if (plane && std::abs(plane->normal.dot(up)) < 1e-6) upright.push_back(b);
  }
  for (std::size_t p = 0; p < scene.walls.polygon.size() && upright.size() >= 3; ++p) {
    const auto b = static_cast<std::size_t>(scene.walls.boundary[p]);
    const Plane* plane = std::get_if<Plane>(&run.model.boundaries[b].surface);
    if (!plane || plane->normal.dot(up) < 1.0 - 1e-6) continue;
    std::vector<Vec3> corners;
    for (const std::int32_t c : scene.walls.polygon[p]) corners.push_back(scene.walls.point[c]);
    return {area(corners), "the floor between the walls"};
  }
  const Vec3 u = up.unitOrthogonal(), v = up.cross(u);
  double size = 1.0;
  for (const Vec3& axis : {u, v}) {
    std::vector<double> x;
    for (const Vec3& position : bodies.position) {
      if (position.allFinite()) x.push_back(axis.dot(position));
    }
    if (x.empty()) return {1.0, "nothing"};
    std::sort(x.begin(), x.end());
    size *= x[x.size() - 1 - x.size() / 100] - x[x.size() / 100] + 2.0 * scene.mean_radius;
  }
  return {size, "the rectangle around the bodies at the end"};
}

/// The vector of a periodic cell that points upwards relative to layers, if the other two are periodic and
/// horizontal; -1 otherwise.
int upright_vector(const PlacedCell& cell, const Vec3& up) {
  int found = -1;
  for (int k = 0; k < 3; ++k) {
    const bool is_level = std::abs(cell.lattice.col(k).dot(up)) < 1e-9 * cell.lattice.col(k).norm();
    if (is_level && cell.periodic[k]) continue;
    if (found >= 0) return -1;
    found = k;
  }
  return found;
}

/// Bodies in the layers, including images that extend beyond the ends of a cell which is periodic
/// upwards.
Bodies with_images_above(Bodies bodies, const PlacedCell& cell, int upright) {
  if (upright < 0 || !cell.periodic[upright]) return bodies;
  const std::size_t own = bodies.size();
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < own; ++i) {
      bodies.position.push_back(bodies.position[i] + sign * cell.lattice.col(upright));
      bodies.orientation.push_back(bodies.orientation[i]);
      bodies.shape.push_back(bodies.shape[i]);
    }
  }
  return bodies;
}

Plot packing_plot(const TrajectoryReader& reader, const RunScene& scene) {
  const RecordedRun& run = reader.run();
  double low = infinity, high = -infinity;
  for (const Vec3& p : scene.points) {
    low = std::min(low, scene.up.dot(p));
    high = std::max(high, scene.up.dot(p));
  }
  const Bodies last = reader.bodies(reader.frames() - 1);
  const PlacedCell cell = reader.cell(reader.frames() - 1);
  const int upright = upright_vector(cell, scene.up);
  CrossSection section;
  if (upright >= 0) {
    const double height = std::abs(cell.lattice.col(upright).dot(scene.up));
    section = {cell.volume / height, "the cell"};
    if (cell.periodic[upright]) {  // one period
      low = scene.up.dot(cell.centre) - 0.5 * height;
      high = low + height;
    }
  } else {
    section = cross_section(run, last, scene.up, scene);
  }
  const Layers layers{scene.up, low, (high - low) / packing_layers, packing_layers};
  Plot plot;
  plot.title = "Packing fraction";
  plot.x_label = "height, m";
  plot.y_label = "volume of bodies over volume";
  plot.note =
      fmt::format("In layers of {:.3g} m over {}, {:.4g} m^2.", layers.thickness, section.name, section.area);
  plot.x = bin_centres(low, high, packing_layers);
  for (const std::size_t k : {std::size_t{0}, reader.frames() - 1}) {
    const PlacedCell then = reader.cell(k);  // it may have been wider
    const double across =
        upright >= 0 ? then.volume / std::abs(then.lattice.col(upright).dot(scene.up)) : section.area;
    std::vector<double> solid =
        solid_volume(run.model.shapes, with_images_above(reader.bodies(k), then, upright), layers);
    for (double& s : solid) s /= across * layers.thickness;
    plot.series.push_back({fmt::format("t = {:.3g} s", reader.time_s()[k]), std::move(solid)});
  }
  return plot;
}

}  // namespace

std::vector<Plot> body_plots(const TrajectoryReader& reader) {
  if (reader.run().bodies.size() == 0) return {};
  const RunScene scene = run_scene(reader);
  std::vector<Plot> plots{packing_plot(reader, scene), size_plot(reader)};
  if (!cosines(reader.run().bodies, scene.up).empty()) plots.push_back(direction_plot(reader, scene.up));
  return plots;
}

}  // namespace scree::io
