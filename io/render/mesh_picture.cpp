#include "io/render/mesh_picture.h"

#include <array>
#include <fmt/format.h>

#include "io/render/camera.h"
#include "io/render/labels.h"
#include "io/render/renderer.h"

namespace scree::io {

namespace {

constexpr double mesh_margin = 0.1;  // of half the picture stays free
constexpr double rod_share = 0.002;  // of the mesh's size: half the width of rims
// As category_colour() has them, of TriangleFault from needle on.
const std::array<const char*, 5> fault_names{"needle", "beside a hole", "turned", "crowded edge", "crossing"};

WallMesh flat_triangles(const TriangleMesh& mesh) {
  WallMesh wall;
  for (const auto& t : mesh.triangles) {
    const auto first = static_cast<std::int32_t>(wall.point.size());
    const Vec3 &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
    wall.point.insert(wall.point.end(), {a, b, c});
    wall.normal.insert(wall.normal.end(), 3, (b - a).cross(c - a).stableNormalized());
    wall.polygon.push_back({first, first + 1, first + 2});
    wall.boundary.push_back(0);
  }
  return wall;
}

Colour colour_of(TriangleFault fault) {
  return fault == TriangleFault::none ? Colour(0.72f, 0.74f, 0.76f)
                                      : category_colour(static_cast<std::size_t>(fault) - 1);
}

}  // namespace

Picture mesh_picture(const TriangleMesh& mesh, const MeshDiagnosis& diagnosis, int width, int height) {
  Lighting light;
  light.up = Vec3::UnitZ();
  light.middle = 0.5 * (diagnosis.low + diagnosis.high);
  const double size = (diagnosis.high - diagnosis.low).norm();
  light.shade_reach = 0.2 * size;
  light.samples = 16;
  ColourBar legend;
  legend.title = "fault";
  legend.map = default_map;
  legend.categories.assign(fault_names.begin(), fault_names.end());
  const Vec3 extent = diagnosis.high - diagnosis.low;
  const Labels labels{fmt::format("{} triangles, {} rims", diagnosis.triangles, diagnosis.holes.size()),
                      fmt::format("{:.4g} x {:.4g} x {:.4g} m", extent[0], extent[1], extent[2]), legend};
  const Layout layout = layout_of(width, height, labels);
  const Camera camera =
      framing_camera(mesh.points, view_direction("corner", light.up), light.up,
                     static_cast<double>(layout.scene.width) / layout.scene.height, mesh_margin);
  const WallMesh wall = flat_triangles(mesh);
  RayScene scene;
  scene.set_walls(wall, std::vector<bool>(wall.polygon.size(), true));
  Paint paint;
  for (const TriangleFault fault : diagnosis.fault) paint.wall.push_back(colour_of(fault));
  std::vector<Chain> rods;
  for (const MeshHole& hole : diagnosis.holes)
    for (std::size_t k = 0; k < hole.points.size(); ++k) {
      const Vec3 &a = mesh.points[hole.points[k]],
                 &b = mesh.points[hole.points[(k + 1) % hole.points.size()]];
      rods.push_back({a.cast<float>(), b.cast<float>(), static_cast<float>(rod_share * size)});
      paint.chain.push_back(colour_of(TriangleFault::open));
    }
  const Shapes none;
  scene.set_bodies(none, {}, true, std::move(rods));
  Picture picture = render(scene, paint, camera, light, Picture(width, height), layout.scene);
  draw_labels(picture, labels, layout);
  return picture;
}

}  // namespace scree::io
