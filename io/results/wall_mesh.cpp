#include "io/results/wall_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/geometry/revolved_mesh.h"

namespace scree::io {

namespace {

constexpr int tube_segments = 96;                     // around the axis
constexpr int rim_segments = 8;                       // of each rim's half circle
constexpr double round_step = std::numbers::pi / 24;  // rad, of other rounded edges
constexpr double picture_sagitta = 5e-4;              // of the size of other round surfaces
constexpr double region_margin = 0.25;                // of the largest extent
constexpr double flown =
    4.0;  // distance, in sizes of a region and of the bodies' middle half, above which a body has flown off
constexpr double grown_margin = 0.1;  // of the extent of the bodies in that direction

using Polygon = std::vector<Vec3>;

/// The part of a convex polygon on the side n.(x - p) >= 0 (Sutherland and Hodgman 1974).
Polygon clip(const Polygon& polygon, const Vec3& p, const Vec3& n) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double da = n.dot(a - p), db = n.dot(b - p);
    if (da >= 0.0) kept.push_back(a);
    if ((da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0)) kept.push_back(a + da / (da - db) * (b - a));
  }
  return kept;
}

Polygon plane_polygon(const Plane& plane, std::size_t own, const Boundaries& boundaries,
                      const ViewBox& region) {
  const Vec3 centre = 0.5 * (region.low + region.high);
  const double reach = (region.high - region.low).norm();
  const Vec3 foot = centre - plane.normal.dot(centre - plane.point) * plane.normal;
  const Vec3 u = plane.normal.unitOrthogonal() * reach, v = plane.normal.cross(u);
  Polygon polygon{foot - u - v, foot + u - v, foot + u + v, foot - u + v};
  for (int axis = 0; axis < 3; ++axis) {
    polygon = clip(polygon, region.low, Vec3::Unit(axis));
    polygon = clip(polygon, region.high, -Vec3::Unit(axis));
  }
  for (std::size_t i = 0; i < boundaries.size(); ++i) {
    const Plane* other = std::get_if<Plane>(&boundaries[i].surface);
    // A plane with the same direction does not limit this one: two parallel floors are both shown.
    if (i == own || !other || boundaries[i].removed || other->normal.dot(plane.normal) > 1.0 - 1e-9) continue;
    polygon = clip(polygon, other->point, other->normal);
  }
  return polygon;
}

void add_plane(WallMesh& mesh, std::int32_t boundary, const Vec3& normal, const Polygon& polygon) {
  if (polygon.size() < 3) return;
  std::vector<std::int32_t> corners;
  for (const Vec3& corner : polygon) {
    corners.push_back(static_cast<std::int32_t>(mesh.point.size()));
    mesh.point.push_back(corner);
    mesh.normal.push_back(normal);
  }
  mesh.polygon.push_back(std::move(corners));
  mesh.boundary.push_back(boundary);
}

/// The closed outline of the wall: both rims as half circles, joined by the inner and the outer line.
std::vector<ProfilePoint> tube_profile(const Tube& tube) {
  const double length = (tube.end - tube.start).norm(), r = 0.5 * tube.thickness;
  std::vector<ProfilePoint> profile;
  for (const bool top : {false, true}) {
    for (int k = 0; k <= rim_segments; ++k) {
      // From the inside around the bottom rim to the outside, then from the outside around the top rim to the
      // inside.
      const double angle = std::numbers::pi * (k / static_cast<double>(rim_segments) + (top ? 0.0 : 1.0));
      const double c = std::cos(angle), s = std::sin(angle);
      profile.push_back({(top ? length : 0.0) + r * s, tube.middle_radius() + r * c, s, c});
    }
  }
  return profile;
}

/// Rotates a line about an axis; `closed`: its last point is joined to its first.
void add_turned(WallMesh& mesh, std::int32_t boundary, const std::vector<ProfilePoint>& profile, bool closed,
                const Vec3& origin, const Vec3& axis) {
  const Vec3 u = axis.unitOrthogonal(), v = axis.cross(u);
  const auto first = static_cast<std::int32_t>(mesh.point.size());
  const auto n = static_cast<std::int32_t>(profile.size());
  for (int s = 0; s < tube_segments; ++s) {
    const double angle = 2.0 * std::numbers::pi * s / tube_segments;
    const Vec3 radial = std::cos(angle) * u + std::sin(angle) * v;
    for (const ProfilePoint& p : profile) {
      mesh.point.push_back(origin + p.height * axis + p.radius * radial);
      mesh.normal.push_back(p.normal_height * axis + p.normal_radius * radial);
    }
  }
  for (std::int32_t s = 0; s < tube_segments; ++s) {
    const std::int32_t here = first + s * n, next = first + (s + 1) % tube_segments * n;
    for (std::int32_t p = 0; p < (closed ? n : n - 1); ++p) {
      const std::int32_t q = (p + 1) % n;
      mesh.polygon.push_back({here + p, here + q, next + q, next + p});
      mesh.boundary.push_back(boundary);
    }
  }
}

