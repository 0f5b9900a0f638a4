#include "io/results/wall_cells.h"

#include <algorithm>
#include <stdexcept>

#include "io/files/file_errors.h"

namespace scree::io {

namespace {

constexpr WallQuantity quantities[] = {
    {"pressure", "Pa", "mean of normal forces over the area since the frame before", false},
    {"shear_stress", "Pa", "mean of the sizes of tangential forces over the area since the frame before",
     false},
    {"friction_power", "W/m^2", "mean of what friction takes over the area since the frame before", false},
    {"largest_pressure", "Pa", "the largest `pressure` of all frames so far", false},
    {"wear", "m", "depth that was worn off", true},
    {"impacts", "1", "contacts that began faster than `restitution_threshold`", true},
    {"impact_energy", "J", "kinetic energy of these along the normal", true},
    {"normal_impulse", "N s", "sum of normal impulses that press", true},
    {"shear_impulse", "N s", "sum of the sizes of tangential impulses", true},
    {"friction_work", "J", "what friction took", true},
    {"sliding", "N m", "normal forces times the way that bodies slid", true},
    {"impulse_x", "N s", "on the wall, along x", true},
    {"impulse_y", "N s", "on the wall, along y", true},
    {"impulse_z", "N s", "on the wall, along z", true},
};

using Triangle = std::array<Vec3, 3>;

/// Halves along the longest edge until no edge is too long.
void cut(const Triangle& triangle, double longest_m, std::size_t most, std::vector<Triangle>& cells) {
  std::vector<Triangle> waiting{triangle};
  while (!waiting.empty()) {
    const Triangle t = waiting.back();
    waiting.pop_back();
    std::size_t k = 0;
    double longest = 0.0;
    for (std::size_t e = 0; e < 3; ++e)
      if (const double length = (t[(e + 1) % 3] - t[e]).norm(); length > longest) {
        longest = length;
        k = e;
      }
    if (!(longest > longest_m)) {
      cells.push_back(t);
      continue;
    }
    if (waiting.size() + cells.size() > most) throw std::length_error("too many wall cells");
    const Vec3 middle = 0.5 * (t[k] + t[(k + 1) % 3]);
    waiting.push_back({middle, t[(k + 1) % 3], t[(k + 2) % 3]});
    waiting.push_back({t[k], middle, t[(k + 2) % 3]});
  }
}

/// A place for a plane that is not visible in the region.
Triangle any_place(const Boundary& boundary, double size) {
  Vec3 at = boundary.centre, u = Vec3::UnitX() * size, v = Vec3::UnitY() * size;
  if (const auto* const plane = std::get_if<Plane>(&boundary.surface)) {
    at = plane->point;
    u = plane->normal.unitOrthogonal() * size;
    v = plane->normal.cross(u);
  }
  return {at, at + u, at + v};
}

MeshSurface surface_of(const std::vector<Triangle>& cells) {
  TriangleMesh mesh;
  for (const Triangle& t : cells) {
    const auto first = static_cast<std::int32_t>(mesh.points.size());
    mesh.points.insert(mesh.points.end(), t.begin(), t.end());
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  MeshFindings findings;
  return mesh_surface(mesh, findings);
}

}  // namespace

std::span<const WallQuantity> wall_quantities() { return quantities; }

std::optional<std::size_t> wall_quantity(std::string_view name) {
  const auto* const found = std::ranges::find(quantities, name, &WallQuantity::name);
  if (found == std::end(quantities)) return {};
  return static_cast<std::size_t>(found - std::begin(quantities));
}

std::vector<WallCells> cut_into_cells(const Boundaries& boundaries, const ViewBox& region, double longest_m) {
  const WallMesh shown = wall_mesh(boundaries, region);
  std::vector<std::vector<Triangle>> cells(boundaries.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < shown.polygon.size(); ++k) {
    const std::vector<std::int32_t>& corners = shown.polygon[k];
    std::vector<Triangle>& of = cells[shown.boundary[k]];
    const std::size_t before = of.size();
    for (std::size_t c = 2; c < corners.size(); ++c)
      cut({shown.point[corners[0]], shown.point[corners[c - 1]], shown.point[corners[c]]}, longest_m,
          most_wall_cells - count, of);
    count += of.size() - before;
  }
  std::vector<WallCells> made;
  std::int32_t first = 0;
  for (std::size_t b = 0; b < boundaries.size(); ++b) {
    auto mesh = std::make_shared<MeshSurface>(surface_of(cells[b]));
    if (mesh->triangles.empty())
      *mesh = surface_of({any_place(boundaries[b], (region.high - region.low).norm())});
    made.push_back({mesh, first});
    first += static_cast<std::int32_t>(mesh->triangles.size());
  }
  return made;
}

ViewBox picture_region(const Bodies& bodies, const Model& model) {
  ViewBox region = scene_region(bodies, model.shapes, model.boundaries);
  for (const Inlet& inlet : model.inlets) {
    const auto [middle, half] = bounding_box(inlet.region);
    region.low = region.low.cwiseMin(middle - half);
    region.high = region.high.cwiseMax(middle + half);
  }
  return region;
}

WallCellMesh wall_cell_mesh(const std::vector<WallCells>& cells, const Vec3& origin) {
  WallCellMesh made;
  for (std::size_t b = 0; b < cells.size(); ++b) {
    const MeshSurface& mesh = *cells[b].mesh;
    const auto first = static_cast<std::int32_t>(made.surface.points.size());
    for (const Vec3& x : mesh.points) made.surface.points.push_back(x - origin);
    for (const auto& [p, q, r] : mesh.triangles) {
      made.surface.triangles.push_back({first + p, first + q, first + r});
      made.boundary.push_back(static_cast<std::int32_t>(b));
      made.area.push_back(0.5 *
                          (mesh.points[q] - mesh.points[p]).cross(mesh.points[r] - mesh.points[p]).norm());
    }
  }
  return made;
}

WallCellRecord::WallCellRecord(const Model& model, double time_s)
    : mesh_(wall_cell_mesh(model.wall_cells, Vec3::Zero())),
      time_s_(time_s),
      pressing_(mesh_.size()),
      shearing_(mesh_.size()),
      friction_work_(mesh_.size()),
      largest_pressure_(mesh_.size()) {}

WallValues WallCellRecord::values(const Model& model, const State& state) {
  if (mesh_.size() == 0) return {};
  const std::size_t n = mesh_.size();
  WallValues values(std::size(quantities), std::vector<double>(n));
  const auto of = [&](WallValue value) -> std::vector<double>& {
    return values[static_cast<std::size_t>(value)];
  };
  const double passed = state.time_s - time_s_;
  const auto rate = [&](double now, double& before, double area) {
    const double mean = passed > 0.0 ? (now - before) / (passed * area) : 0.0;
    before = now;
    return mean;
  };
  for (std::size_t c = 0; c < n; ++c) {
    const CellLoad load = c < state.wall_cells.size() ? state.wall_cells[c] : CellLoad{};
    const SurfaceLoad& s = load.surface;
    const double area = mesh_.area[c];
    of(WallValue::pressure)[c] = rate(s.pressing, pressing_[c], area);
    of(WallValue::shear_stress)[c] = rate(s.shearing, shearing_[c], area);
    of(WallValue::friction_power)[c] = rate(s.friction_work, friction_work_[c], area);
    largest_pressure_[c] = std::max(largest_pressure_[c], of(WallValue::pressure)[c]);
    of(WallValue::largest_pressure)[c] = largest_pressure_[c];
    const MaterialIndex material = model.boundaries[mesh_.boundary[c]].material;
    of(WallValue::wear)[c] = model.materials.wear(material).volume(s) / area;
    of(WallValue::impacts)[c] = s.impacts;
    of(WallValue::impact_energy)[c] = s.impact_energy;
    of(WallValue::normal_impulse)[c] = s.pressing;
    of(WallValue::shear_impulse)[c] = s.shearing;
    of(WallValue::friction_work)[c] = s.friction_work;
    of(WallValue::sliding)[c] = s.sliding;
    of(WallValue::impulse_x)[c] = load.impulse[0];
    of(WallValue::impulse_y)[c] = load.impulse[1];
    of(WallValue::impulse_z)[c] = load.impulse[2];
  }
  time_s_ = state.time_s;
  return values;
}

void WallCellRecord::visit(Archive& io) {
  io("time_s", time_s_);
  io("pressing", pressing_);
  io("shearing", shearing_);
  io("friction_work", friction_work_);
  io("largest_pressure", largest_pressure_);
  for (const auto* list : {&pressing_, &shearing_, &friction_work_, &largest_pressure_})
    if (list->size() != mesh_.size()) throw ReadError("the checkpoint is damaged: its wall cells do not fit");
}

}  // namespace scree::io
