// Wall cells in files and images: loads on walls, place by place.
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

/// Triangles into which the surfaces of boundaries are divided, at rest. All arrays are [cell].
struct WallCellMesh {
  TriangleMesh surface;  // one triangle per cell
  std::vector<std::int32_t> boundary;
  std::vector<double> area;  // m^2
  std::size_t size() const { return boundary.size(); }
  std::array<Vec3, 3> corners(std::size_t cell) const {
    const auto& [a, b, c] = surface.triangles[cell];
    return {surface.points[a], surface.points[b], surface.points[c]};
  }
};

/// Cells [boundary] with edges of at most this length, m. Triangles of a mesh are kept if they are small
/// enough, else divided along their longest edges; other walls are divided as for images. Planes end at the
/// region; contacts beyond it count for the nearest cell. Throws std::length_error if there would be more
/// than most_wall_cells.
std::vector<WallCells> cut_into_cells(const Boundaries& boundaries, const ViewBox& region, double longest_m);
inline constexpr std::size_t most_wall_cells = 4'000'000;

/// scene_region() including inlets.
ViewBox picture_region(const Bodies& bodies, const Model& model);

/// Relative to an origin.
WallCellMesh wall_cell_mesh(const std::vector<WallCells>& cells, const Vec3& origin);

/// A recorded quantity of wall cells.
struct WallQuantity {
  std::string_view name, unit, meaning;
  bool is_sum;  // since the start of the run; else over the time since the last frame
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
/// The number of the quantity with this name; none if it does not exist.
std::optional<std::size_t> wall_quantity(std::string_view name);

/// [quantity][cell]; empty without wall cells.
using WallValues = std::vector<std::vector<double>>;

/// Converts the sums of a state to values for frames.
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
