#include "engine/geometry/nearest_triangle.h"

#include <algorithm>

namespace scree {

double distance_to_triangle(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = point - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return ap.norm();
  const Vec3 bp = point - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return bp.norm();
  const double on_ab = d1 * d4 - d3 * d2;
  if (on_ab <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return (ap - d1 / (d1 - d3) * ab).norm();
  const Vec3 cp = point - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return cp.norm();
  const double on_ac = d5 * d2 - d1 * d6;
  if (on_ac <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return (ap - d2 / (d2 - d6) * ac).norm();
  const double on_bc = d3 * d6 - d5 * d4;
  if (on_bc <= 0.0 && d4 >= d3 && d5 >= d6)
    return (bp - (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b)).norm();
  const double whole = 1.0 / (on_bc + on_ac + on_ab);
  return (ap - on_ac * whole * ab - on_ab * whole * ac).norm();
}

std::int32_t nearest_triangle(const MeshSurface& mesh, const Vec3& point, const Vec3& normal, double slack) {
  const auto distance_to_box = [&](const MeshSurface::Node& node) {
    return (point - point.cwiseMax(node.low).cwiseMin(node.high)).norm();
  };
  std::int32_t nearest = -1;
  double least = infinity;
  std::array<std::int32_t, 128> stack;
  std::size_t waiting = 0;
  if (!mesh.nodes.empty()) stack[waiting++] = 0;
  while (waiting > 0) {
    const MeshSurface::Node& node = mesh.nodes[stack[--waiting]];
    if (distance_to_box(node) > least) continue;
    if (node.count == 0) {
      const MeshSurface::Node &left = mesh.nodes[node.first], &right = mesh.nodes[node.first + 1];
      const bool left_first = distance_to_box(left) <= distance_to_box(right);
      stack[waiting++] = left_first ? node.first + 1 : node.first;
      stack[waiting++] = left_first ? node.first : node.first + 1;
      continue;
    }
    for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
      const std::int32_t t = mesh.order[k];
      const auto& [a, b, c] = mesh.triangles[t];
      const double cost = distance_to_triangle(point, mesh.points[a], mesh.points[b], mesh.points[c]) +
                          slack * (1.0 - std::min(1.0, std::abs(normal.dot(mesh.normals[t]))));
      if (cost < least || (cost == least && t < nearest)) {
        least = cost;
        nearest = t;
      }
    }
  }
  return nearest;
}

}  // namespace scree
