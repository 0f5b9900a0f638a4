// What walls feel place by place, as files and pictures have it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/simulation/model.h"
#include "io/files/archive.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

/// Triangles that the surfaces of boundaries are cut into, where they are at rest. All arrays are [cell].
struct WallCellMesh {
  TriangleMesh surface;  // triangles are the cells
  std::vector<std::int32_t> boundary;
  std::vector<double> area;  // m^2
  std::size_t size() const { return boundary.size(); }
  std::array<Vec3, 3> corners(std::size_t cell) const {
    const auto& [a, b, c] = surface.triangles[cell];
    return {surface.points[a], surface.points[b], surface.points[c]};
  }
};

/// Cells [boundary] with edges of at most so much, m: triangles of a mesh as they are where they are small
/// enough, cut along their longest edges where they are not; other walls as pictures have them. Planes end
/// where the region does; what touches them beyond is counted to the cell that is nearest. Throws
/// std::length_error if there would be more than most_wall_cells.
std::vector<WallCells> cut_into_cells(const Boundaries& boundaries, const ViewBox& region, double longest_m);
inline constexpr std::size_t most_wall_cells = 4'000'000;

/// scene_region() with inlets.
ViewBox picture_region(const Bodies& bodies, const Model& model);

/// Counted from an origin.
WallCellMesh wall_cell_mesh(const std::vector<WallCells>& cells, const Vec3& origin);

/// What is recorded of a cell.
struct WallQuantity {
  std::string_view name, unit, meaning;
  bool is_sum;  // since the start of the run; else of the time since the frame before
};
enum class WallValue : std::uint8_t {
  pressure,
  shear_stress,
  friction_power,
  largest_pressure,
  wear,
  impacts,
  impact_energy,
  normal_impulse,
  shear_impulse,
  friction_work,
  sliding,
  impulse_x,
  impulse_y,
  impulse_z,
};
/// In the order of WallValue.
std::span<const WallQuantity> wall_quantities();
/// The number of the one of this name; none: there is none.
std::optional<std::size_t> wall_quantity(std::string_view name);

/// [quantity][cell]; empty where walls have no cells.
using WallValues = std::vector<std::vector<double>>;

/// From the sums of a state to what frames have.
class WallCellRecord {
 public:
  WallCellRecord(const Model& model, double time_s);
  /// Means are over the time since the last call.
  WallValues values(const Model& model, const State& state);
  const WallCellMesh& mesh() const { return mesh_; }
  void visit(Archive& io);

 private:
  WallCellMesh mesh_;
  double time_s_;
  std::vector<double> pressing_, shearing_, friction_work_;  // [cell] at that time
  std::vector<double> largest_pressure_;                     // [cell] Pa
};

}  // namespace scree::io
