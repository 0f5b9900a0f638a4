// Where a picture is taken from.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/types.h"

namespace scree::io {

/// A pinhole camera.
struct Camera {
  Vec3 eye = Vec3::UnitX(), target = Vec3::Zero();  // m
  Vec3 up = Vec3::UnitZ();                          // need not be at right angles to the view
  double field_of_view = 0.5;                       // rad, between the top and the bottom of the picture
};

/// The direction from the scene to the camera for a view of this name, unit. `up` is unit. Names:
/// view_names().
Vec3 view_direction(std::string_view name, const Vec3& up);
std::span<const std::string_view> view_names();

/// The camera in this direction that is near enough for the points to fill the picture, and far enough for
/// all of them to lie `margin` (of half the picture) away from its edges. `aspect` is width over height.
Camera framing_camera(const std::vector<Vec3>& points, const Vec3& direction, const Vec3& up, double aspect,
                      double margin);

/// Rays of a picture's points: (-1, -1) is its lower left corner, (1, 1) the upper right one.
class Lens {
 public:
  Lens(const Camera& camera, double aspect);
  Vec3 direction(double x, double y) const { return (forward_ + x * right_ + y * up_).normalized(); }
  /// Where a point of space appears; empty if it lies behind the camera.
  std::optional<Vec2> project(const Vec3& point) const;

 private:
  Vec3 eye_, forward_, right_,
      up_;  // right_ and up_ reach from the middle to the picture's edges at distance 1
};

}  // namespace scree::io
