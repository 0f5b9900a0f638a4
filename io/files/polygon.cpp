#include "io/files/polygon.h"

#include <algorithm>
#include <cmath>

namespace scree::io {

namespace {

/// Twice the vector area (Newell): its direction is the normal of a polygon of any form.
Vec3 area_vector(std::span<const Vec3> polygon) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k)
    sum += (polygon[k] - polygon[0]).cross(polygon[k + 1] - polygon[0]);
  return sum;
}

/// Twice the area of the triangle; negative if the normal is on the side from which it turns clockwise.
double turn(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) {
  return (b - a).cross(c - a).dot(normal);
}

bool has_inside(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& x, const Vec3& normal) {
  if (x == a || x == b || x == c) return false;
  return turn(a, b, x, normal) >= 0.0 && turn(b, c, x, normal) >= 0.0 && turn(c, a, x, normal) >= 0.0;
}

bool is_ear(std::span<const Vec3> polygon, std::size_t k, const Vec3& normal) {
  const std::size_t n = polygon.size();
  const Vec3 &a = polygon[(k + n - 1) % n], &b = polygon[k], &c = polygon[(k + 1) % n];
  return turn(a, b, c, normal) > 0.0 &&
         std::ranges::none_of(polygon, [&](const Vec3& x) { return has_inside(a, b, c, x, normal); });
}

}  // namespace

void append_triangles(std::span<const Vec3> polygon, std::vector<Vec3>& corners) {
  constexpr double rounding = 1e-12;  // of the area: corners on a line
  const Vec3 area = area_vector(polygon), normal = area.normalized();
  bool is_fan = true;
  for (std::size_t c = 2; c < polygon.size(); ++c)
    is_fan &= !(turn(polygon[0], polygon[c - 1], polygon[c], normal) < -rounding * area.norm());
  std::vector<Vec3> left(polygon.begin(), polygon.end());
  while (!is_fan && left.size() > 3) {
    std::size_t ear = 0;
    while (ear < left.size() && !is_ear(left, ear, normal)) ++ear;
    if (ear == left.size()) break;  // corners on a line, or a polygon that crosses itself
    const std::size_t n = left.size();
    corners.insert(corners.end(), {left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  for (std::size_t c = 2; c < left.size(); ++c)
    corners.insert(corners.end(), {left[0], left[c - 1], left[c]});
}

}  // namespace scree::io
