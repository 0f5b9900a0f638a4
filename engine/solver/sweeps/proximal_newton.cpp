#include "engine/solver/sweeps/proximal_newton.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"

namespace scree {

namespace {

constexpr double first_epsilon = 1e-2, least_epsilon = 1e-10, most_epsilon = 1.0;
constexpr double easier = 0.25, harder = 8.0;  // factors on epsilon
constexpr double slow_progress = 0.3;          // residual after a proximal step over the one before
constexpr double inner_accuracy = 0.3;         // relative to |F| at the start of a proximal step
constexpr int steps_a_point = 15, easy_steps = 4, halvings = 8;
constexpr double sufficient_decrease = 1e-4;
constexpr int patience = 250;  // steps in which the residual must halve

/// Derivative of the projection onto the cone |x_t| <= mu x_n.
Mat3 projection_derivative(const Vec3& x, double mu) {
  const double t = x.tail<2>().norm();
  if (mu * t <= -x[0]) return Mat3::Zero();  // the order is that of project_on_cone()
  if (t <= mu * x[0]) return Mat3::Identity();
  const Vec2 e = x.tail<2>() / t;
  const double k = 1.0 / (1.0 + mu * mu), n = k * (x[0] + mu * t);
  Mat3 d;
  d(0, 0) = k;
  d.row(0).tail<2>() = k * mu * e.transpose();
  d.col(0).tail<2>() = k * mu * e;
  d.bottomRightCorner<2, 2>() =
      k * mu * mu * e * e.transpose() + (mu * n / t) * (Mat2::Identity() - e * e.transpose());
  return d;
}

/// Impulses with their regularised velocities and map (N1).
struct Point {
  std::vector<Vec3> impulse, velocity, map;
  double size = 0.0;  // |F|, m/s
};

class ProximalPoint {
 public:
  ProximalPoint(ImpulseSystem& system, std::vector<Vec3> start) : system_(system), p0_(std::move(start)) {}

  void evaluate(double epsilon, Point& point) const {
    const std::size_t n = system_.contacts();
    system_.velocities(point.impulse, point.velocity);
    point.map.resize(n);
    const double sum = reduce_blocks(
        n, grain_medium, 0.0,
        [&](const Block& block) {
          double squares = 0.0;
          for (std::size_t c = block.begin; c < block.end; ++c) {
            const double trace = system_.trace(c);
            point.velocity[c] += epsilon * trace / 3.0 * (point.impulse[c] - p0_[c]);
            point.map[c] = natural_map(point.impulse[c], point.velocity[c], system_.friction(c), trace);
            squares += point.map[c].squaredNorm();
          }
          return squares;
        },
        [](double a, double b) { return a + b; });
    point.size = std::sqrt(sum);
  }

  /// One Newton step (N2) with backtracking; false if |F| does not decrease.
  bool improve(double epsilon, Point& point) {
    const std::size_t n = system_.contacts();
    k_.resize(n);
    g_.resize(n);
    for_each_index(n, grain_medium, [&](std::size_t c) {
      const double rho = 3.0 / system_.trace(c), mu = system_.friction(c);
      Vec3 shifted = point.velocity[c];
      const double slide = shifted.tail<2>().norm();
      Mat3 s = Mat3::Identity();
      if (slide > 0.0) s.row(0).tail<2>() = mu / slide * shifted.tail<2>().transpose();
      shifted[0] += mu * slide;
      const Mat3 d = projection_derivative(point.impulse[c] - rho * shifted, mu);
      g_[c] = d * s;
      k_[c] = (Mat3::Identity() - d + epsilon * g_[c]) / rho;
    });
    if (!system_.newton_step(k_, g_, point.map, step_)) return false;
    double length = 1.0;
    for (int i = 0; i < halvings; ++i, length *= 0.5) {
      trial_.impulse.resize(n);
      for_each_index(n, grain_light,
                     [&](std::size_t c) { trial_.impulse[c] = point.impulse[c] + length * step_[c]; });
      evaluate(epsilon, trial_);
      if (trial_.size < (1.0 - sufficient_decrease * length) * point.size) {
        std::swap(point, trial_);
        return true;
      }
    }
    return false;
  }

  void move_to(const std::vector<Vec3>& impulse) { p0_ = impulse; }

 private:
  ImpulseSystem& system_;
  std::vector<Vec3> p0_;
  std::vector<Mat3> k_, g_;
  std::vector<Vec3> step_;
  Point trial_;
};

/// (S5) of impulses projected onto their cones, rms over active contacts, m/s.
double true_residual(ImpulseSystem& system, std::vector<Vec3> impulse, std::vector<Vec3>& velocity) {
  const std::size_t n = system.contacts();
  for (std::size_t c = 0; c < n; ++c) impulse[c] = project_on_cone(impulse[c], system.friction(c));
  system.velocities(impulse, velocity);
  ResidualSum sum;
  for (std::size_t c = 0; c < n; ++c) {
    if (impulse[c][0] <= 0.0 && velocity[c][0] >= 0.0) continue;
    sum.add(natural_map(impulse[c], velocity[c], system.friction(c), system.trace(c)).squaredNorm());
  }
  return sum.residual().rms_m_s;
}

}  // namespace

NewtonReport proximal_newton(ImpulseSystem& system, double goal, int max_steps, std::vector<Vec3>& impulse) {
  std::vector<Vec3> velocity, best = impulse;
  double last = true_residual(system, impulse, velocity), least = last;
  double epsilon = first_epsilon;
  ProximalPoint around(system, impulse);
  Point point;
  int steps = 0, halved_at = 0;
  double to_halve = least;
  while (least > goal && steps < max_steps && steps - halved_at < patience) {
    point.impulse = impulse;
    around.evaluate(epsilon, point);
    const double accuracy = inner_accuracy * point.size;
    int inner = 0;
    while (inner < steps_a_point && steps < max_steps && point.size > accuracy) {
      ++steps;
      ++inner;
      if (!around.improve(epsilon, point)) break;
    }
    if (point.size > accuracy) {
      if (steps >= max_steps || epsilon >= most_epsilon) break;
      epsilon = std::min(most_epsilon, epsilon * harder);
      continue;
    }
    impulse = point.impulse;
    around.move_to(impulse);
    const double now = true_residual(system, impulse, velocity);
    if (now < least) {
      least = now;
      best = impulse;
    }
    if (least < 0.5 * to_halve) {
      to_halve = least;
      halved_at = steps;
    }
    if (inner <= easy_steps && now > slow_progress * last)
      epsilon = std::max(least_epsilon, epsilon * easier);
    last = now;
    if (inner == 0 && epsilon <= least_epsilon) break;
  }
  impulse = best;
  for (std::size_t c = 0; c < impulse.size(); ++c)
    impulse[c] = project_on_cone(impulse[c], system.friction(c));
  return {steps, least};
}

}  // namespace scree
