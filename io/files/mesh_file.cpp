#include "io/files/mesh_file.h"

#include <Eigen/Geometry>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <string>

#include "io/files/text_file.h"

namespace scree::io {

namespace {

static_assert(std::endian::native == std::endian::little, "STL is little-endian");

template <class T>
void append(std::string& bytes, const T& x) {
  bytes.append(reinterpret_cast<const char*>(&x), sizeof(T));
}

/// 80 bytes of heading, the number of triangles, then 50 bytes each: normal, three corners, two bytes of no
/// use.
std::string stl_text(const TriangleMesh& mesh) {
  std::string bytes = "made by scree";
  bytes.resize(80, ' ');
  append(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    const auto at = [&](std::size_t k) -> const Vec3& { return mesh.points[static_cast<std::size_t>(t[k])]; };
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0)).stableNormalized();
    for (const Vec3& x : {normal, at(0), at(1), at(2)}) {
      for (int k = 0; k < 3; ++k) append(bytes, static_cast<float>(x[k]));
    }
    append(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::string obj_text(const TriangleMesh& mesh) {
  fmt::memory_buffer text;
  for (const Vec3& x : mesh.points)
    fmt::format_to(std::back_inserter(text), "v {:.9g} {:.9g} {:.9g}\n", x[0], x[1], x[2]);
  for (const auto& t : mesh.triangles)
    fmt::format_to(std::back_inserter(text), "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return fmt::to_string(text);
}

constexpr std::array<std::string_view, 2> endings{".stl", ".obj"};

}  // namespace

std::span<const std::string_view> mesh_endings() { return endings; }

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh) {
  write_whole_file(path, path.extension() == ".obj" ? obj_text(mesh) : stl_text(mesh));
}

}  // namespace scree::io
