#include "io/render/run_scene.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/results/recorded_fields.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

namespace {

constexpr std::size_t frames_for_view = 24;  // frames that decide about camera and colours
constexpr double top_share =
    0.998;  // of all values lies below the end of the colours: a few fast ones stand out
constexpr double floor_cosine = 0.7;   // of the angle to the vertical: planes up to 45 degrees are floors
constexpr double floor_stretch = 2.0;  // floors reach this much farther than what stands on them

constexpr double flown = 4.0;  // sizes of the run away from it: what is farther has flown off

Vec3 up_of(const RecordedRun& run) {
  const Vec3& g = run.model.settings.gravity;
  return g.isZero() ? Vec3(Vec3::UnitZ()) : Vec3(-g.normalized());
}

/// The value that a share of all lies below; reorders. Values that are not finite must be gone.
double quantile(std::vector<double>& values, double share) {
  const auto k = std::lround(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[k];
}

/// Those that can be drawn and are in the box: where they are, how they lie, and what they are.
Bodies to_draw(const Bodies& bodies, const Eigen::AlignedBox3d& near) {
  Bodies kept;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!can_be_drawn(bodies.position[i]) || !near.contains(bodies.position[i])) continue;
    kept.position.push_back(bodies.position[i]);
    kept.orientation.push_back(bodies.orientation[i]);
    kept.shape.push_back(bodies.shape[i]);
  }
  return kept;
}

/// The corners of the box that holds a part of the bodies of a frame.
void add_bodies(const Shapes& shapes, const Bodies& bodies, double fit, std::vector<Vec3>& points) {
  const double stray = 0.5 * (1.0 - fit);  // part of the bodies, on each side
  Vec3 low, high;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> below, above;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const double reach = half_extent(shapes, bodies.shape[i], bodies.orientation[i])[axis];
      below.push_back(bodies.position[i][axis] - reach);
      above.push_back(bodies.position[i][axis] + reach);
    }
    if (below.empty()) return;
    low[axis] = quantile(below, stray);
    high[axis] = quantile(above, 1.0 - stray);
  }
  for (int corner = 0; corner < 8; ++corner) {
    points.emplace_back(corner & 1 ? high.x() : low.x(), corner & 2 ? high.y() : low.y(),
                        corner & 4 ? high.z() : low.z());
  }
}

/// Points of walls that have an end.
void add_walls(const Boundaries& boundaries, std::vector<Vec3>& points) {
  constexpr std::size_t most = 2000;  // of a wall
  for (const Boundary& boundary : boundaries) {
    if (std::holds_alternative<Plane>(boundary.surface)) continue;
    const std::vector<Vec3> all = wall_mesh({boundary}, {}).point;
    for (std::size_t k = 0; k < all.size(); k += 1 + all.size() / most) points.push_back(all[k]);
  }
}

/// Where the run is: the middle half of its bodies in all frames, along each axis, and what has edges, with
/// room on all sides. Who is outside has flown off; a few that do so must not make everything else small.
Eigen::AlignedBox3d place_of_run(const TrajectoryReader& reader) {
  Eigen::AlignedBox3d box;
  std::array<std::vector<double>, 3> x;
  for (const std::size_t k : sampled_frames(reader.frames(), frames_for_view))
    for (const Vec3& position : reader.bodies(k).position)
      for (int axis = 0; axis < 3 && can_be_drawn(position); ++axis) x[axis].push_back(position[axis]);
  if (!x[0].empty()) {
    const auto at = [&](double share) {
      return Vec3(quantile(x[0], share), quantile(x[1], share), quantile(x[2], share));
    };
    box.extend(at(0.25));
    box.extend(at(0.75));
  }
  std::vector<Vec3> walls;
  add_walls(reader.run().model.boundaries, walls);
  for (const Vec3& point : walls) box.extend(point);
  for (const OutlineEdge& edge : reader.run().outlines.edges) {
    if (edge.kind == OutlineKind::domain || !can_be_drawn(edge.start) || !can_be_drawn(edge.end)) continue;
    box.extend(edge.start);
    box.extend(edge.end);
  }
  if (box.isEmpty()) return box;
  const Vec3 room = Vec3::Constant(flown * (box.sizes().maxCoeff() + mean_radius(reader.run())));
  return {box.min() - room, box.max() + room};
}

