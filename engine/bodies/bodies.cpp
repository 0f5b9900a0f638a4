#include "engine/bodies/bodies.h"

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"

namespace scree {

namespace {

Vec3 inertia_times(const Bodies& bodies, std::size_t i, const Vec3& angular) {
  const Quat& q = bodies.orientation[i];
  return q * bodies.inertia[i].cwiseProduct(q.conjugate() * angular);
}

template <class T, class F>
T sum_over(const Bodies& bodies, T zero, F&& term) {
  return reduce_blocks(
      bodies.size(), grain_medium, zero,
      [&](const Block& block) {
        T sum = zero;
        for (std::size_t i = block.begin; i < block.end; ++i) sum += term(i);
        return sum;
      },
      [](const T& a, const T& b) -> T { return a + b; });
}

}  // namespace

BodyIndex add_body(Bodies& bodies, const Shapes& shapes, const Materials& materials, const NewBody& body) {
  const double mass = materials.density(body.material) * volume(shapes, body.shape);
  bodies.position.push_back(body.pose.position);
  bodies.orientation.push_back(body.pose.orientation.normalized());
  bodies.linear_velocity.push_back(body.twist.linear);
  bodies.angular_velocity.push_back(body.twist.angular);
  bodies.mass.push_back(mass);
  bodies.inertia.push_back(mass * inertia_per_mass(shapes, body.shape));
  bodies.shape.push_back(body.shape);
  bodies.material.push_back(body.material);
  bodies.id.push_back(bodies.id.empty() ? 0 : bodies.id.back() + 1);
  return BodyIndex(static_cast<std::int64_t>(bodies.size()) - 1);
}

Mat3 world_inverse_inertia(const Bodies& bodies, std::size_t i) {
  const Mat3 r = bodies.orientation[i].toRotationMatrix();
  return r * bodies.inertia[i].cwiseInverse().asDiagonal() * r.transpose();
}

double kinetic_energy(const Bodies& bodies) {
  return sum_over(bodies, 0.0, [&](std::size_t i) {
    const Vec3& w = bodies.angular_velocity[i];
    return 0.5 *
           (bodies.mass[i] * bodies.linear_velocity[i].squaredNorm() + w.dot(inertia_times(bodies, i, w)));
  });
}

double potential_energy(const Bodies& bodies, const Vec3& gravity) {
  return sum_over(bodies, 0.0,
                  [&](std::size_t i) { return -bodies.mass[i] * gravity.dot(bodies.position[i]); });
}

Vec3 linear_momentum(const Bodies& bodies) {
  return sum_over(bodies, Vec3::Zero().eval(),
                  [&](std::size_t i) -> Vec3 { return bodies.mass[i] * bodies.linear_velocity[i]; });
}

Vec3 angular_momentum(const Bodies& bodies) {
  return sum_over(bodies, Vec3::Zero().eval(), [&](std::size_t i) -> Vec3 {
    return bodies.position[i].cross(bodies.mass[i] * bodies.linear_velocity[i]) +
           inertia_times(bodies, i, bodies.angular_velocity[i]);
  });
}

std::uint64_t state_hash(const Bodies& bodies) {
  std::uint64_t hash = bodies.size();
  const auto chain = [&](const auto& array) {
    hash = hash_bytes(array.data(), array.size() * sizeof(array[0]), hash);
  };
  chain(bodies.position);
  chain(bodies.orientation);
  chain(bodies.linear_velocity);
  chain(bodies.angular_velocity);
  return hash;
}

}  // namespace scree
