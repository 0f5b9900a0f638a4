// Wall cells: loads and wear summed up over the triangles of walls' surfaces. (W1) to (W3) of
// docs/model.md.
#pragma once

#include <memory>
#include <vector>

#include "engine/bodies/wear.h"
#include "engine/geometry/mesh_surface.h"

namespace scree {

/// The sums of a cell.
struct CellLoad {
  Vec3 impulse = Vec3::Zero();  // N s, world axes, on the wall
  SurfaceLoad surface;
  CellLoad& operator+=(const CellLoad& o) {
    impulse += o.impulse;
    surface += o.surface;
    return *this;
  }
};

/// A contact with a wall in a (sub)step: its place and its load.
struct SurfaceTouch {
  std::int32_t boundary = 0;
  std::int32_t cell = -1;      // index in all boundaries' cells; -1: not located yet
  Vec3 point = Vec3::Zero();   // m, in the pose before the wall's part moves it
  Vec3 normal = Vec3::Zero();  // likewise
  double length = 0.0;         // m, reference for overlaps
  CellLoad load;
};

/// Cells of one boundary: the triangles of a mesh, at rest.
struct WallCells {
  std::shared_ptr<const MeshSurface> mesh;
  std::int32_t first = 0;  // index of its first cell among all
};

struct Model;

/// Number of cells of all boundaries.
std::size_t cell_count(const std::vector<WallCells>& cells);

/// Finds the cells of touches from `first` on.
void locate(const Model& model, std::vector<SurfaceTouch>& touches, std::size_t first = 0);
/// Adds touches to the cells' sums, one after the other: the same bits on any number of threads.
void add_to_cells(const std::vector<SurfaceTouch>& touches, std::vector<CellLoad>& cells);

}  // namespace scree
