#include "io/files/vtk_file.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <future>
#include <new>
#include <numeric>

#include "engine/core/bytes.h"
#include "io/files/text_file.h"
#include "io/vtk/module.h"

namespace scree::io {

namespace {

/// The module, or the reason why there is none.
struct Loaded {
  const VtkModule* module = nullptr;
  std::string problem;
  bool no_memory = false;
};

/// Searched for beside the program in a build, and in lib/scree if both were installed, as in the
/// program's RUNPATH.
Loaded load() {
#ifdef SCREE_VTK
  void* const library = dlopen("libscree_vtk.so", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = dlerror();
    // Message of the loader if the address space is too small.
    const bool no_memory = why.find("failed to map segment") != std::string::npos ||
                           why.find("annot allocate memory") != std::string::npos;
    return {nullptr,
            fmt::format("the VTK library cannot be loaded (Debian: libvtk9.1, or paraview if the program was "
                        "built with it): {}",
                        why),
            no_memory};
  }
  const auto entry = reinterpret_cast<VtkModuleEntry>(dlsym(library, vtk_module_entry));
  if (entry == nullptr) return {nullptr, "libscree_vtk.so has another version than this program"};
  return {entry(), ""};
#else
  return {nullptr,
          "this program was built without VTK: configure with -DSCREE_VTK=ON, which needs the Debian package "
          "libvtk9-dev, or paraview-dev if python3-paraview is installed"};
#endif
}

const std::shared_future<Loaded>& loading() {
  static const std::shared_future<Loaded> once = std::async(std::launch::async, load).share();
  return once;
}

const Loaded& loaded() { return loading().get(); }

const VtkModule& module() {
  if (loaded().no_memory) throw std::bad_alloc();
  if (loaded().module == nullptr) throw VtkMissing(loaded().problem);
  return *loaded().module;
}

/// The text with its checksum.
std::string checked(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  text += vtk_checksum(text);
  return text;
}

void write_checked(const std::filesystem::path& path, std::string text) {
  write_whole_file(path, checked(std::move(text)));
}

/// Cells of one kind, each a list of points, in VTK's layout: all lists in sequence, and their beginnings.
struct Cells {
  std::vector<std::int32_t> connectivity, offsets{0};
  void add(const std::vector<std::int32_t>& points) {
    connectivity.insert(connectivity.end(), points.begin(), points.end());
    offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
  }
};

std::size_t size_of(VtkArray::Type type) { return type == VtkArray::Type::int64 ? 8 : 4; }

/// Lists in consecutive bytes, each from a multiple of eight on, so that they can be used where they are.
class Packer {
 public:
  template <class T>
  void list(std::span<const T> values) {
    append_list(values, bytes_);
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
  }
  void arrays(const VtkArrays& all) {
    append(all.size(), bytes_);
    for (const VtkArray& array : all) {
      list(std::span<const char>(array.name()));
      append(static_cast<std::int32_t>(array.type()), bytes_);
      append(static_cast<std::int32_t>(array.components()), bytes_);
      list(std::span(static_cast<const std::byte*>(array.values()), array.count() * size_of(array.type())));
    }
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  std::span<const T> list() {
    const auto n = take<std::size_t>();
    const std::span<const T> values(reinterpret_cast<const T*>(bytes_.data()), n);
    bytes_ = bytes_.subspan((n * sizeof(T) + 7) / 8 * 8);
    return values;
  }
  VtkArrays arrays() {
    VtkArrays all;
    for (auto n = take<std::size_t>(); n > 0; --n) {
      const std::span<const char> name = list<char>();
      const auto type = static_cast<VtkArray::Type>(take<std::int32_t>());
      const auto components = take<std::int32_t>();
      const std::span<const std::byte> values = list<std::byte>();
      all.emplace_back(std::string(name.begin(), name.end()), type, components, values.data(),
                       values.size() / size_of(type));
    }
    return all;
  }

 private:
  template <class T>
  T take() {
    BytesReader reader(bytes_);
    const T value = reader.take<T>();
    bytes_ = reader.rest();
    return value;
  }
  std::span<const std::byte> bytes_;
};

using Kind = VtkPolyData::Kind;

Piece piece_of(Kind kind, const std::vector<Eigen::Vector3f>& points, const Cells& cells,
               const std::vector<Eigen::Vector3f>& normals, const VtkArrays& point_data,
               const VtkArrays& cell_data) {
  Packer packer;
  packer.list(std::span<const Kind>(&kind, 1));
  packer.list(std::span(points));
  packer.list(std::span(cells.connectivity));
  packer.list(std::span(cells.offsets));
  packer.list(std::span(normals));
  packer.arrays(point_data);
  packer.arrays(cell_data);
  return {Piece::Kind::vtk_poly_data, 1, false, packer.take()};
}

}  // namespace

VtkLoading::VtkLoading() { loading(); }
VtkLoading::~VtkLoading() { loading().wait(); }
std::string vtk_problem() { return loaded().problem; }
void require_vtk() { module(); }

std::string vtk_checksum(std::string_view text) {
  return fmt::format("{}{} -->\n", vtk_checksum_begin, crc32_text(crc32_of(text)));
}

Piece vtk_points(const std::vector<Eigen::Vector3f>& points, const VtkArrays& point_data) {
  return piece_of(Kind::points, points, {}, {}, point_data, {});
}

Piece vtk_lines(const std::vector<Eigen::Vector3f>& ends, const VtkArrays& cell_data) {
  Cells cells;
  for (std::int32_t k = 0; static_cast<std::size_t>(k) + 1 < ends.size(); k += 2) cells.add({k, k + 1});
  return piece_of(Kind::lines, ends, cells, {}, {}, cell_data);
}

Piece vtk_polygons(const std::vector<Eigen::Vector3f>& points,
                   const std::vector<std::vector<std::int32_t>>& polygons,
                   const std::vector<Eigen::Vector3f>& normals, const VtkArrays& cell_data) {
  Cells cells;
  for (const std::vector<std::int32_t>& polygon : polygons) cells.add(polygon);
  return piece_of(Kind::polygons, points, cells, normals, {}, cell_data);
}

Bytes packed_poly_data(std::span<const std::byte> numbers) {
  Unpacker unpacker(numbers);
  const Kind kind = unpacker.list<Kind>()[0];
  const auto points = unpacker.list<Eigen::Vector3f>();
  auto connectivity = unpacker.list<std::int32_t>(), offsets = unpacker.list<std::int32_t>();
  const auto normals = unpacker.list<Eigen::Vector3f>();
  const VtkArrays point_data = unpacker.arrays(), cell_data = unpacker.arrays();
  Cells all;
  if (kind == Kind::points && !points.empty()) {
    std::vector<std::int32_t> places(points.size());
    std::iota(places.begin(), places.end(), 0);
    all.add(places);
    connectivity = all.connectivity;
    offsets = all.offsets;
  }
  const std::string text =
      checked(module().write({points, kind, connectivity, offsets, normals, point_data, cell_data}));
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write_vtk(const std::filesystem::path& path, Piece piece) {
  pack(piece);
  write_whole_file(path, {reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size()});
}

void write_vtk_image(const std::filesystem::path& path, const VtkGrid& grid, const VtkArrays& cell_data) {
  write_checked(path, module().write_image(grid, cell_data));
}

void write_vtk_structured_grid(const std::filesystem::path& path, const VtkGrid& grid,
                               const VtkArrays& cell_data) {
  write_checked(path, module().write_structured_grid(grid, cell_data));
}

TriangleMesh read_vtk_surface(const std::filesystem::path& path, const std::string& ending,
                              std::string& problem) {
  return module().read_surface(path.string(), ending, problem);
}

TriangleMesh fill_holes(const TriangleMesh& mesh, double radius_m) {
  return module().fill_holes(mesh, radius_m);
}

TriangleMesh decimate(const TriangleMesh& mesh, std::size_t triangles) {
  return module().decimate(mesh, triangles);
}

void write_vtk_mesh(const std::filesystem::path& path, const TriangleMesh& mesh, const VtkArrays& cell_data) {
  write_checked(path, module().write_mesh(mesh, cell_data));
}

void write_series(const std::filesystem::path& path,
                  const std::vector<std::pair<double, std::string>>& files) {
  write_checked(path, module().write_collection(files));
}

}  // namespace scree::io
