#include "io/files/vtk_file.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <future>
#include <new>
#include <numeric>

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

void write_checked(const std::filesystem::path& path, std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  text += vtk_checksum(text);
  write_whole_file(path, text);
}

/// Cells of one kind, each a list of points, in VTK's layout: all lists in sequence, and their beginnings.
struct Cells {
  std::vector<std::int32_t> connectivity, offsets{0};
  void add(const std::vector<std::int32_t>& points) {
    connectivity.insert(connectivity.end(), points.begin(), points.end());
    offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
  }
};

}  // namespace

VtkLoading::VtkLoading() { loading(); }
VtkLoading::~VtkLoading() { loading().wait(); }
std::string vtk_problem() { return loaded().problem; }
void require_vtk() { module(); }

std::string vtk_checksum(std::string_view text) {
  return fmt::format("{}{} -->\n", vtk_checksum_begin, crc32_text(crc32_of(text)));
}

void write_vtk_points(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points,
                      const VtkArrays& point_data) {
  std::vector<std::int32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  Cells cells;
  if (!all.empty()) cells.add(all);
  write_checked(
      path, module().write(
                {points, VtkPolyData::Kind::points, cells.connectivity, cells.offsets, {}, point_data, {}}));
}

void write_vtk_lines(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& ends,
                     const VtkArrays& cell_data) {
  Cells cells;
  for (std::int32_t k = 0; static_cast<std::size_t>(k) + 1 < ends.size(); k += 2) cells.add({k, k + 1});
  write_checked(
      path,
      module().write({ends, VtkPolyData::Kind::lines, cells.connectivity, cells.offsets, {}, {}, cell_data}));
}

void write_vtk_polygons(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points,
                        const std::vector<std::vector<std::int32_t>>& polygons,
                        const std::vector<Eigen::Vector3f>& normals, const VtkArrays& cell_data) {
  Cells cells;
  for (const std::vector<std::int32_t>& polygon : polygons) cells.add(polygon);
  write_checked(
      path,
      module().write(
          {points, VtkPolyData::Kind::polygons, cells.connectivity, cells.offsets, normals, {}, cell_data}));
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