void add(WallMesh& mesh, std::int32_t boundary, const Tube& tube) {
  add_turned(mesh, boundary, tube_profile(tube), true, tube.start, (tube.end - tube.start).normalized());
}

void add(WallMesh& mesh, std::int32_t boundary, const PlacedRevolved& placed) {
  const Vec3 axis = placed.pose.orientation * Vec3::UnitZ();
  for (const std::vector<ProfilePoint>& line : profile(*placed.surface, round_step))
    add_turned(mesh, boundary, line, false, placed.pose.position, axis);
}

/// Flat triangles, each with its own corners, so that edges remain sharp.
void add(WallMesh& mesh, std::int32_t boundary, const PlacedMesh& placed) {
  const MeshSurface& m = *placed.mesh;
  for (std::size_t t = 0; t < m.triangles.size(); ++t) {
    const auto first = static_cast<std::int32_t>(mesh.point.size());
    for (const std::int32_t v : m.triangles[t]) {
      mesh.point.push_back(placed.pose.position + placed.pose.orientation * m.points[v]);
      mesh.normal.push_back(placed.pose.orientation * m.normals[t]);
    }
    mesh.polygon.push_back({first, first + 1, first + 2});
    mesh.boundary.push_back(boundary);
  }
}

/// Any other wall, by its own patches.
void add(WallMesh& mesh, std::int32_t boundary, const auto& wall) {
  const double size = extent_of(wall)->half.maxCoeff();
  const SurfacePatches patches = patches_of(wall, size * picture_sagitta);
  const auto first = static_cast<std::int32_t>(mesh.point.size());
  mesh.point.insert(mesh.point.end(), patches.points.begin(), patches.points.end());
  mesh.normal.insert(mesh.normal.end(), patches.normals.begin(), patches.normals.end());
  for (const auto& p : patches.patches) {
    mesh.polygon.push_back({first + p[0], first + p[1], first + p[2], first + p[3]});
    mesh.boundary.push_back(boundary);
  }
}

}  // namespace

ViewBox scene_region(const Bodies& bodies, const Shapes& shapes, const Boundaries& boundaries) {
  Eigen::AlignedBox3d box;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 extent = half_extent(shapes, bodies.shape[i], bodies.orientation[i]);
    box.extend(bodies.position[i] - extent);
    box.extend(bodies.position[i] + extent);
  }
  for (const Boundary& boundary : boundaries) {
    std::optional<WallExtent> of = extent_of(boundary.surface);
    if (const auto* round = std::get_if<PlacedRevolved>(&boundary.surface); round && round->surface->hollow)
      of = WallExtent{round->pose.position, Vec3::Constant(round->surface->rounding)};  // its inside
    if (!of) continue;
    box.extend((of->middle - of->half).eval());
    box.extend((of->middle + of->half).eval());
  }
  if (box.isEmpty()) box = Eigen::AlignedBox3d(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  const Vec3 middle = box.center();
  for (const Boundary& boundary : boundaries) {
    if (const Plane* plane = std::get_if<Plane>(&boundary.surface)) {
      box.extend((middle - plane->normal.dot(middle - plane->point) * plane->normal).eval());
    }
  }
  const Vec3 margin = Vec3::Constant(region_margin * box.sizes().maxCoeff());
  return {box.min() - margin, box.max() + margin};
}

ViewBox grown_region(const ViewBox& region, const Bodies& bodies) {
  ViewBox grown = region;
  const double size = (region.high - region.low).maxCoeff();
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> x;
    for (const Vec3& position : bodies.position) {
      if (std::isfinite(position[axis])) x.push_back(position[axis]);
    }
    if (x.empty()) continue;
    std::sort(x.begin(), x.end());
    const double quarter = x[(x.size() - 1) / 4], three_quarters = x[x.size() - 1 - (x.size() - 1) / 4],
                 room = flown * std::max(size, three_quarters - quarter);
    const double low = std::max(x[x.size() / 1000], *std::ranges::lower_bound(x, quarter - room)),
                 high = std::min(x[x.size() - 1 - x.size() / 1000],
                                 *(std::ranges::upper_bound(x, three_quarters + room) - 1));
    const double margin = grown_margin * (high - low);
    grown.low[axis] = std::min(grown.low[axis], low - margin);
    grown.high[axis] = std::max(grown.high[axis], high + margin);
  }
  return grown;
}

WallMesh wall_mesh(const Boundaries& boundaries, const ViewBox& region) {
  WallMesh mesh;
  for (std::size_t i = 0; i < boundaries.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    if (boundaries[i].removed) continue;
    const auto draw = [&](const auto& surface) {
      if constexpr (std::is_same_v<std::decay_t<decltype(surface)>, Plane>)
        add_plane(mesh, number, surface.normal, plane_polygon(surface, i, boundaries, region));
      else
        add(mesh, number, surface);
    };
    std::visit(draw, boundaries[i].surface);
  }
  return mesh;
}

}  // namespace scree::io
