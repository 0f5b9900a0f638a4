#include "engine/simulation/motion.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/vector4.h"

namespace scree {

namespace {

constexpr int newton_iterations = 20;
constexpr double newton_tolerance = 4e-16;  // of |w|: the last bits

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
  return m;
}

// Below this turn in the step, rad, (M1) is iterated as it stands: each time gains as many digits as Newton
// would, without its matrix.
constexpr double small_turn = 1e-3;

/// w_m of (M1), body frame, for small turns; the spare lane of inertia is not zero.
SCREE_INLINE Vector4 midpoint_of_small_turn(Vector4 inertia, Vector4 w0, double dt) {
  const Vector4 half_over_inertia = 0.5 * dt / inertia;
  Vector4 w = w0;
  for (int k = 0; k < newton_iterations; ++k) {
    const Vector4 next = w0 + half_over_inertia * cross(inertia * w, w), change = next - w;
    w = next;
    if (dot(change, change) <= newton_tolerance * newton_tolerance * dot(w, w)) break;
  }
  return w;
}

/// w_m of (M1), body frame, by Newton from w0.
Vec3 midpoint_spin(const Vec3& inertia, const Vec3& w0, double dt) {
  Vec3 w = w0;
  for (int k = 0; k < newton_iterations; ++k) {
    const Vec3 l = inertia.cwiseProduct(w);
    const Vec3 f = inertia.cwiseProduct(w - w0) - 0.5 * dt * l.cross(w);
    if (f.cwiseQuotient(inertia).squaredNorm() <= newton_tolerance * newton_tolerance * w0.squaredNorm())
      break;
    Mat3 slope = -0.5 * dt * (cross_matrix(l) - cross_matrix(w) * inertia.asDiagonal());
    slope.diagonal() += inertia;
    const Vec3 step = slope.inverse() * f;
    w -= step;
    if (step.squaredNorm() <= newton_tolerance * newton_tolerance * w.squaredNorm()) break;
  }
  return w;
}

SCREE_INLINE void rotate(const Vec3& principal, double dt, Quat& orientation, Vec3& angular_velocity) {
  const Vector4 inertia{principal[0], principal[1], principal[2], 1.0};
  const Vector4 w0 = turned_back_by(orientation, to_vector4(angular_velocity));
  const bool small = dt * dt * dot(w0, w0) < small_turn * small_turn;
  const Vector4 w =
      small ? midpoint_of_small_turn(inertia, w0, dt) : to_vector4(midpoint_spin(principal, to_vec3(w0), dt));
  const Vector4 half = 0.5 * dt * w;
  orientation = (orientation * Quat(1.0, half[0], half[1], half[2])).normalized();
  angular_velocity = to_vec3(turned_by(orientation, 2.0 * w - w0));
}

SCREE_FOR_EACH_TARGET
void drift_bodies(Bodies& bodies, double dt, const Block& block) {
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (bodies.is_asleep(i)) continue;
    bodies.position[i] += dt * bodies.linear_velocity[i];
    rotate(bodies.inertia[i], dt, bodies.orientation[i], bodies.angular_velocity[i]);
  }
}

}  // namespace

void rotate_freely(const Vec3& inertia, double dt, Quat& orientation, Vec3& angular_velocity) {
  rotate(inertia, dt, orientation, angular_velocity);
}

void drift(Bodies& bodies, double dt) {
  for_blocks(bodies.size(), grain_medium, [&](const Block& block) { drift_bodies(bodies, dt, block); });
}

double largest_surface_speed(const Shapes& shapes, const Bodies& bodies) {
  return reduce_blocks(
      bodies.size(), grain_medium, 0.0,
      [&](const Block& block) {
        double most = 0.0;
        for (std::size_t i = block.begin; i < block.end; ++i)
          most = std::max(most, surface_speed(shapes, bodies, i));
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
}

void move_by(const Twist& correction, double dt, const Vec3& inertia, Pose& pose, Vec3& angular_velocity) {
  pose.position += dt * correction.linear;
  Quat& q = pose.orientation;
  const Vec3 momentum = q * inertia.cwiseProduct(q.conjugate() * angular_velocity);
  const Vec3 half = 0.5 * dt * correction.angular;
  q = (Quat(1.0, half[0], half[1], half[2]) * q).normalized();
  angular_velocity = q * (q.conjugate() * momentum).cwiseQuotient(inertia);
}

void move_by_correction(Bodies& bodies, const std::vector<BodyVelocity>& correction, double dt) {
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    const Twist by = twist(correction[i]);
    if (by.linear.isZero(0.0) && by.angular.isZero(0.0)) return;
    Pose pose = bodies.pose(i);
    move_by(by, dt, bodies.inertia[i], pose, bodies.angular_velocity[i]);
    bodies.position[i] = pose.position;
    bodies.orientation[i] = pose.orientation;
  });
}

}  // namespace scree
