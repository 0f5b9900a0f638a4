#include "engine/simulation/motion.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/three.h"

namespace scree {

namespace {

constexpr int newton_iterations = 20;
constexpr double newton_tolerance = 4e-16;  // of |w|: the last bits

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
  return m;
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

// Newton converges for (M1) up to about this rotation, rad; larger ones are divided into as many as
// necessary. Their number depends only on the angular momentum, which is constant, so the same number leads
// back.
constexpr double most_turn = 2.0, most_turns = 10'000.0;

/// (M1) by Newton, for any rotation.
void rotate(const Vec3& principal, double dt, Quat& orientation, Vec3& angular_velocity) {
  Vec3 spin = orientation.conjugate() * angular_velocity;
  const double farthest = std::abs(dt) * principal.cwiseProduct(spin).norm() / principal.minCoeff(),
               turns = farthest > most_turn ? std::min(std::ceil(farthest / most_turn), most_turns) : 1.0;
  for (int k = 0; k < static_cast<int>(turns); ++k) {
    const Vec3 w = midpoint_spin(principal, spin, dt / turns), half = 0.5 * dt / turns * w;
    orientation = (orientation * Quat(1.0, half[0], half[1], half[2])).normalized();
    spin = 2.0 * w - spin;
  }
  angular_velocity = orientation * spin;
}

// Below this rotation in the step, rad, (M1) is iterated directly: each iteration gains more than one digit,
// and many bodies are processed side by side.
constexpr double small_turn = 0.05;

/// Bodies side by side.
struct alignas(64) Turning {
  static constexpr std::size_t capacity = 64;
  Columns<4, capacity> q;  // x, y, z, w
  Columns<3, capacity> inertia, w;
  Columns<3, capacity> w0, w_m;              // rad/s, body frame: before, and in the middle
  std::array<double, capacity> small, open;  // is the rotation small; is (M1) still iterated?
};

SCREE_INLINE Three axis_of(const Turning& t, std::size_t k) { return {t.q[0][k], t.q[1][k], t.q[2][k]}; }

SCREE_FOR_EACH_VECTOR_WIDTH
void begin(Turning& t, std::size_t whole, double dt) {
  SCREE_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < whole; ++k) {
    const Three w0 = turned_back_by(t.q[3][k], axis_of(t, k), three(t.w, k));
    put(t.w0, k, w0);
    put(t.w_m, k, w0);
    t.small[k] = t.open[k] = choose(dt * dt * dot(w0, w0) < small_turn * small_turn, 1.0, 0.0);
  }
}

/// One iteration of (M1) for those that have not converged.
SCREE_FOR_EACH_VECTOR_WIDTH
void iterate(Turning& t, std::size_t whole, double dt) {
  SCREE_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < whole; ++k) {
    const Three i = three(t.inertia, k), w = three(t.w_m, k), l = {i.x * w.x, i.y * w.y, i.z * w.z},
                moment = cross(l, w), w0 = three(t.w0, k);
    const Three next = {w0.x + 0.5 * dt * moment.x / i.x, w0.y + 0.5 * dt * moment.y / i.y,
                        w0.z + 0.5 * dt * moment.z / i.z};
    const Three change = next - w;
    const bool is_open = t.open[k] > 0.0,
               goes_on = dot(change, change) > newton_tolerance * newton_tolerance * dot(next, next);
    put(t.w_m, k, choose(is_open, next, w));
    t.open[k] = choose(is_open & goes_on, 1.0, 0.0);
  }
}

/// Orientations and spins after the step.
SCREE_FOR_EACH_VECTOR_WIDTH
void end(Turning& t, std::size_t whole, double dt) {
  SCREE_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < whole; ++k) {
    const Three axis = axis_of(t, k), w_m = three(t.w_m, k), half = 0.5 * dt * w_m;
    const double w = t.q[3][k];
    const Three turned = axis + w * half + cross(axis, half);  // q (1, half)
    const double w_turned = w - dot(axis, half), norm = std::sqrt(dot(turned, turned) + w_turned * w_turned);
    const Three unit = {turned.x / norm, turned.y / norm, turned.z / norm};
    const double w_unit = w_turned / norm;
    put(t.w, k, turned_by(w_unit, unit, 2.0 * w_m - three(t.w0, k)));
    t.q[0][k] = unit.x;
    t.q[1][k] = unit.y;
    t.q[2][k] = unit.z;
    t.q[3][k] = w_unit;
  }
}

/// Rotates bodies [first, first + count) except for those with large rotations and those that do not move.
SCREE_FOR_EACH_TARGET
void rotate(Bodies& bodies, double dt, std::size_t first, std::size_t count, Turning& t) {
  const std::size_t whole = whole_vectors(count);
  const Vec3 *const spin = bodies.angular_velocity.data() + first, *const inertia =
                                                                       bodies.inertia.data() + first;
  const Quat* const orientation = bodies.orientation.data() + first;
  for (std::size_t k = 0; k < whole; ++k) {
    const std::size_t from = std::min(k, count - 1);
    const double* const q = orientation[from].coeffs().data();
    for (std::size_t j = 0; j < 4; ++j) t.q[j][k] = q[j];
    put(t.w, k, to_three(spin[from]));
    put(t.inertia, k, to_three(inertia[from]));
  }
  begin(t, whole, dt);
  for (int k = 0; k < newton_iterations; ++k) {
    iterate(t, whole, dt);
    if (std::find(t.open.begin(), t.open.begin() + count, 1.0) == t.open.begin() + count) break;
  }
  end(t, whole, dt);
}

SCREE_FOR_EACH_TARGET
void drift_bodies(Bodies& bodies, double dt, std::size_t first, std::size_t count) {
  Turning t;
  rotate(bodies, dt, first, count, t);
  const bool any_asleep = !bodies.asleep.empty();
  Vec3 *const position = bodies.position.data() + first, *const spin = bodies.angular_velocity.data() + first;
  const Vec3* const velocity = bodies.linear_velocity.data() + first;
  Quat* const orientation = bodies.orientation.data() + first;
  for (std::size_t k = 0; k < count; ++k) {
    if (any_asleep && bodies.is_asleep(first + k)) continue;
    position[k] += dt * velocity[k];
    if (t.small[k] == 0.0) {
      rotate(bodies.inertia[first + k], dt, orientation[k], spin[k]);
      continue;
    }
    orientation[k] = Quat(t.q[3][k], t.q[0][k], t.q[1][k], t.q[2][k]);
    spin[k] = to_vec3(three(t.w, k));
  }
}

}  // namespace

void rotate_freely(const Vec3& inertia, double dt, Quat& orientation, Vec3& angular_velocity) {
  rotate(inertia, dt, orientation, angular_velocity);
}

void drift(Bodies& bodies, double dt) {
  for_blocks(bodies.size(), grain_medium, [&](const Block& block) {
    for (std::size_t first = block.begin; first < block.end; first += Turning::capacity)
      drift_bodies(bodies, dt, first, std::min(Turning::capacity, block.end - first));
  });
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
