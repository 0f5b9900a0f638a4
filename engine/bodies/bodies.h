// The moving bodies: struct of arrays, one slot a body.
#pragma once

#include "engine/bodies/materials.h"
#include "engine/bodies/subdomains.h"
#include "engine/core/frames.h"
#include "engine/core/ranks.h"
#include "engine/geometry/shapes.h"

namespace scree {

/// All arrays are [body]. The body frame has its origin in the centre of mass and its axes along the
/// principal axes.
struct Bodies {
  // Quantities that a step changes.
  std::vector<Vec3> position;          // m, centre of mass
  std::vector<Quat> orientation;       // body frame to world
  std::vector<Vec3> linear_velocity;   // m/s
  std::vector<Vec3> angular_velocity;  // rad/s, world axes
  std::vector<std::uint8_t> asleep;    // 1: at rest and left out of steps; empty while no body sleeps
  std::vector<std::uint8_t> resting;   // 1: carried by contacts in steps; piecewise steps only, else empty
  // Quantities that a step does not change.
  std::vector<double> mass;   // kg
  std::vector<Vec3> inertia;  // kg m^2, principal moments in the body frame
  std::vector<ShapeIndex> shape;
  std::vector<MaterialIndex> material;
  std::vector<BodyId> id;
  BodyId next_id = 0;  // id of the next body; ids are never used twice
  // Bodies that a part carries; both arrays are empty if there are none.
  static constexpr std::int32_t no_part = -1;
  std::vector<std::int32_t> part;  // the part that carries the body
  std::vector<Pose> rest;          // its pose before its part has moved it
  Subdomains subdomains;           // ranges of bodies for loops and sweeps; none before the first step
  Ranks* ranks = nullptr;          // ranks that share the bodies (sums are over all ranks); null: one process

  std::size_t size() const { return position.size(); }
  bool is_asleep(std::size_t i) const { return !asleep.empty() && asleep[i] != 0; }
  bool is_resting(std::size_t i) const { return !resting.empty() && resting[i] != 0; }
  bool is_carried(std::size_t i) const { return !part.empty() && part[i] != no_part; }
  Pose pose(std::size_t i) const { return {position[i], orientation[i]}; }
  /// [block + 1] first body of each block, for sum_ranges(). No block is in two subdomains, if there are any.
  std::span<const std::int32_t> blocks() const;
};

/// The data from which a body is made.
struct NewBody {
  ShapeIndex shape;
  MaterialIndex material;
  Pose pose;
  Twist twist;
};

/// Appends a body; mass and inertia follow from its shape and its material's density. In a state that has
/// made steps, use insert() instead (engine/simulation/subsystems/population.h).
BodyIndex add_body(Bodies& bodies, const Shapes& shapes, const Materials& materials, const NewBody& body);

/// R diag(1/I) R^T, 1/(kg m^2).
inline Mat3 world_inverse_inertia(const Bodies& bodies, std::size_t i) {
  return symmetric_in_world(bodies.orientation[i], bodies.inertia[i].cwiseInverse());
}

/// Sums over all bodies, in one pass.
struct BodySums {
  double kinetic = 0.0, potential = 0.0;  // J; potential is zero at the origin
  Vec3 linear = Vec3::Zero();             // kg m/s
  Vec3 angular = Vec3::Zero();            // kg m^2/s, about the world's origin

  static constexpr std::size_t sums = 8;
  template <class F>
  void each_sum(F&& f) {
    f(kinetic), f(potential), f(linear), f(angular);
  }
  void join(const BodySums&) {}
  void over_ranks(Ranks&) {}
};
BodySums body_sums(const Bodies& bodies, const Vec3& gravity);

/// Kinetic plus potential energy as in body_sums(), at half the cost, J.
double mechanical_energy(const Bodies& bodies, const Vec3& gravity);
double kinetic_energy(const Bodies& bodies);                         // J
double kinetic_energy(const Bodies& bodies, std::size_t i);          // J, of one body
double potential_energy(const Bodies& bodies, const Vec3& gravity);  // J, zero at the origin
Vec3 linear_momentum(const Bodies& bodies);                          // kg m/s
Vec3 angular_momentum(const Bodies& bodies);                         // kg m^2/s, about the world's origin
/// Hash of ids, poses and velocities of all bodies, bit for bit; it does not depend on the order of slots.
std::uint64_t state_hash(const Bodies& bodies);

}  // namespace scree
