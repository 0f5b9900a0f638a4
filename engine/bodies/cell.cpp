#include "engine/bodies/cell.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace scree {

/// Exact for simple shear, whose square is zero; else by Taylor's series of a small part, squared
/// repeatedly.
Mat3 exponential(const Mat3& a, double t) {
  const Mat3 x = t * a;
  if ((x * x).isZero(0.0)) return Mat3::Identity() + x;
  const Vec3 diagonal = x.diagonal();
  if (x.isDiagonal(0.0)) return diagonal.array().exp().matrix().asDiagonal();
  constexpr int terms = 20;
  const int halvings = std::max(0, std::ilogb(x.norm()) + 2);
  const Mat3 part = std::ldexp(1.0, -halvings) * x;
  Mat3 sum = Mat3::Identity(), power = Mat3::Identity();
  for (int k = 1; k <= terms; ++k) {
    power = power * part / static_cast<double>(k);
    sum += power;
  }
  for (int k = 0; k < halvings; ++k) sum = sum * sum;
  return sum;
}

namespace {

/// Makes the periodic columns as short as possible by subtracting one from another: the same lattice.
void reduce(const std::array<bool, 3>& periodic, Mat3& lattice) {
  constexpr int most_rounds = 64;
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = false;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (i == j || !periodic[i] || !periodic[j]) continue;
        const double turns = std::round(lattice.col(i).dot(lattice.col(j)) / lattice.col(j).squaredNorm());
        if (turns == 0.0 || lattice.col(i).squaredNorm() < lattice.col(j).squaredNorm()) continue;
        lattice.col(i) -= turns * lattice.col(j);
        changed = true;
      }
    }
    if (!changed) return;
  }
}

}  // namespace

Vec3 PlacedCell::lattice_point(const Vec3& fraction) const {
  Vec3 point = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const double turns = periodic[k] ? std::round(fraction[k]) : 0.0;
    if (turns != 0.0) point += turns * lattice.col(k);
  }
  return point;
}

double PlacedCell::least_width() const {
  double least = infinity;
  for (int k = 0; k < 3; ++k)
    if (periodic[k]) least = std::min(least, 1.0 / inverse.row(k).norm());
  return least;
}

Mat3 PeriodicCell::rate_at(double time_s) const {
  for (const CellFlow& f : flow)
    if (time_s >= f.start && time_s < f.stop) return f.rate;
  return Mat3::Zero();
}

Mat3 PeriodicCell::mean_rate(double begin_s, double end_s) const {
  constexpr double rounding = 1e-6;  // of the step: times are sums of many steps
  Mat3 mean = Mat3::Zero();
  for (const CellFlow& f : flow) {
    const double share = (std::min(end_s, f.stop) - std::max(begin_s, f.start)) / (end_s - begin_s);
    if (share > 1.0 - rounding) return f.rate;
    if (share > rounding) mean += share * f.rate;
  }
  return mean;
}

PlacedCell PeriodicCell::at(double time_s) const {
  Mat3 deformation = Mat3::Identity();
  for (const CellFlow& f : flow) {
    const double flowing = std::clamp(time_s, f.start, f.stop) - f.start;
    if (flowing > 0.0) deformation = exponential(f.rate, flowing) * deformation;
  }
  return placed(deformation, rate_at(time_s));
}

PlacedCell PeriodicCell::in_step(double time_s, double begin_s, const Mat3& mean,
                                 const CellState& from) const {
  if (holds_stress()) {
    const Mat3 rate = mean + Mat3(from.rate.asDiagonal());
    return placed(exponential(rate, time_s - from.time_s) * from.deformation, rate);
  }
  if (mean == rate_at(time_s)) return at(time_s);
  return placed(exponential(mean, time_s - begin_s) * at(begin_s).deformation, mean);
}

PlacedCell PeriodicCell::placed(const Mat3& deformation, const Mat3& rate) const {
  PlacedCell cell;
  cell.periodic = periodic;
  cell.centre = 0.5 * (low + high);
  cell.deformation = deformation;
  cell.rate = rate;
  const Vec3 edges = high - low;
  for (int k = 0; k < 3; ++k) cell.lattice.col(k) = edges[k] * cell.deformation.col(k);
  cell.volume = std::abs(cell.lattice.determinant());
  reduce(periodic, cell.lattice);
  cell.inverse = cell.lattice.inverse();
  return cell;
}

}  // namespace scree
