// VTK's XML files, written without its library: Debian 12 cannot install libvtk9-dev beside ParaView. Inline
// base64, compressed with LZ4 (docs/paraview.md says why). All functions replace an older file in one go and
// throw WriteError.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace scree::io {

/// What ends each of these files: a comment with the CRC-32 of all bytes before it.
inline constexpr const char* vtk_checksum_begin = "<!-- crc32 ";
std::string vtk_checksum(std::string_view text);

/// An array of numbers with a name. Does not own the numbers, which lie tightly packed.
class VtkArray {
 public:
  /// `values` are numbers, strong indices, or rows of a fixed number of numbers: a tuple each.
  template <class T>
  VtkArray(std::string name, const std::vector<T>& values)
      : name_(std::move(name)),
        type_(type_name(number<T>())),
        components_(components<T>()),
        bytes_(reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)) {}
  template <class T>
  VtkArray(std::string, std::vector<T>&&) = delete;  // it would not live until the file is written

  /// The XML element.
  std::string xml() const;

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
  /// How many numbers a value is.
  template <class T>
  static constexpr std::size_t components() {
    if constexpr (std::is_arithmetic_v<T>) {
      return 1;
    } else {
      return sizeof(T) / sizeof(number<T>());
    }
  }
  static const char* type_name(float) { return "Float32"; }
  static const char* type_name(std::int32_t) { return "Int32"; }
  static const char* type_name(std::int64_t) { return "Int64"; }

  std::string name_;
  const char* type_;
  std::size_t components_;
  std::span<const std::uint8_t> bytes_;
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

/// .pvd: the file of each time, s; files are relative to its folder.
void write_series(const std::filesystem::path& path,
                  const std::vector<std::pair<double, std::string>>& files);

}  // namespace scree::io
