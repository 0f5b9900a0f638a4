#include "engine/modules/flight/free_rotation.h"

#include <algorithm>
#include <cmath>

#include "engine/core/rotation.h"

namespace scree {

namespace {

constexpr double same_inertia = 1e-13;  // of the larger: a solid of revolution
constexpr double series_accuracy = 1e-17;
constexpr double longest_turn = 2.0;  // rad, of one series

bool is_same(double a, double b) { return std::abs(a - b) <= same_inertia * std::max(a, b); }

/// The axis of symmetry of a solid of revolution; -1: it is none.
int symmetry_axis(const Vec3& inertia) {
  for (int k = 0; k < 3; ++k)
    if (is_same(inertia[(k + 1) % 3], inertia[(k + 2) % 3])) return k;
  return -1;
}

}  // namespace

FreeRotation::FreeRotation(const Vec3& inertia, const Quat& q, const Vec3& w)
    : inertia_(inertia), begin_(q), axis_(symmetry_axis(inertia)) {
  const Vec3 spin = q.conjugate() * w, momentum = inertia.cwiseProduct(spin);
  momentum_ = q * momentum;
  const double least = inertia.minCoeff(), most = inertia.maxCoeff();
  // |w| is at most the value that the energy allows about the axis of the least moment, and likewise for
  // momentum.
  most_spin_ = std::min(std::sqrt(spin.dot(momentum) / least), momentum.norm() / least);
  most_spin_change_ = most_spin_ * most_spin_ * (most - least) / least;
  if (axis_ >= 0) {
    const double across = inertia[(axis_ + 1) % 3];
    precession_ = momentum_ / across;
    own_rate_ = momentum[axis_] * (1.0 / inertia[axis_] - 1.0 / across);
    if (is_same(least, most)) own_rate_ = most_spin_change_ = 0.0;
    return;
  }
  expand(q, spin);
}

void FreeRotation::expand(const Quat& q, const Vec3& spin) {
  rate_ = most_spin_;
  series_.fill(Eigen::Vector4d::Zero());
  series_[0] = q.coeffs();
  if (rate_ == 0.0) return;
  std::array<Vec3, degree + 1> w;
  w[0] = spin / rate_;
  for (int k = 0; k < degree; ++k) {
    Vec3 moment = Vec3::Zero();
    Eigen::Vector4d change = Eigen::Vector4d::Zero();
    for (int j = 0; j <= k; ++j) {
      const auto a = static_cast<std::size_t>(j), b = static_cast<std::size_t>(k - j);
      moment += inertia_.cwiseProduct(w[a]).cross(w[b]);
      const Vec3 v = series_[a].head<3>();
      change.head<3>() += series_[a][3] * w[b] + v.cross(w[b]);
      change[3] -= v.dot(w[b]);
    }
    const std::size_t next = static_cast<std::size_t>(k) + 1;
    w[next] = moment.cwiseQuotient(inertia_) / (k + 1);
    series_[next] = 0.5 / (k + 1) * change;
  }
  double reach = longest_turn;
  for (const int k : {degree - 1, degree}) {
    const double last = series_[k].norm();
    if (last > 0.0) reach = std::min(reach, std::pow(series_accuracy / last, 1.0 / k));
  }
  valid_s_ = reach / rate_;
}

Quat FreeRotation::orientation(double t) const {
  if (axis_ >= 0) {
    const Quat q = rotation_by(t * precession_) * begin_;
    if (own_rate_ == 0.0) return q.normalized();
    const double half = 0.5 * own_rate_ * t;
    Vec3 v = Vec3::Zero();
    v[axis_] = std::sin(half);
    return (q * Quat(std::cos(half), v[0], v[1], v[2])).normalized();
  }
  const double x = rate_ * t;
  Eigen::Vector4d sum = series_[degree];
  for (std::size_t k = degree; k-- > 0;) sum = series_[k] + x * sum;
  return Quat(sum).normalized();
}

Vec3 FreeRotation::angular_velocity(const Quat& q) const {
  return q * (q.conjugate() * momentum_).cwiseQuotient(inertia_);
}

}  // namespace scree
