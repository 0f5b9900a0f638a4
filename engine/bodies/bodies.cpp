#include "engine/bodies/bodies.h"

#include "engine/core/exact_sum.h"
#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/core/vector4.h"

namespace scree {

namespace {

/// Twice the kinetic energy, and the angular momentum about the centre in the body's frame.
struct Motion {
  double twice_kinetic;
  Vector4 spin;
};
SCREE_INLINE Motion motion_of(const Bodies& bodies, std::size_t i, Vector4 v) {
  const Vector4 w = turned_back_by(bodies.orientation[i], to_vector4(bodies.angular_velocity[i])),
                spin = to_vector4(bodies.inertia[i]) * w;
  return {bodies.mass[i] * dot(v, v) + dot(w, spin), spin};
}

SCREE_FOR_EACH_TARGET
double sum_energies(const Bodies& bodies, const Vec3& gravity, const Block& block) {
  const Vector4 g = to_vector4(gravity);
  double kinetic = 0.0, potential = 0.0;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    kinetic += 0.5 * motion_of(bodies, i, to_vector4(bodies.linear_velocity[i])).twice_kinetic;
    potential -= bodies.mass[i] * dot(g, to_vector4(bodies.position[i]));
  }
  return kinetic + potential;
}

SCREE_FOR_EACH_TARGET
BodySums sum_bodies(const Bodies& bodies, const Vec3& gravity, const Block& block) {
  BodySums sums;
  const Vector4 g = to_vector4(gravity);
  Vector4 linear{}, angular{};
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const double m = bodies.mass[i];
    const Vector4 x = to_vector4(bodies.position[i]), v = to_vector4(bodies.linear_velocity[i]);
    const Motion motion = motion_of(bodies, i, v);
    sums.kinetic += 0.5 * motion.twice_kinetic;
    sums.potential -= m * dot(g, x);
    linear += m * v;
    angular += cross(x, m * v) + turned_by(bodies.orientation[i], motion.spin);
  }
  sums.linear = to_vec3(linear);
  sums.angular = to_vec3(angular);
  return sums;
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
  bodies.id.push_back(bodies.next_id++);
  if (!bodies.part.empty()) {
    bodies.part.push_back(Bodies::no_part);
    bodies.rest.emplace_back();
  }
  return BodyIndex(static_cast<std::int64_t>(bodies.size()) - 1);
}

std::span<const std::int32_t> Bodies::blocks() const {
  const bool has_ghosts = subdomains.own >= 0;
  const auto cut = static_cast<std::size_t>(subdomains.own_bodies());
  if (has_ghosts || (cut == size() && !subdomains.first.empty())) return subdomains.block;
  if (subdomains.first.empty() || cut > size()) return even_blocks(size());
  static thread_local std::vector<std::int32_t> with_newcomers;  // kept from call to call
  with_newcomers = subdomains.block;
  if (!with_newcomers.empty()) with_newcomers.pop_back();
  append_even_blocks(static_cast<std::int32_t>(cut), static_cast<std::int32_t>(size()), with_newcomers);
  with_newcomers.push_back(static_cast<std::int32_t>(size()));
  return with_newcomers;
}

BodySums body_sums(const Bodies& bodies, const Vec3& gravity) {
  return sum_ranges<BodySums>(bodies.blocks(), bodies.ranks,
                              [&](const Block& block) { return sum_bodies(bodies, gravity, block); });
}

double mechanical_energy(const Bodies& bodies, const Vec3& gravity) {
  return sum_numbers(bodies.blocks(), bodies.ranks,
                     [&](const Block& block) { return sum_energies(bodies, gravity, block); });
}

double kinetic_energy(const Bodies& bodies) { return body_sums(bodies, Vec3::Zero()).kinetic; }

double kinetic_energy(const Bodies& bodies, std::size_t i) {
  const Vec3 spin = bodies.orientation[i].conjugate() * bodies.angular_velocity[i];
  return 0.5 * (bodies.mass[i] * bodies.linear_velocity[i].squaredNorm() +
                spin.dot(bodies.inertia[i].cwiseProduct(spin)));
}

double potential_energy(const Bodies& bodies, const Vec3& gravity) {
  return body_sums(bodies, gravity).potential;
}

Vec3 linear_momentum(const Bodies& bodies) { return body_sums(bodies, Vec3::Zero()).linear; }

Vec3 angular_momentum(const Bodies& bodies) { return body_sums(bodies, Vec3::Zero()).angular; }

std::uint64_t state_hash(const Bodies& bodies) {
  const auto of_body = [&](std::size_t i) {
    struct Words {
      BodyId id;
      double number[13];
    } words{bodies.id[i], {}};
    double* to = words.number;
    const auto append = [&](const auto& of) { to = std::copy(of.data(), of.data() + of.size(), to); };
    append(bodies.position[i]);
    append(bodies.orientation[i].coeffs());
    append(bodies.linear_velocity[i]);
    append(bodies.angular_velocity[i]);
    return hash_words(&words, sizeof words, 0);
  };
  const std::uint64_t of_bodies = reduce_blocks(
      bodies.size(), grain_light, std::uint64_t{bodies.size()},
      [&](const Block& block) {
        std::uint64_t sum = 0;
        for (std::size_t i = block.begin; i < block.end; ++i) sum += of_body(i);
        return sum;
      },
      std::plus<>{});
  return static_cast<std::uint64_t>(total(bodies.ranks, static_cast<std::int64_t>(of_bodies)));
}

}  // namespace scree
