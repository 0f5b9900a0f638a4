#include "engine/solver/sweeps/local_cone.h"

#include <Eigen/LU>
#include <cmath>

#include "engine/core/eigenbasis.h"
#include "engine/solver/sweeps/local_contact.h"

namespace scree {

namespace {

constexpr int doublings = 200, bisections = 100, sampled_rounds = 100;
constexpr double tolerance = 1e-15;  // of alpha, of the impulse

/// Sliding with a given alpha, in the eigenbasis of S.
struct Sliding {
  Vec2 eigenvalue, s;  // of S; s of (L1) in its basis
  Mat2 basis;          // columns: eigenvectors
  Vec2 coupling;       // W_nt in that basis
  double w_nn, q_n, mu;

  Vec2 tangential(double alpha) const { return -s.cwiseQuotient((eigenvalue.array() + alpha).matrix()); }
  double normal(const Vec2& p_t) const { return -(q_n + coupling.dot(p_t)) / w_nn; }
  /// |p_t| - mu p_n, and its derivative by alpha: positive while alpha is too small.
  std::pair<double, double> excess(double alpha) const {
    const Vec2 p = tangential(alpha);
    const Vec2 dp = -p.cwiseQuotient((eigenvalue.array() + alpha).matrix());
    const double length = p.norm();
    return {length - mu * normal(p),
            (length > 0.0 ? p.dot(dp) / length : 0.0) + mu * coupling.dot(dp) / w_nn};
  }
};

Sliding make_sliding(const Mat3& w, const Vec3& q, double mu) {
  Sliding k;
  k.w_nn = w(0, 0);
  k.q_n = q[0];
  k.mu = mu;
  const Vec2 w_tn = w.col(0).tail<2>();
  const Mat2 schur = w.bottomRightCorner<2, 2>() - w_tn * w_tn.transpose() / w(0, 0);
  k.basis = eigenbasis(schur);
  const Mat2 diagonal = k.basis.transpose() * schur * k.basis;
  k.eigenvalue = diagonal.diagonal();
  k.s = k.basis.transpose() * (q.tail<2>() - w_tn * q[0] / w(0, 0));
  k.coupling = k.basis.transpose() * w_tn;
  return k;
}

}  // namespace

Vec3 solve_local_cone(const Mat3& w, const Vec3& q, double mu) {
  if (q[0] >= 0.0) return Vec3::Zero();
  if (mu <= 0.0) return {-q[0] / w(0, 0), 0.0, 0.0};
  const Vec3 stick = -(w.inverse() * q);
  if (stick[0] >= 0.0 && stick.tail<2>().norm() <= mu * stick[0]) return stick;

  const Sliding k = make_sliding(w, q, mu);
  double low = 0.0, high = k.eigenvalue.maxCoeff();
  for (int i = 0; i < doublings && k.excess(high).first > 0.0; ++i) high *= 2.0;
  double alpha = 0.0;
  for (int i = 0; i < bisections; ++i) {
    const auto [value, slope] = k.excess(alpha);
    (value > 0.0 ? low : high) = alpha;
    double next = alpha - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - alpha) <= tolerance * (next + k.eigenvalue[0])) break;
    alpha = next;
  }
  const Vec2 p_t = k.tangential(alpha);
  const double p_n = std::max(0.0, k.normal(p_t));
  // On the cone to the last bit.
  const double length = p_t.norm();
  const Vec2 on_cone = length > 0.0 ? Vec2(k.basis * p_t * (mu * p_n / length)) : Vec2(Vec2::Zero());
  return {p_n, on_cone[0], on_cone[1]};
}

Vec3 solve_local_sampled(const Mat3& w, const Vec3& q, double mu, int corners, const Vec3& start) {
  Vec3 p = start;
  for (int i = 0; i < sampled_rounds; ++i) {
    const Vec3 next = improve_impulse(w, p, w * p + q, mu, corners);
    const bool rests = (next - p).norm() <= tolerance * next.norm();
    p = next;
    if (rests) break;
  }
  return p;
}

}  // namespace scree
