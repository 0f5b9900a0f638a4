#include "io/files/vtk_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <lz4.h>
#include <numeric>

#include "io/files/file_errors.h"
#include "io/files/text_file.h"

namespace scree::io {

namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;  // bytes that are compressed together

std::string elements(const char* name, const VtkArrays& arrays, const std::string& attributes = "") {
  std::string text = fmt::format("<{}{}>\n", name, attributes);
  for (const VtkArray& array : arrays) text += array.xml();
  return text + fmt::format("</{}>\n", name);
}

void write_checked(const std::filesystem::path& path, std::string text) {
  text += vtk_checksum(text);
  write_whole_file(path, text);
}

void write_data_set(const std::filesystem::path& path, const char* type, const std::string& attributes,
                    const std::string& piece) {
  write_checked(
      path,
      fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
                  "header_type=\"UInt64\" "
                  "compressor=\"vtkLZ4DataCompressor\">\n<{}{}>\n{}</Piece>\n</{}>\n</VTKFile>\n",
                  type, type, attributes, piece, type));
}

/// Cells of one kind, each a list of points, as VTK has them: all lists in a row, and where each ends.
struct Cells {
  std::vector<std::int32_t> connectivity, offsets;
  void add(const std::vector<std::int32_t>& points) {
    connectivity.insert(connectivity.end(), points.begin(), points.end());
    offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
  }
  VtkArrays arrays() const { return {{"connectivity", connectivity}, {"offsets", offsets}}; }
};

void write_poly_data(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points,
                     const char* kind, const Cells& cells, const std::string& point_data,
                     const VtkArrays& cell_data) {
  write_data_set(path, "PolyData", "",
                 fmt::format("<Piece NumberOfPoints=\"{}\" NumberOf{}=\"{}\">\n", points.size(), kind,
                             cells.offsets.size()) +
                     point_data + elements("CellData", cell_data) + elements("Points", {{"Points", points}}) +
                     elements(kind, cells.arrays()));
}

std::string extent_of(const VtkGrid& grid) {
  return fmt::format("\"0 {} 0 {} 0 {}\"", grid.count[0], grid.count[1], grid.count[2]);
}

}  // namespace

std::string vtk_checksum(std::string_view text) {
  return fmt::format("{}{} -->\n", vtk_checksum_begin, crc32_text(crc32_of(text)));
}

std::string VtkArray::xml() const {
  // Number of blocks, size of all but the last, size of a last that is smaller, compressed sizes.
  std::vector<std::uint64_t> header{(bytes_.size() + block_size - 1) / block_size, block_size,
                                    bytes_.size() % block_size};
  std::vector<std::uint8_t> packed;
  for (std::size_t at = 0; at < bytes_.size(); at += block_size) {
    const int size = static_cast<int>(std::min(block_size, bytes_.size() - at)),
              room = LZ4_compressBound(size);
    const std::size_t end = packed.size();
    packed.resize(end + static_cast<std::size_t>(room));
    header.push_back(static_cast<std::uint64_t>(LZ4_compress_default(
        reinterpret_cast<const char*>(&bytes_[at]), reinterpret_cast<char*>(&packed[end]), size, room)));
    packed.resize(end + header.back());
  }
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}{}</DataArray>\n",
      type_, name_, components_,
      base64({reinterpret_cast<const std::uint8_t*>(header.data()), 8 * header.size()}), base64(packed));
}

void write_vtk_points(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points,
                      const VtkArrays& point_data) {
  std::vector<std::int32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  Cells cells;
  if (!all.empty()) cells.add(all);
  write_poly_data(path, points, "Verts", cells, elements("PointData", point_data), {});
}

void write_vtk_lines(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& ends,
                     const VtkArrays& cell_data) {
  Cells cells;
  for (std::int32_t k = 0; static_cast<std::size_t>(k) + 1 < ends.size(); k += 2) cells.add({k, k + 1});
  write_poly_data(path, ends, "Lines", cells, elements("PointData", {}), cell_data);
}

void write_vtk_polygons(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points,
                        const std::vector<std::vector<std::int32_t>>& polygons,
                        const std::vector<Eigen::Vector3f>& normals, const VtkArrays& cell_data) {
  Cells cells;
  for (const std::vector<std::int32_t>& polygon : polygons) cells.add(polygon);
  write_poly_data(path, points, "Polys", cells,
                  elements("PointData", {{"Normals", normals}}, " Normals=\"Normals\""), cell_data);
}

void write_vtk_image(const std::filesystem::path& path, const VtkGrid& grid, const VtkArrays& cell_data) {
  const Eigen::Vector3d spacing = grid.edges.diagonal();
  write_data_set(path, "ImageData",
                 fmt::format(" WholeExtent={} Origin=\"{} {} {}\" Spacing=\"{} {} {}\"", extent_of(grid),
                             grid.low[0], grid.low[1], grid.low[2], spacing[0], spacing[1], spacing[2]),
                 fmt::format("<Piece Extent={}>\n", extent_of(grid)) + elements("CellData", cell_data));
}

void write_vtk_structured_grid(const std::filesystem::path& path, const VtkGrid& grid,
                               const VtkArrays& cell_data) {
  std::vector<Eigen::Vector3f> corners;
  for (std::size_t k = 0; k <= grid.count[2]; ++k)
    for (std::size_t j = 0; j <= grid.count[1]; ++j)
      for (std::size_t i = 0; i <= grid.count[0]; ++i)
        corners.push_back(
            (grid.low + grid.edges * Eigen::Vector3d(static_cast<double>(i), static_cast<double>(j),
                                                     static_cast<double>(k)))
                .cast<float>());
  write_data_set(path, "StructuredGrid", fmt::format(" WholeExtent={}", extent_of(grid)),
                 fmt::format("<Piece Extent={}>\n", extent_of(grid)) + elements("CellData", cell_data) +
                     elements("Points", {{"Points", corners}}));
}

void write_series(const std::filesystem::path& path,
                  const std::vector<std::pair<double, std::string>>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const auto& [time, file] : files) {
    text += fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", time, file);
  }
  write_checked(path, text + "  </Collection>\n</VTKFile>\n");
}

}  // namespace scree::io