/// What has to be in the picture.
std::vector<Vec3> worth_seeing(const TrajectoryReader& reader, double fit, const Eigen::AlignedBox3d& near) {
  std::vector<Vec3> points;
  for (const std::size_t k : sampled_frames(reader.frames(), frames_for_view)) {
    add_bodies(reader.run().model.shapes, to_draw(reader.bodies(k), near), fit, points);
  }
  add_walls(reader.run().model.boundaries, points);
  if (points.empty()) points = {Vec3::Constant(-0.5), Vec3::Constant(0.5)};
  return points;
}

/// The part of the planes that is drawn: around what is seen, with room sideways for floors to fade out.
ViewBox wall_region(const TrajectoryReader& reader, const Vec3& up, const Eigen::AlignedBox3d& near) {
  const RecordedRun& run = reader.run();
  ViewBox region = scene_region(to_draw(reader.bodies(0), near), run.model.shapes, run.model.boundaries);
  for (const std::size_t k : sampled_frames(reader.frames(), frames_for_view)) {
    region = grown_region(region, to_draw(reader.bodies(k), near));
  }
  const Vec3 middle = 0.5 * (region.low + region.high), half = 0.5 * (region.high - region.low);
  const double sideways = floor_stretch * half.maxCoeff();
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(up[axis]) > 0.5) continue;
    region.low[axis] = middle[axis] - std::max(sideways, half[axis]);
    region.high[axis] = middle[axis] + std::max(sideways, half[axis]);
  }
  return region;
}

}  // namespace

std::vector<std::size_t> sampled_frames(std::size_t frames, std::size_t most) {
  std::vector<std::size_t> list;
  const std::size_t n = std::min(frames, most);
  for (std::size_t i = 0; i < n; ++i) list.push_back(n == 1 ? 0 : i * (frames - 1) / (n - 1));
  return list;
}

std::array<double, 2> value_range(const TrajectoryReader& reader, const std::string& field) {
  std::vector<double> values;
  for (const std::size_t k : sampled_frames(reader.frames(), frames_for_view)) {
    for (const float x : field_values(reader, k, field)) {
      if (std::isfinite(x)) values.push_back(x);
    }
  }
  if (values.empty()) return {0.0, 1.0};
  const double low = *std::min_element(values.begin(), values.end());
  return {low, quantile(values, top_share)};
}

std::vector<bool> floors(const WallMesh& walls, const Boundaries& boundaries, const Vec3& up,
                         const Vec3& eye) {
  std::vector<bool> solid;
  for (const std::int32_t b : walls.boundary) {
    const Plane* plane = std::get_if<Plane>(&boundaries[b].surface);
    solid.push_back(plane && plane->normal.dot(up) > floor_cosine &&
                    plane->normal.dot(eye - plane->point) > 0.0);
  }
  return solid;
}

RunScene run_scene(const TrajectoryReader& reader, double fit) {
  RunScene scene;
  scene.up = up_of(reader.run());
  const Vec3 all = Vec3::Constant(infinity);
  const Eigen::AlignedBox3d near = fit < 1.0 ? place_of_run(reader) : Eigen::AlignedBox3d(-all, all);
  scene.points = worth_seeing(reader, fit, near);
  scene.mean_radius = mean_radius(reader.run());
  scene.region = wall_region(reader, scene.up, near);
  scene.walls = wall_mesh(reader.run().model.boundaries, scene.region);
  return scene;
}

}  // namespace scree::io
