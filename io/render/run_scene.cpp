#include "io/render/run_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/core/order_statistic.h"
#include "io/results/recorded_fields.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

namespace {

constexpr std::size_t frames_for_view = 24;  // frames that decide about camera and colours
constexpr double top_share =
    0.998;  // of all values lies below the end of the colours: a few fast ones stand out
constexpr double floor_cosine = 0.7;   // of the angle to the vertical: planes up to 45 degrees are floors
constexpr double floor_stretch = 2.0;  // floors reach this much farther than what stands on them

// A body is off if it lies farther from the inner 80 % of the bodies than this many times their largest
// extent ...
constexpr double flown = 0.75;
constexpr double flown_radii = 6.0;    // ... and this many mean radii,
constexpr double flown_share = 0.03;   // and if all such bodies are at most this part of the volume.
constexpr std::size_t few_bodies = 9;  // their paths are the subject: all frames count
constexpr double near_share =
    0.8;                       // of the subject's diagonal: planes and outlines nearer than this belong to it
constexpr double rise = 0.06;  // of the subject's size: side walls that have no end go on so far above it
constexpr std::size_t hull_directions = 64;

Vec3 up_of(const RecordedRun& run) {
  const Vec3& g = run.model.settings.gravity;
  return g.isZero() ? Vec3(Vec3::UnitZ()) : Vec3(-g.normalized());
}

/// A body as the camera's search sees it.
struct Placed {
  Vec3 position, half;  // m
  double volume;        // m^3
};

/// The values of `of` (grain) below and above which at most the share `stray` of the volume lies.
std::array<double, 2> inner(const std::vector<Placed>& grains, double stray, const auto& low_of,
                            const auto& high_of) {
  const auto bound = [&](const auto& of, bool from_above) {
    std::vector<std::array<double, 2>> list;
    double left = 0.0;
    for (const Placed& grain : grains) {
      list.push_back({of(grain), grain.volume});
      left += stray * grain.volume;
    }
    std::ranges::sort(list);
    if (from_above) std::ranges::reverse(list);
    for (const auto& [x, volume] : list)
      if ((left -= volume) < 0.0) return x;
    return list.back()[0];
  };
  return {bound(low_of, false), bound(high_of, true)};
}

/// Leaves out bodies which have flown off, the farthest first, up to a share of the volume.
std::vector<Placed> without_flyers(const std::vector<Placed>& grains) {
  std::array<std::array<double, 2>, 3> core;
  double size = 0.0, volume = 0.0, reach = 0.0, flying = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto x = [&](const Placed& grain) { return grain.position[axis]; };
    core[axis] = inner(grains, 0.1, x, x);
    size = std::max(size, core[axis][1] - core[axis][0]);
  }
  for (const Placed& grain : grains) {
    volume += grain.volume;
    reach = std::max(reach, grain.half.maxCoeff());
  }
  const double room = std::max(flown * size, flown_radii * reach);
  std::vector<std::pair<double, std::size_t>> flyers;  // how far off
  for (std::size_t i = 0; i < grains.size(); ++i) {
    double off = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      const double x = grains[i].position[axis];
      off = std::max({off, core[axis][0] - room - x, x - core[axis][1] - room});
    }
    if (off > 0.0) flyers.emplace_back(off, i);
  }
  std::ranges::sort(flyers, std::greater{});
  std::vector<bool> leaves(grains.size(), false);
  for (const auto& [off, i] : flyers) {
    flying += grains[i].volume;
    if (flying > flown_share * volume) break;
    leaves[i] = true;
  }
  std::vector<Placed> kept;
  for (std::size_t i = 0; i < grains.size(); ++i)
    if (!leaves[i]) kept.push_back(grains[i]);
  return kept;
}

/// Directions that cover the sphere evenly (a spiral of the golden angle).
const std::vector<Vec3>& directions() {
  static const std::vector<Vec3> list = [] {
    std::vector<Vec3> all;
    for (std::size_t k = 0; k < hull_directions; ++k) {
      const double z = 1.0 - (2.0 * static_cast<double>(k) + 1.0) / hull_directions;
      const double angle = static_cast<double>(k) * 2.399963229728653, r = std::sqrt(1.0 - z * z);
      all.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    }
    for (int axis = 0; axis < 3; ++axis) all.insert(all.end(), {Vec3::Unit(axis), -Vec3::Unit(axis)});
    return all;
  }();
  return list;
}

