#include "engine/simulation/subsystems/wall_cells.h"

#include "engine/core/parallel.h"
#include "engine/geometry/nearest_triangle.h"
#include "engine/simulation/model.h"

namespace scree {

namespace {
// Additional distance, in smallest lengths, at which a triangle that faces the contact is preferred to
// another: contacts act midway in an overlap, at some distance from the surface.
constexpr double facing = 0.1;
}  // namespace

std::size_t cell_count(const std::vector<WallCells>& cells) {
  return cells.empty() ? 0
                       : static_cast<std::size_t>(cells.back().first) + cells.back().mesh->triangles.size();
}

void locate(const Model& model, std::vector<SurfaceTouch>& touches, std::size_t first) {
  for_each_index(touches.size() - first, grain_medium, [&](std::size_t k) {
    SurfaceTouch& touch = touches[first + k];
    if (touch.cell >= 0) return;
    const WallCells& of = model.wall_cells[touch.boundary];
    touch.cell = of.first + nearest_triangle(*of.mesh, touch.point, touch.normal, facing * touch.length);
  });
}

void add_to_cells(const std::vector<SurfaceTouch>& touches, std::vector<CellLoad>& cells) {
  for (const SurfaceTouch& touch : touches) cells[touch.cell] += touch.load;
}

}  // namespace scree
