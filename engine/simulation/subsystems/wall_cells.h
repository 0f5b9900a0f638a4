// What walls feel, place by place: loads and wear summed up over the cells of their surfaces. (W1) to (W3) of
// docs/model.md.
#pragma once

#include <memory>
#include <vector>

#include "engine/bodies/wear.h"
#include "engine/geometry/mesh_surface.h"

namespace scree {

/// What a cell got.
struct CellLoad {
  Vec3 impulse = Vec3::Zero();  // N s, world axes, on the wall
  SurfaceLoad surface;
  CellLoad& operator+=(const CellLoad& o) {
    impulse += o.impulse;
    surface += o.surface;
    return *this;
  }
};

/// A contact with a wall: where, and what it did in a (sub)step.
struct SurfaceTouch {
  std::int32_t boundary = 0;
  std::int32_t cell = -1;      // of all boundaries' cells; -1: not looked for yet
  Vec3 point = Vec3::Zero();   // m, at rest: where the wall's part has not moved it
  Vec3 normal = Vec3::Zero();  // likewise
  double length = 0.0;         // m, what overlaps are compared with
  CellLoad load;
};

/// Cells of one boundary: the triangles of a mesh, where it is at rest.
struct WallCells {
  std::shared_ptr<const MeshSurface> mesh;
  std::int32_t first = 0;  // number of the first of its cells among all
};

struct Model;

/// Of all boundaries.
std::size_t cell_count(const std::vector<WallCells>& cells);

/// Finds the cells of touches from `first` on.
void locate(const Model& model, std::vector<SurfaceTouch>& touches, std::size_t first = 0);
/// Adds touches to the cells' sums, one after the other: the same bits on any number of threads.
void add_to_cells(const std::vector<SurfaceTouch>& touches, std::vector<CellLoad>& cells);

}  // namespace scree