/// Points about the bodies of a frame, without the few that lie outside most.
void add_bodies(const Shapes& shapes, const Bodies& bodies, double fit, std::vector<Vec3>& points) {
  std::vector<Placed> grains;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!can_be_drawn(bodies.position[i])) continue;
    grains.push_back({bodies.position[i], half_extent(shapes, bodies.shape[i], bodies.orientation[i]),
                      volume(shapes, bodies.shape[i])});
  }
  if (grains.empty()) return;
  if (fit < 1.0) {
    grains = without_flyers(grains);
    std::array<std::array<double, 2>, 3> box;
    for (int axis = 0; axis < 3; ++axis) {
      box[axis] = inner(
          grains, 0.5 * (1.0 - fit), [&](const Placed& g) { return g.position[axis] - g.half[axis]; },
          [&](const Placed& g) { return g.position[axis] + g.half[axis]; });
    }
    std::erase_if(grains, [&](const Placed& g) {
      for (int axis = 0; axis < 3; ++axis)
        if (g.position[axis] - g.half[axis] < box[axis][0] || g.position[axis] + g.half[axis] > box[axis][1])
          return true;
      return false;
    });
  }
  // Each body counts as the ellipsoid that its box holds.
  for (const Vec3& direction : directions()) {
    const Placed* farthest = nullptr;
    double most = -infinity;
    for (const Placed& grain : grains) {
      const double reach = direction.dot(grain.position) + grain.half.cwiseProduct(direction).norm();
      if (reach > most) most = reach, farthest = &grain;
    }
    if (!farthest) return;
    const Vec3 scaled = farthest->half.cwiseProduct(direction);
    points.push_back(farthest->position + farthest->half.cwiseProduct(scaled.stableNormalized()));
  }
}

/// Points of walls that have an end.
void add_walls(const Boundaries& boundaries, std::vector<Vec3>& points) {
  constexpr std::size_t most = 2000;  // of a wall
  for (const Boundary& boundary : boundaries) {
    if (std::holds_alternative<Plane>(boundary.surface) || boundary.removed) continue;
    const std::vector<Vec3> all = wall_mesh({boundary}, {}).point;
    for (std::size_t k = 0; k < all.size(); k += 1 + all.size() / most) points.push_back(all[k]);
  }
}

/// The frames that a picture is fitted to.
std::vector<std::size_t> fitted_frames(const TrajectoryReader& reader,
                                       const std::vector<std::size_t>& frames) {
  std::vector<std::size_t> list;
  if (frames.empty() || reader.run().bodies.size() <= few_bodies)
    return sampled_frames(reader.frames(), frames_for_view);
  for (const std::size_t k : sampled_frames(frames.size(), frames_for_view)) list.push_back(frames[k]);
  return list;
}

std::vector<Vec3> corners(const Eigen::AlignedBox3d& box) {
  std::vector<Vec3> list;
  for (int k = 0; k < 8; ++k) list.push_back(box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(k)));
  return list;
}

/// Outlines which lie near the box, or in it.
void add_outlines(const RecordedRun& run, const Eigen::AlignedBox3d& box, std::vector<Vec3>& points) {
  const Vec3 room = Vec3::Constant(0.5 * near_share * box.diagonal().norm());
  const Eigen::AlignedBox3d near(box.min() - room, box.max() + room);
  for (const OutlineKind kind : {OutlineKind::inlet, OutlineKind::outlet, OutlineKind::domain}) {
    Eigen::AlignedBox3d all;
    for (const OutlineEdge& edge : run.outlines.edges)
      if (edge.kind == kind) all.extend(edge.start).extend(edge.end);
    if (all.isEmpty() || !near.contains(all)) continue;
    for (const OutlineEdge& edge : run.outlines.edges)
      if (edge.kind == kind) points.insert(points.end(), {edge.start, edge.end});
  }
}

/// Grows the box to the walls without an end that are near, and to a floor between such walls.
bool grow_to_walls(const Boundaries& boundaries, const Vec3& up, Eigen::AlignedBox3d& box) {
  bool has_sides = false;
  for (const bool floors_too : {false, true}) {
    if (floors_too && !has_sides) break;
    const Eigen::AlignedBox3d before = box;
    const double near = near_share * before.diagonal().norm();
    for (const Boundary& boundary : boundaries) {
      const Plane* plane = std::get_if<Plane>(&boundary.surface);
      if (!plane || boundary.removed || is_floor(boundary.surface, up) != floors_too) continue;
      double nearest = infinity, farthest = -infinity;
      for (const Vec3& corner : corners(before)) {
        const double height = plane->normal.dot(corner - plane->point);
        nearest = std::min(nearest, height), farthest = std::max(farthest, height);
      }
      if (nearest > near || farthest < 0.0) continue;
      has_sides = true;
      for (const Vec3& corner : corners(before)) {
        const double height = plane->normal.dot(corner - plane->point);
        if (nearest >= 0.0) box.extend((corner - height * plane->normal).eval());
      }
    }
  }
  return has_sides;
}

