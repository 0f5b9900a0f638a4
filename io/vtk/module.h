// The interface of the program and its VTK module: plain data, so that no header of VTK is needed here.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "engine/geometry/triangle_mesh.h"
#include "io/files/vtk_file.h"

namespace scree::io {

/// A surface, lines or points: cells of one kind, each a list of points.
struct VtkPolyData {
  enum class Kind { points, lines, polygons };
  std::span<const Eigen::Vector3f> points;
  Kind kind = Kind::points;
  std::span<const std::int32_t> connectivity;  // the lists of all cells, one after the other
  std::span<const std::int32_t> offsets;       // [cells + 1], beginning of each list
  std::span<const Eigen::Vector3f> normals;    // of the points; may be empty
  const VtkArrays& point_data;
  const VtkArrays& cell_data;
};

/// VTK's library, with its own writers. All functions return the bytes of a file: inline base64, LZ4 in
/// blocks of 1 MiB, the same bytes on each call.
class VtkModule {
 public:
  virtual ~VtkModule() = default;
  virtual std::string write(const VtkPolyData& data) const = 0;
  /// Cells along the axes of the world; off-diagonal parts of `edges` are ignored.
  virtual std::string write_image(const VtkGrid& grid, const VtkArrays& cell_data) const = 0;
  virtual std::string write_structured_grid(const VtkGrid& grid, const VtkArrays& cell_data) const = 0;
  /// A mesh in double precision.
  virtual std::string write_mesh(const TriangleMesh& mesh, const VtkArrays& cell_data) const = 0;
  virtual std::string write_collection(std::span<const std::pair<double, std::string>> files) const = 0;

  /// The triangles of a surface: from .vtp, .vtu, .vtk, .gltf or .glb, by the ending; polygons and strips
  /// are split, cells become their surface. None if it is not valid, with the reason in `problem`.
  virtual TriangleMesh read_surface(const std::string& path, const std::string& ending,
                                    std::string& problem) const = 0;
  /// Closes holes that fit into a ball of this radius, m, with triangles between existing points.
  virtual TriangleMesh fill_holes(const TriangleMesh& mesh, double radius) const = 0;
  /// Reduces to about this number of triangles, with the smallest change of shape (quadrics of Garland and
  /// Heckbert 1997).
  virtual TriangleMesh decimate(const TriangleMesh& mesh, std::size_t triangles) const = 0;
};

/// The exported symbol of the module.
inline constexpr const char* vtk_module_entry = "scree_vtk_module";
using VtkModuleEntry = const VtkModule* (*)();

}  // namespace scree::io
