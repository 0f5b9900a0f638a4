#include "io/files/mesh_file.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include "engine/geometry/mesh_repair.h"
#include "io/files/ending.h"
#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "io/files/ply_file.h"
#include "io/files/polygon.h"
#include "io/files/text_file.h"
#include "io/files/vtk_file.h"

namespace scree::io {

namespace {

static_assert(std::endian::native == std::endian::little, "STL is little-endian");

template <class T>
void append(std::string& bytes, const T& x) {
  bytes.append(reinterpret_cast<const char*>(&x), sizeof(T));
}

/// 80 bytes of heading, the number of triangles, then 50 bytes each: normal, three corners, two unused
/// bytes.
std::string stl_text(const TriangleMesh& mesh) {
  std::string bytes = "made by scree";
  bytes.resize(80, ' ');
  append(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    const auto at = [&](std::size_t k) -> const Vec3& { return mesh.points[t[k]]; };
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

constexpr std::array<std::string_view, 3> endings{".stl", ".obj", ".vtp"};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw ReadError(fmt::format("cannot read {}: {}", path.string(), problem));
}

/// Merges corners, three per triangle, to shared points.
TriangleMesh shared_corners(const std::vector<Vec3>& corners) {
  TriangleMesh mesh;
  std::map<std::array<double, 3>, std::int32_t> known;
  const auto point = [&](const Vec3& x) {
    const auto [at, is_new] =
        known.try_emplace({x[0], x[1], x[2]}, static_cast<std::int32_t>(mesh.points.size()));
    if (is_new) mesh.points.push_back(x);
    return at->second;
  };
  for (std::size_t c = 0; c + 2 < corners.size(); c += 3) {
    const std::array<std::int32_t, 3> t{point(corners[c]), point(corners[c + 1]), point(corners[c + 2])};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
  }
  return mesh;
}

constexpr std::size_t stl_heading = 84, stl_triangle = 50;

std::vector<Vec3> binary_stl_corners(const std::string& bytes, std::uint32_t triangles) {
  std::vector<Vec3> corners;
  for (std::uint32_t k = 0; k < triangles; ++k) {
    const std::size_t at = stl_heading + stl_triangle * k;
    for (std::size_t corner = 1; corner <= 3; ++corner) {
      std::array<float, 3> x;
      std::memcpy(x.data(), bytes.data() + at + 12 * corner, sizeof x);
      corners.emplace_back(x[0], x[1], x[2]);
    }
  }
  return corners;
}

/// The words of a text and their lines.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  /// In small letters; empty at the end.
  std::string next() {
    while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
    std::string word;
    for (; at_ < text_.size() && !is_space(text_[at_]); ++at_)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_])));
    return word;
  }
  std::optional<double> number() {
    const std::string word = next();
    double x = 0.0;
    const char *const begin = word.data() + (word.starts_with('+') ? 1 : 0), *const end =
                                                                                 word.data() + word.size();
    const auto [stop, error] = std::from_chars(begin, end, x);
    return error == std::errc() && stop == end ? std::optional(x) : std::nullopt;
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  int line() const { return line_; }

 private:
  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

std::vector<Vec3> text_stl_corners(const std::filesystem::path& path, std::string_view bytes) {
  Words words(bytes);
  std::vector<Vec3> corners;
  std::size_t facet = 0;  // where its corners begin
  bool is_open = false;
  int last_line = 1;
  for (std::string word = words.next(); !word.empty(); word = words.next()) {
    last_line = words.line();
    if (word == "solid" || word == "endsolid") {
      is_open = word == "solid";
      words.skip_line();  // the name may be any text
    } else if (word == "vertex") {
      const auto x = words.number(), y = words.number(), z = words.number();
      if (!x || !y || !z) fail(path, fmt::format("line {}: a vertex must have three numbers", words.line()));
      corners.emplace_back(*x, *y, *z);
    } else if (word == "endfacet") {
      if (corners.size() != facet + 3)
        fail(path, fmt::format("line {}: a facet has {} vertices instead of three", words.line(),
                               corners.size() - facet));
      facet = corners.size();
    }
  }
  if (is_open || corners.size() != facet)
    fail(path, fmt::format("line {}: it ends without endsolid, so its end may be missing; add this line if "
                           "the file is complete",
                           last_line));
  return corners;
}

/// The text without a byte-order mark and leading blanks, if it is an STL text: binary files may
/// begin with "solid" too, but contain zeros.
std::optional<std::string_view> stl_text_in(std::string_view bytes) {
  constexpr std::string_view mark = "\xef\xbb\xbf", solid = "solid";
  constexpr std::size_t looked_at = 1024;
  if (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  const bool begins = std::ranges::equal(bytes.substr(0, solid.size()), solid, {},
                                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!begins || bytes.substr(0, looked_at).find('\0') != std::string_view::npos) return std::nullopt;
  return bytes;
}

/// An STL file is binary if its length fits; else its beginning decides.
std::vector<Vec3> stl_corners(const std::filesystem::path& path, const std::string& bytes,
                              std::vector<std::string>& warnings) {
  const std::size_t room = bytes.size() < stl_heading ? 0 : bytes.size() - stl_heading;
  std::uint32_t triangles = 0;
  if (bytes.size() >= stl_heading)
    std::memcpy(&triangles, bytes.data() + stl_heading - sizeof triangles, sizeof triangles);
  const std::size_t needed = stl_triangle * triangles;
  if (bytes.size() >= stl_heading && room == needed) return binary_stl_corners(bytes, triangles);
  if (const std::optional<std::string_view> text = stl_text_in(bytes)) return text_stl_corners(path, *text);
  if (triangles == 0 || bytes.size() < stl_heading)
    fail(path, "it is not an STL file, or its end is missing");
  if (room < needed)
    fail(path, fmt::format("it is not an STL file, or its end is missing: {} of {} triangles are there",
                           room / stl_triangle, triangles));
  warnings.push_back(fmt::format("{} bytes follow the last of its {} triangles; they are ignored",
                                 room - needed, triangles));
  return binary_stl_corners(bytes, triangles);
}

std::vector<Vec3> obj_corners(const std::filesystem::path& path, const std::string& bytes) {
  std::vector<Vec3> points, corners;
  std::istringstream text(bytes);
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      Vec3 x;
      if (!(words >> x[0] >> x[1] >> x[2]))
        fail(path, fmt::format("line {}: a vertex must have three numbers", number));
      points.push_back(x);
    } else if (word == "f") {
      std::vector<Vec3> face;
      for (long place = 0;
           words >> word;) {  // "7", "7/1", "7//3": the first number counts from 1, or back from the end
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), place);
        if (place < 0) place += std::ssize(points) + 1;
        if (error != std::errc() || place < 1 || place > std::ssize(points))
          fail(path, fmt::format("line {}: there is no vertex {}", number, word));
        face.push_back(points[place - 1]);
      }
      if (corners.size() / 3 + face.size() > most_triangles)
        fail(path, fmt::format("it has more than {} triangles", most_triangles));
      append_triangles(face, corners);
    }
  }
  return corners;
}

