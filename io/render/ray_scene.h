// What rays can hit: bodies as the ellipsoids they are, walls as meshes. Embree finds the hits.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <optional>

#include "engine/bodies/bodies.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

using Vec3f = Eigen::Vector3f;

/// Points on a ray are origin + t direction; the direction is unit. Hits count for nearest < t < farthest, m.
struct Ray {
  Vec3f origin, direction;
  float nearest = 0.0f, farthest = std::numeric_limits<float>::infinity();
};

struct RayHit {
  enum class Kind { body, wall };
  Kind kind = Kind::body;
  float t = 0.0f;                // m
  Vec3f normal = Vec3f::Zero();  // unit: outward of a body; towards the free side of a wall
  std::int32_t number = -1;      // the body, or the wall's polygon
};

/// Bodies change from frame to frame, walls do not. Hits may be asked for from many threads. Rounding (float)
/// moves a hit by about 1e-6 of the distance between ray's origin and body.
class RayScene {
 public:
  RayScene();
  ~RayScene();
  RayScene(RayScene&&) noexcept;

  void set_bodies(const Shapes& shapes, const Bodies& bodies);
  /// Polygons that `solid` marks are opaque; the others let light through. [polygon]
  void set_walls(const WallMesh& mesh, const std::vector<bool>& solid);

  /// The first body or solid wall.
  std::optional<RayHit> hit_solid(const Ray& ray) const;
  std::optional<RayHit> hit_clear_wall(const Ray& ray) const;
  /// Does a body or a solid wall cover the ray?
  bool is_covered(const Ray& ray) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
