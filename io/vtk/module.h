// What the program and its VTK module say to each other: plain data, so that no header of VTK is needed here.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "io/files/vtk_file.h"

namespace scree::io {

/// A surface, lines or points: cells of one kind, each a list of points.
struct VtkPolyData {
  enum class Kind { points, lines, polygons };
  std::span<const Eigen::Vector3f> points;
  Kind kind = Kind::points;
  std::span<const std::int32_t> connectivity;  // the lists of all cells in a row
  std::span<const std::int32_t> offsets;       // [cells + 1], where each list begins
  std::span<const Eigen::Vector3f> normals;    // of the points; may be empty
  const VtkArrays& point_data;
  const VtkArrays& cell_data;
};

/// VTK's library, by its own writers. All functions give the bytes of a file: inline base64, LZ4 in blocks of
/// 1 MiB, the same bytes on every call.
class VtkModule {
 public:
  virtual ~VtkModule() = default;
  virtual std::string write(const VtkPolyData& data) const = 0;
  /// Cells along the axes of the world; what `edges` has beside its diagonal is left out.
  virtual std::string write_image(const VtkGrid& grid, const VtkArrays& cell_data) const = 0;
  virtual std::string write_structured_grid(const VtkGrid& grid, const VtkArrays& cell_data) const = 0;
  virtual std::string write_collection(std::span<const std::pair<double, std::string>> files) const = 0;
};

/// What the module exports under this name.
inline constexpr const char* vtk_module_entry = "scree_vtk_module";
using VtkModuleEntry = const VtkModule* (*)();

}  // namespace scree::io