constexpr std::array<std::string_view, 5> vtk_endings{".vtp", ".vtu", ".vtk", ".gltf", ".glb"};

/// VTK reads the file itself.
std::vector<Vec3> vtk_corners(const std::filesystem::path& path, const std::string& ending) {
  std::string problem;
  const TriangleMesh mesh = read_vtk_surface(path, ending, problem);
  if (!problem.empty()) fail(path, problem);
  if (mesh.triangles.empty()) fail(path, "it has no triangles");
  std::vector<Vec3> corners;
  for (const auto& t : mesh.triangles)
    for (const std::int32_t p : t) corners.push_back(mesh.points[p]);
  return corners;
}

}  // namespace

std::span<const std::string_view> mesh_endings() { return endings; }

std::string mesh_problem(const std::vector<Vec3>& points) {
  constexpr double farthest = 1e8;   // of the size
  constexpr double largest = 1e100;  // m, or the unit of the file
  Vec3 low = Vec3::Constant(infinity), high = -low;
  for (const Vec3& x : points) {
    if (!x.allFinite()) return "it has coordinates that are not finite";
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  if (points.empty()) return "";
  const double far = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff()),
               size = (high - low).maxCoeff();
  if (far > largest) return fmt::format("it has coordinates larger than {:g}", largest);
  if (far > farthest * size)
    return fmt::format("it has a size of {:g} and is {:g} from its origin: its coordinates are too coarse",
                       size, far);
  return "";
}

TriangleMesh read_mesh(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  std::string problem;
  const std::optional<std::string> bytes = read_bytes(path, problem);
  if (!bytes) fail(path, problem);
  return read_mesh(*bytes, path, warnings);
}

TriangleMesh read_mesh(const std::string& bytes, const std::filesystem::path& path,
                       std::vector<std::string>& warnings) {
  const std::string ending = ending_of(path);
  std::vector<Vec3> corners;
  if (std::ranges::find(vtk_endings, ending) != vtk_endings.end()) {
    corners = vtk_corners(path, ending);
  } else if (ending == ".obj") {
    corners = obj_corners(path, bytes);
  } else if (ending == ".stl") {
    corners = stl_corners(path, bytes, warnings);
  } else if (ending == ".ply") {
    std::string problem;
    std::optional<std::vector<Vec3>> found = ply_corners(bytes, problem);
    if (!found) fail(path, problem);
    corners = std::move(*found);
  } else {
    fail(path, fmt::format("its file type is not supported (allowed .stl, .obj, .ply, and with VTK {})",
                           fmt::join(vtk_endings, ", ")));
  }
  if (corners.size() / 3 > most_triangles)
    fail(path, fmt::format("it has more than {} triangles", most_triangles));
  if (const std::string problem = mesh_problem(corners); !problem.empty()) fail(path, problem);
  return shared_corners(corners);
}

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh) {
  if (path.extension() == ".vtp")
    write_vtk_mesh(path, mesh, {});
  else
    write_whole_file(path, path.extension() == ".obj" ? obj_text(mesh) : stl_text(mesh));
}

TriangleMesh mended(const TriangleMesh& mesh, double tolerance, double hole) {
  TriangleMesh joined = oriented(without_t_junctions(welded(mesh, tolerance), tolerance));
  if (!vtk_problem().empty() || hole <= 0.0) return joined;
  // VTK measures a hole by the circumscribed ball of its box.
  return oriented(welded(fill_holes(joined, 0.5 * hole), 0.0));
}

}  // namespace scree::io
