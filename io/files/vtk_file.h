// Files for ParaView, written by VTK's library, which is loaded when the first one is written (io/vtk). All
// functions replace an older file atomically. They throw WriteError, and VtkMissing without the library.
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
#include "io/files/piece.h"

namespace scree::io {

/// The program was built without VTK, or its library is not on this machine; the message names the remedy.
class VtkMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Loads the library in the background in about 10 ms. The destructor waits for the end of
/// loading: VTK's constructors must not run at the same time as the destructors of an exiting program.
class VtkLoading {
 public:
  VtkLoading();
  ~VtkLoading();
  VtkLoading(const VtkLoading&) = delete;
  VtkLoading& operator=(const VtkLoading&) = delete;
};

/// Loads the library if that has not been done; returns the message of VtkMissing, or an empty text.
std::string vtk_problem();
/// Throws VtkMissing: to be called before other preparations for VTK's files, such as their folder.
void require_vtk();

/// The end of each of these files: a comment with the CRC-32 of all bytes before it.
inline constexpr const char* vtk_checksum_begin = "<!-- crc32 ";
std::string vtk_checksum(std::string_view text);

/// A named array of numbers. Does not own the numbers, which are tightly packed.
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
  VtkArray(std::string name, Type type, int components, const void* values, std::size_t count)
      : name_(std::move(name)), type_(type), components_(components), values_(values), count_(count) {}
  template <class T>
  VtkArray(std::string, std::vector<T>&&) = delete;  // the list would not exist until the file is written

  const std::string& name() const { return name_; }
  Type type() const { return type_; }
  int components() const { return components_; }  // numbers per tuple
  const void* values() const { return values_; }
  std::size_t count() const { return count_; }  // numbers in total

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

/// .vtp: all points in one cell; one cell per point would take several times the space. The piece copies the
/// numbers.
Piece vtk_points(const std::vector<Eigen::Vector3f>& points, const VtkArrays& point_data);

/// .vtp: straight lines between consecutive pairs of points: 0 to 1, 2 to 3, ...
Piece vtk_lines(const std::vector<Eigen::Vector3f>& ends, const VtkArrays& cell_data);

/// .vtp: polygons, each a list of points, with the points' normals.
Piece vtk_polygons(const std::vector<Eigen::Vector3f>& points,
                   const std::vector<std::vector<std::int32_t>>& polygons,
                   const std::vector<Eigen::Vector3f>& normals, const VtkArrays& cell_data);

/// The bytes of a file from those of a piece of these kinds.
Bytes packed_poly_data(std::span<const std::byte> numbers);

/// The whole file, from one of these pieces.
void write_vtk(const std::filesystem::path& path, Piece piece);

/// Equal cells, parallelepipeds, in rows and layers, with the first axis fastest.
struct VtkGrid {
  Eigen::Vector3d low;               // m, corner of the first cell
  Eigen::Matrix3d edges;             // m, columns: edges of a cell
  std::array<std::size_t, 3> count;  // cells along these edges
};

/// .vti: cells along the axes of the world; off-diagonal parts of `edges` are ignored.
void write_vtk_image(const std::filesystem::path& path, const VtkGrid& grid, const VtkArrays& cell_data);

/// .vts: cells with any edges, by their corners.
void write_vtk_structured_grid(const std::filesystem::path& path, const VtkGrid& grid,
                               const VtkArrays& cell_data);

/// Reading of surfaces in other formats, and VTK's operations on meshes; see VtkModule.
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