/// Adds what is seen of planes, and sets the regions that they are drawn in.
void add_planes(const Boundaries& boundaries, RunScene& scene) {
  Eigen::AlignedBox3d box = box_of(scene.points);
  if (grow_to_walls(boundaries, scene.up, box)) {
    const Vec3 above = rise * box.sizes().maxCoeff() * scene.up;
    for (const Vec3& corner : corners(box)) box.extend((corner + above).eval());
  }
  const double size = box.sizes().maxCoeff();
  const Vec3 slack = Vec3::Constant(1e-6 * size);
  scene.region = {box.min() - slack, box.max() + slack};
  const Vec3 middle = box.center();
  Eigen::AlignedBox3d wide(middle - Vec3::Constant(floor_stretch * size),
                           middle + Vec3::Constant(floor_stretch * size));
  for (const Boundary& boundary : boundaries) {
    const Plane* plane = std::get_if<Plane>(&boundary.surface);
    if (plane) wide.extend((middle - plane->normal.dot(middle - plane->point) * plane->normal).eval());
  }
  scene.floor_region = {wide.min() - slack, wide.max() + slack};
  Boundaries planes = boundaries;
  for (Boundary& boundary : planes)
    if (!std::holds_alternative<Plane>(boundary.surface)) boundary.removed = true;
  const WallMesh mesh = wall_mesh(planes, scene.region);
  for (std::size_t p = 0; p < mesh.polygon.size(); ++p) {
    if (is_floor(boundaries[mesh.boundary[p]].surface, scene.up)) continue;
    for (const std::int32_t corner : mesh.polygon[p]) scene.points.push_back(mesh.point[corner]);
  }
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
  return {low, order_statistic(std::move(values), top_share)};
}

std::vector<bool> floors(const WallMesh& walls, const Boundaries& boundaries, const Vec3& up,
                         const Vec3& eye) {
  std::vector<bool> solid;
  for (const std::int32_t b : walls.boundary) {
    const Plane* plane = std::get_if<Plane>(&boundaries[b].surface);
    solid.push_back(is_floor(boundaries[b].surface, up) && plane->normal.dot(eye - plane->point) > 0.0);
  }
  return solid;
}

bool is_floor(const BoundarySurface& surface, const Vec3& up) {
  const Plane* plane = std::get_if<Plane>(&surface);
  return plane && plane->normal.dot(up) > floor_cosine;
}

WallMesh picture_walls(const Boundaries& boundaries, const RunScene& scene) {
  WallMesh mesh = wall_mesh(boundaries, scene.region);
  Boundaries planes = boundaries;
  for (Boundary& boundary : planes)
    if (!std::holds_alternative<Plane>(boundary.surface)) boundary.removed = true;
  const WallMesh wide = wall_mesh(planes, scene.floor_region);
  const auto floor = [&](std::int32_t b) { return is_floor(boundaries[b].surface, scene.up); };
  WallMesh joined{mesh.point, mesh.normal, {}, {}};
  const auto first = static_cast<std::int32_t>(mesh.point.size());
  joined.point.insert(joined.point.end(), wide.point.begin(), wide.point.end());
  joined.normal.insert(joined.normal.end(), wide.normal.begin(), wide.normal.end());
  for (std::size_t p = 0; p < mesh.polygon.size(); ++p) {
    if (floor(mesh.boundary[p])) continue;
    joined.polygon.push_back(std::move(mesh.polygon[p]));
    joined.boundary.push_back(mesh.boundary[p]);
  }
  for (std::size_t p = 0; p < wide.polygon.size(); ++p) {
    if (!floor(wide.boundary[p])) continue;
    std::vector<std::int32_t> corner = wide.polygon[p];
    for (std::int32_t& c : corner) c += first;
    joined.polygon.push_back(std::move(corner));
    joined.boundary.push_back(wide.boundary[p]);
  }
  return joined;
}

RunScene run_scene(const TrajectoryReader& reader, double fit, const std::vector<std::size_t>& frames) {
  RunScene scene;
  scene.up = up_of(reader.run());
  scene.mean_radius = mean_radius(reader.run());
  const std::vector<std::size_t> seen = fitted_frames(reader, frames);
  for (const std::size_t k : seen) add_bodies(reader.run().model.shapes, reader.bodies(k), fit, scene.points);
  if (reader.walls_move()) {
    for (const std::size_t k : seen) add_walls(reader.boundaries(k), scene.points);
  } else {
    add_walls(reader.run().model.boundaries, scene.points);
  }
  std::erase_if(scene.points, [](const Vec3& x) { return !can_be_drawn(x); });
  if (scene.points.empty()) scene.points = {Vec3::Constant(-0.5), Vec3::Constant(0.5)};
  add_outlines(reader.run(), box_of(scene.points), scene.points);
  add_planes(reader.walls_move() ? reader.boundaries(seen.back()) : reader.run().model.boundaries, scene);
  const Eigen::AlignedBox3d box = box_of(scene.points);
  scene.subject = {box.min(), box.max()};
  scene.walls = picture_walls(reader.run().model.boundaries, scene);
  return scene;
}

}  // namespace scree::io
