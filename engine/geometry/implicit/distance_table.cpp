#include "engine/geometry/implicit/distance_table.h"

#include <algorithm>
#include <cmath>

#include "engine/core/frames.h"

namespace scree {

namespace {

constexpr double near_cells = 5.0;

/// Points in the order of one coordinate, to find the nearest one.
class SortedPoints {
 public:
  SortedPoints(std::vector<Vec3> points, Eigen::Index axis) : axis_(axis), points_(std::move(points)) {
    std::ranges::stable_sort(points_, {}, [&](const Vec3& p) { return p[axis_]; });
  }
  const Vec3& nearest_to(const Vec3& point) const {
    auto right = std::ranges::lower_bound(points_, point[axis_], {}, [&](const Vec3& p) { return p[axis_]; });
    auto left = right, best = points_.end();
    double least = infinity;
    const auto away = [&](const auto& at) { return std::pow((*at)[axis_] - point[axis_], 2); };
    while (true) {
      const double to_left = left == points_.begin() ? infinity : away(left - 1),
                   to_right = right == points_.end() ? infinity : away(right);
      if (std::min(to_left, to_right) >= least) return *best;
      const auto next = to_left < to_right ? --left : right++;
      const double distance = (*next - point).squaredNorm();
      if (distance >= least) continue;
      least = distance;
      best = next;
    }
  }

 private:
  Eigen::Index axis_;
  std::vector<Vec3> points_;
};

/// Distance of a point from the surface: from the nearest centre of the cover by Newton on (I + h A) u = r_t,
/// with r from the surface point and h its normal part; returns the least distance on the way.
double distance_by_newton(const PerturbedQuadric& f, const SortedPoints& centres, const Vec3& point) {
  constexpr int iterations = 12;
  Vec3 x = centres.nearest_to(point);
  const double start = (x - point).norm();
  double best = start;
  for (int k = 0; k < iterations; ++k) {
    const FunctionValue at = evaluate(f, x);
    const double length = at.gradient.norm();
    if (!(length > 0.0)) break;
    const Vec3 n = -at.gradient / length, r = point - x;
    const double off = at.value / length;
    if (std::abs(off) < 1e-3 * start) best = std::min(best, r.norm());
    const auto [t0, t1] = tangents(n);
    Mat3 h;
    h << at.xx, at.xy, at.xz, at.xy, at.yy, at.yz, at.xz, at.yz, at.zz;
    const double height = r.dot(n) / length;
    Mat2 m;
    m << 1.0 - height * t0.dot(h * t0), -height * t0.dot(h * t1), -height * t0.dot(h * t1),
        1.0 - height * t1.dot(h * t1);
    const Vec2 right(t0.dot(r), t1.dot(r));
    // Beyond the centre of curvature the step would lead to the farthest point.
    const Vec2 u = m.determinant() > 0.1 && m.trace() > 0.0 ? Vec2(m.inverse() * right) : Vec2(0.5 * right);
    const double longest = 0.5 * start, step = u.norm();
    x += (step > longest ? longest / step : 1.0) * (u[0] * t0 + u[1] * t1) +
         std::clamp(off, -longest, longest) * n;
    if (step + std::abs(off) < 1e-6 * start) break;
  }
  return value(f, point) > 0.0 ? -best : best;
}

}  // namespace

DistanceTable distance_table(const PerturbedQuadric& f, const Cover& cover, const Box& box, int cells) {
  DistanceTable t;
  const double cell = box.size().maxCoeff() / cells;
  t.inverse_cell = 1.0 / cell;
  std::array<int, 3> nodes;
  Vec3 low;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto a = static_cast<Eigen::Index>(k);
    t.cells[k] = static_cast<int>(std::ceil(box.size()[a] / cell)) + 2 * cells_beyond_box;
    low[a] = box.middle()[a] - 0.5 * t.cells[k] * cell;
    nodes[k] = t.cells[k] + 1;
  }
  t.low = low;
  t.near = near_cells * cell;
  std::vector<Vec3> centres;
  for (const CoverNode& n : cover.nodes) {
    if (n.patch >= 0) centres.push_back(n.centre);
  }
  Eigen::Index longest = 0;
  box.size().maxCoeff(&longest);
  const SortedPoints sorted(std::move(centres), longest);
  const auto at = [&](int i, int j, int k, double offset) {
    return distance_by_newton(f, sorted, low + cell * (Vec3(i, j, k) + Vec3::Constant(offset)));
  };
  t.distance.reserve(static_cast<std::size_t>(nodes[0]) * static_cast<std::size_t>(nodes[1]) *
                     static_cast<std::size_t>(nodes[2]));
  for (int k = 0; k < nodes[2]; ++k)
    for (int j = 0; j < nodes[1]; ++j)
      for (int i = 0; i < nodes[0]; ++i) t.distance.push_back(static_cast<float>(at(i, j, k, 0.0)));
  for (int k = 0; k < t.cells[2]; ++k)
    for (int j = 0; j < t.cells[1]; ++j)
      for (int i = 0; i < t.cells[0]; ++i) {
        const Vec3 x = low + cell * (Vec3(i, j, k) + Vec3::Constant(0.5));
        const double exact = at(i, j, k, 0.5), excess = distance(t, x) - exact;
        t.error = std::max(t.error, std::abs(excess));
        if (exact > 0.0 && exact < t.near) t.excess = std::max(t.excess, excess);
      }
  return t;
}

}  // namespace scree
