// The targets of rays: bodies with their exact shapes, walls as meshes. Embree finds the hits.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <optional>

#include "engine/bodies/bodies.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

/// Points on a ray are origin + t direction; the direction is unit. Hits count for nearest < t < farthest, m.
struct Ray {
  Vec3f origin, direction;
  float nearest = 0.0f, farthest = std::numeric_limits<float>::infinity();
};

struct RayHit {
  enum class Kind { body, wall, chain };
  Kind kind = Kind::body;
  float t = 0.0f;                // m
  Vec3f normal = Vec3f::Zero();  // unit: outward of a body; towards the free side of a wall
  std::int32_t number = -1;      // the body, the wall's polygon, or the chain
};

/// A rod with round ends, m.
struct Chain {
  Vec3f start, end;
  float radius;
};

/// Bodies change from frame to frame, walls do not. Hits may be asked for from many threads. Rounding (float)
/// moves a hit by about 1e-6 of the distance between ray's origin and body.
class RayScene {
 public:
  RayScene();
  ~RayScene();
  RayScene(RayScene&&) noexcept;

  /// Bodies are opaque, or clear as walls are, with rods to be seen inside. The shapes must outlive their
  /// use.
  void set_bodies(const Shapes& shapes, const Bodies& bodies, bool clear = false,
                  std::vector<Chain> chains = {});
  /// Polygons that `solid` marks are opaque; the others let light through. [polygon]
  void set_walls(const WallMesh& mesh, const std::vector<bool>& solid);

  /// The first opaque body, solid wall or rod.
  std::optional<RayHit> hit_solid(const Ray& ray) const;
  /// The first clear wall or clear body.
  std::optional<RayHit> hit_clear(const Ray& ray) const;
  /// Does anything opaque cover the ray?
  bool is_covered(const Ray& ray) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
