#include "io/render/shape_picture.h"

#include <array>
#include <cmath>
#include <functional>

#include "engine/bodies/bodies.h"
#include "io/render/camera.h"
#include "io/render/renderer.h"

namespace scree::io {

namespace {

constexpr double picture_margin = 0.12;  // beside and above, of the longest side of the shape
constexpr double distance =
    15.0;  // of the eye, in longest sides: little perspective, and rays in single precision hit
constexpr int samples = 32;
const Colour sand(0.80f, 0.66f, 0.48f);

struct Side {
  Vec3 towards, up;  // from the shape to the eye; up in the picture
};
const std::array<Side, 3> sides{Side{-Vec3::UnitY(), Vec3::UnitZ()}, Side{Vec3::UnitX(), Vec3::UnitZ()},
                                Side{Vec3::UnitZ(), Vec3::UnitY()}};

/// One side of what is in the scene, `size` (m) wide and high about the middle.
Picture seen(const RayScene& scene, const Side& side, const Vec3& middle, const Vec2& size, double pixel) {
  const auto pixels = [&](double length) {
    return std::max(1, static_cast<int>(std::lround(length / pixel)));
  };
  const double far = distance * size.maxCoeff();
  const Camera camera{middle + far * side.towards, middle, side.up, 2.0 * std::atan(0.5 * size[1] / far)};
  Lighting light;
  light.up = side.up;
  light.middle = middle;
  light.shade_reach = size.maxCoeff();
  light.samples = samples;
  return render(scene, {{sand}, {}, {}}, camera, light, Picture(pixels(size[0]), pixels(size[1])));
}

WallMesh wall_of(const TriangleMesh& mesh) {
  WallMesh wall;
  wall.point = mesh.points;
  wall.normal.resize(mesh.points.size(), Vec3::Zero());
  for (const auto& t : mesh.triangles) {
    const auto at = [&](std::size_t k) -> const Vec3& { return mesh.points[t[k]]; };
    const Vec3 across = (at(1) - at(0)).cross(at(2) - at(0));
    for (const std::int32_t p : t) wall.normal[p] += across;
    wall.polygon.emplace_back(t.begin(), t.end());
    wall.boundary.push_back(0);
  }
  for (Vec3& n : wall.normal) n.stableNormalize();
  return wall;
}

void paste(const Picture& part, Picture& whole, int row, int column) {
  for (int r = 0; r < part.height; ++r) {
    for (int c = 0; c < part.width && column + c < whole.width; ++c)
      whole.at(row + r, column + c) =
          part.pixel[static_cast<std::size_t>(r) * static_cast<std::size_t>(part.width) +
                     static_cast<std::size_t>(c)];
  }
}

}  // namespace

Picture shape_picture(const Shapes& shapes, ShapeIndex shape, const TriangleMesh* mesh, int width) {
  Eigen::AlignedBox3d box;
  for (int k = 0; k < 3; ++k) {
    for (const double sign : {1.0, -1.0}) box.extend(Vec3(support(shapes, shape, sign * Vec3::Unit(k))));
  }
  if (mesh) {
    for (const Vec3& x : mesh->points) box.extend(x);
  }
  const double free = picture_margin * box.sizes().maxCoeff();
  std::array<Vec2, 3> size;
  double row_width = 0.0, row_height = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 across = sides[k].up.cross(sides[k].towards).cwiseAbs(), up = sides[k].up.cwiseAbs();
    size[k] = {across.dot(box.sizes()) + free, up.dot(box.sizes()) + free};
    row_width += size[k][0];
    row_height = std::max(row_height, size[k][1]);
  }
  const double pixel = row_width / width;
  const int high = static_cast<int>(std::ceil(row_height / pixel));
  Picture picture(width, mesh ? 2 * high : high);
  std::ranges::fill(picture.pixel, pack(Colour::Ones()));
  Bodies body;
  body.position = {Vec3::Zero()};
  body.orientation = {Quat::Identity()};
  body.shape = {shape};
  const auto row = [&](const RayScene& scene, int top) {
    double column = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Picture part = seen(scene, sides[k], box.center(), size[k], pixel);
      paste(part, picture, top + std::max(0, (high - part.height) / 2), static_cast<int>(column / pixel));
      column += size[k][0];
    }
  };
  RayScene scene;
  scene.set_bodies(shapes, body);
  row(scene, 0);
  if (mesh) {
    RayScene other;
    const WallMesh walls = wall_of(*mesh);
    other.set_walls(walls, std::vector<bool>(walls.polygon.size(), true));
    row(other, high);
  }
  return picture;
}

}  // namespace scree::io
