// Files for ParaView, written by VTK's library, which is loaded for the first of them (io/vtk). All functions
// replace an older file in one go; they throw WriteError, and VtkMissing where the library is not there.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/geometry/triangle_mesh.h"

namespace scree::io {

/// The program was built without VTK, or its library is not on this machine; the message says what to do.
class VtkMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Loads the library in the background: some 10 ms, for which nothing need wait. Its scope ends after the
/// loading has: VTK's constructors must not run beside the destructors of a program that exits.
class VtkLoading {
 public:
  VtkLoading();
  ~VtkLoading();
  VtkLoading(const VtkLoading&) = delete;
  VtkLoading& operator=(const VtkLoading&) = delete;
};

/// Loads the library if that has not been done; empty, or what VtkMissing would say.
std::string vtk_problem();
/// Throws VtkMissing: to be called before what is made for VTK's files, such as their folder.
void require_vtk();

/// What ends each of these files: a comment with the CRC-32 of all bytes before it.
inline constexpr const char* vtk_checksum_begin = "<!-- crc32 ";
std::string vtk_checksum(std::string_view text);

/// An array of numbers with a name. Does not own the numbers, which lie tightly packed.
class VtkArray {
 public:
  enum class Type { float32, int32, int64 };

  /// `values` are numbers, strong indices, or rows of a fixed number of numbers: a tuple each.
  template <class T>
  VtkArray(std::string name, const std::vector<T>& values)
      : name_(std::move(name)),
        type_(type_of(number<T>())),
        components_(components_of<T>()),
        values_(values.data()),
        count_(values.size() * static_cast<std::size_t>(components_)) {}
  template <class T>
  VtkArray(std::string, std::vector<T>&&) = delete;  // it would not live until the file is written

  const std::string& name() const { return name_; }
  Type type() const { return type_; }
  int components() const { return components_; }  // numbers in a tuple
  const void* values() const { return values_; }
  std::size_t count() const { return count_; }  // numbers in all

 private:
  template <class T>
  static constexpr auto number() {
    if constexpr (std::is_arithmetic_v<T>) {
      return T{};
    } else if constexpr (requires { typename T::value_type; }) {
      return typename T::value_type{};
    } else {
      return decltype(T::value){};
    }
  }
  template <class T>
  static constexpr int components_of() {
    if constexpr (std::is_arithmetic_v<T>) {
      return 1;
    } else {
      return static_cast<int>(sizeof(T) / sizeof(number<T>()));
    }
  }
  static constexpr Type type_of(float) { return Type::float32; }
  static constexpr Type type_of(std::int32_t) { return Type::int32; }
  static constexpr Type type_of(std::int64_t) { return Type::int64; }

  std::string name_;
  Type type_;
  int components_;
  const void* values_;
  std::size_t count_;
};

using VtkArrays = std::vector<VtkArray>;

/// .vtp: points in one cell that holds them all, a fraction of the size of a cell a point.
void write_vtk_points(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points,
                      const VtkArrays& point_data);

/// .vtp: straight lines, each from one point to the next but one in the list: 0 to 1, 2 to 3, ...
void write_vtk_lines(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& ends,
                     const VtkArrays& cell_data);

/// .vtp: polygons, each a list of points, with the points' normals.
void write_vtk_polygons(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points,
                        const std::vector<std::vector<std::int32_t>>& polygons,
                        const std::vector<Eigen::Vector3f>& normals, const VtkArrays& cell_data);

/// Equal cells, parallelepipeds, in rows and layers, the first axis fastest.
struct VtkGrid {
  Eigen::Vector3d low;               // m, corner of the first cell
  Eigen::Matrix3d edges;             // m, columns: of a cell
  std::array<std::size_t, 3> count;  // cells along these
};

/// .vti: cells along the axes of the world; what `edges` has beside its diagonal is left out.
void write_vtk_image(const std::filesystem::path& path, const VtkGrid& grid, const VtkArrays& cell_data);

/// .vts: cells of any edges, by their corners.
void write_vtk_structured_grid(const std::filesystem::path& path, const VtkGrid& grid,
                               const VtkArrays& cell_data);

/// Surfaces of other kinds of files, and what VTK does to meshes; see VtkModule.
TriangleMesh read_vtk_surface(const std::filesystem::path& path, const std::string& ending,
                              std::string& problem);
TriangleMesh fill_holes(const TriangleMesh& mesh, double radius_m);
TriangleMesh decimate(const TriangleMesh& mesh, std::size_t triangles);
/// .vtp: a mesh in double precision, with a number for each of its triangles.
void write_vtk_mesh(const std::filesystem::path& path, const TriangleMesh& mesh, const VtkArrays& cell_data);

/// .pvd: the file of each time, s; files are relative to its folder.
void write_series(const std::filesystem::path& path,
                  const std::vector<std::pair<double, std::string>>& files);

}  // namespace scree::io
