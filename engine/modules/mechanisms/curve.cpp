#include "engine/modules/mechanisms/curve.h"

#include <Eigen/SparseLU>
#include <algorithm>

namespace scree {

JointCurve::JointCurve(std::vector<Vec3> points) : points_(std::move(points)) {
  const std::size_t n = points_.size();
  double whole = 0.0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    length_.push_back((points_[k + 1] - points_[k]).norm());
    start_.push_back(whole);
    whole += length_.back();
  }
  start_.push_back(whole);
  closed_ = n > 3 && (points_.back() - points_.front()).norm() < 1e-9 * whole;
  // Equations of the spline: l- M- + 2 (l- + l) M + l M+ = 6 ((x+ - x) / l - (x - x-) / l-) at inner points.
  const auto count = static_cast<int>(n);
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixX3d sides = Eigen::MatrixX3d::Zero(count, 3);
  const auto inner = [&](std::size_t k, std::size_t before, std::size_t after, double l_before,
                         double l_after) {
    const auto row = static_cast<int>(k);
    entries.emplace_back(row, static_cast<int>(before), l_before);
    entries.emplace_back(row, row, 2.0 * (l_before + l_after));
    entries.emplace_back(row, static_cast<int>(after), l_after);
    sides.row(row) =
        6.0 * ((points_[after] - points_[k]) / l_after - (points_[k] - points_[before]) / l_before);
  };
  for (std::size_t k = 1; k + 1 < n; ++k) inner(k, k - 1, k + 1, length_[k - 1], length_[k]);
  if (closed_) {
    inner(0, n - 2, 1, length_.back(), length_.front());
    entries.emplace_back(count - 1, count - 1, 1.0);
    entries.emplace_back(count - 1, 0, -1.0);
  } else if (n > 3) {
    const auto end = [&](int row, int k, int step, double l0, double l1) {
      entries.emplace_back(row, k, -l1);
      entries.emplace_back(row, k + step, l0 + l1);
      entries.emplace_back(row, k + 2 * step, -l0);
    };
    end(0, 0, 1, length_[0], length_[1]);
    end(count - 1, count - 1, -1, length_[n - 2], length_[n - 3]);
  } else {
    entries.emplace_back(0, 0, 1.0);
    entries.emplace_back(count - 1, count - 1, 1.0);
  }
  Eigen::SparseMatrix<double> a(count, count);
  a.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> factor(a);
  const Eigen::MatrixX3d bends = factor.solve(sides);
  for (int k = 0; k < count; ++k) bends_.push_back(bends.row(k));
}

JointCurve::Values JointCurve::at(std::size_t k, double s) const {
  const double l = length_[k], a = l - s;
  const Vec3 &m0 = bends_[k], &m1 = bends_[k + 1];
  const Vec3 c0 = points_[k] / l - m0 * (l / 6.0), c1 = points_[k + 1] / l - m1 * (l / 6.0);
  return {m0 * (a * a * a / (6.0 * l)) + m1 * (s * s * s / (6.0 * l)) + c0 * a + c1 * s,
          -m0 * (a * a / (2.0 * l)) + m1 * (s * s / (2.0 * l)) - c0 + c1, (m0 * a + m1 * s) / l};
}

JointCurve::Place JointCurve::nearest(const Vec3& point, double from) const {
  std::size_t start = 0;
  for (std::size_t k = 1; k < points_.size(); ++k)
    if ((points_[k] - point).squaredNorm() < (points_[start] - point).squaredNorm()) start = k;
  const std::size_t segments = length_.size();
  std::size_t segment = std::min(start, segments - 1);
  double s = start == segment ? 0.0 : length_[segment];
  if (from >= 0.0) {
    const auto after = std::ranges::upper_bound(start_, from);
    segment =
        std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - start_.begin())), segments) - 1;
    s = from - start_[segment];
  }
  Values v = at(segment, s);
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Vec3 off = v.position - point;
    const double slope = v.first.squaredNorm() + off.dot(v.second);
    double step = -off.dot(v.first) / (slope > 0.1 * v.first.squaredNorm() ? slope : v.first.squaredNorm());
    step = std::clamp(step, -length_[segment], length_[segment]);
    s += step;
    if (s < 0.0 && (segment > 0 || closed_)) {
      segment = segment > 0 ? segment - 1 : segments - 1;
      s += length_[segment];
    } else if (s > length_[segment] && (segment + 1 < segments || closed_)) {
      s -= length_[segment];
      segment = segment + 1 < segments ? segment + 1 : 0;
    }
    const bool beyond =
        !closed_ && ((segment == 0 && s <= 0.0) || (segment + 1 == segments && s >= length_[segment]));
    if (beyond) {
      const Values end = at(segment, s <= 0.0 ? 0.0 : length_[segment]);
      const Vec3 tangent = end.first.normalized();
      return {end.position + tangent.dot(point - end.position) * tangent, tangent, Vec3::Zero(),
              s <= 0.0 ? 0.0 : start_.back()};
    }
    v = at(segment, s);
    if (std::abs(step) < 1e-15 * length_[segment]) break;
  }
  const double speed = v.first.norm();
  const Vec3 tangent = v.first / speed;
  return {v.position, tangent, (v.second - tangent.dot(v.second) * tangent) / (speed * speed),
          start_[segment] + s};
}

}  // namespace scree
