#include "io/render/camera.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace scree::io {

namespace {

struct Named {
  std::string_view name;
  double across, right, up;  // parts of the direction
};

// From the side and a little from above; `front` looks along +y, as drawings do when the world's z is up.
constexpr std::array<Named, 7> views{{{"corner", -0.9, 0.35, 0.45},
                                      {"front", -1.0, 0.0, 0.12},
                                      {"back", 1.0, 0.0, 0.12},
                                      {"left", 0.0, -1.0, 0.12},
                                      {"right", 0.0, 1.0, 0.12},
                                      {"top", -0.05, 0.0, 1.0},
                                      {"below", -0.3, 0.1, -0.6}}};

constexpr double picture_angle = 0.5;  // rad, of the framing camera: little perspective

}  // namespace

Vec3 view_direction(std::string_view name, const Vec3& up) {
  Vec3 across = up.cross(Vec3::UnitX());
  if (across.norm() < 0.1) across = up.cross(Vec3::UnitY());
  across.normalize();
  const Vec3 right = across.cross(up);
  const auto found =
      std::find_if(views.begin(), views.end(), [&](const Named& view) { return view.name == name; });
  assert(found != views.end());
  return (found->across * across + found->right * right + found->up * up).normalized();
}

std::span<const std::string_view> view_names() {
  static const auto names = [] {
    std::array<std::string_view, views.size()> list;
    std::transform(views.begin(), views.end(), list.begin(), [](const Named& view) { return view.name; });
    return list;
  }();
  return names;
}

Camera framing_camera(const std::vector<Vec3>& points, const Vec3& direction, const Vec3& up, double aspect,
                      double margin) {
  Camera camera{direction, Vec3::Zero(), up, picture_angle};
  const Vec3 right = up.cross(direction).normalized(), above = direction.cross(right);
  const double half_height = std::tan(0.5 * picture_angle) * (1.0 - margin),
               half_width = half_height * aspect;
  // A point p is inside the right edge if (p - e).r <= half_width * (e - p).d, and so on for the other edges.
  // With the eye at e = x r + y a + z d the least z follows from the extreme values of these sums over all
  // points.
  double left = -infinity, rightmost = -infinity, bottom = -infinity, top = -infinity, nearest = -infinity;
  for (const Vec3& p : points) {
    const double x = p.dot(right), y = p.dot(above), z = p.dot(direction);
    rightmost = std::max(rightmost, x + half_width * z);
    left = std::max(left, -x + half_width * z);
    top = std::max(top, y + half_height * z);
    bottom = std::max(bottom, -y + half_height * z);
    nearest = std::max(nearest, z);
  }
  const double distance =
      std::max((rightmost + left) / (2.0 * half_width), (top + bottom) / (2.0 * half_height));
  // The resolution of the coordinates, m, for the case that all points are one.
  const double least =
      std::max({1e-9 * std::abs(rightmost), 1e-9 * std::abs(top), 1e-9 * std::abs(nearest), 1e-18});
  const double z = std::max(distance, nearest + 1e-3 * std::max(least, std::abs(distance - nearest)));
  camera.eye = 0.5 * (rightmost - left) * right + 0.5 * (top - bottom) * above + z * direction;
  camera.target = camera.eye - std::max(z - nearest, least) * direction;
  return camera;
}

Lens::Lens(const Camera& camera, double aspect)
    : eye_(camera.eye), forward_((camera.target - camera.eye).normalized()) {
  Vec3 across = forward_.cross(camera.up);
  if (across.norm() < 1e-9) across = forward_.unitOrthogonal();
  const double half_height = std::tan(0.5 * camera.field_of_view);
  right_ = half_height * aspect * across.normalized();
  up_ = half_height * right_.cross(forward_).normalized();
}

std::optional<Vec2> Lens::project(const Vec3& point) const {
  const Vec3 d = point - eye_;
  const double depth = d.dot(forward_);
  if (depth <= 0.0) return {};
  return Vec2(d.dot(right_) / (depth * right_.squaredNorm()), d.dot(up_) / (depth * up_.squaredNorm()));
}

}  // namespace scree::io
