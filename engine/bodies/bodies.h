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
  // What the step changes.
  std::vector<Vec3> position;          // m, centre of mass
  std::vector<Quat> orientation;       // body frame to world
  std::vector<Vec3> linear_velocity;   // m/s
  std::vector<Vec3> angular_velocity;  // rad/s, world axes
  std::vector<std::uint8_t> asleep;    // 1: rests and is left out of steps; empty while nobody has slept
  std::vector<std::uint8_t> resting;   // 1: contacts carry it, in steps; piecewise steps only, else empty
  // What stays.
  std::vector<double> mass;   // kg
  std::vector<Vec3> inertia;  // kg m^2, principal moments in the body frame
  std::vector<ShapeIndex> shape;
  std::vector<MaterialIndex> material;
  std::vector<BodyId> id;
  BodyId next_id = 0;  // of the next body: ids are unique for ever
  // Of bodies that do not move by themselves; both empty while all do.
  static constexpr std::int32_t no_part = -1;
  std::vector<std::int32_t> part;  // that carries it
  std::vector<Pose> rest;          // where it is while its part has not moved it
  Subdomains subdomains;           // how loops and sweeps cut them; none before the first step
  Ranks* ranks = nullptr;  // among which these are a part of all; sums are over all. Null: these are all

  std::size_t size() const { return position.size(); }
  bool is_asleep(std::size_t i) const { return !asleep.empty() && asleep[i] != 0; }
  bool is_resting(std::size_t i) const { return !resting.empty() && resting[i] != 0; }
  bool is_carried(std::size_t i) const { return !part.empty() && part[i] != no_part; }
  Pose pose(std::size_t i) const { return {position[i], orientation[i]}; }
  /// [block + 1] bodies where blocks begin, for sum_ranges(): never in two subdomains, where there are some.
  std::span<const std::int32_t> blocks() const;
};

/// What it takes to make a body.
struct NewBody {
  ShapeIndex shape;
  MaterialIndex material;
  Pose pose;
  Twist twist;
};

/// Appends a body; mass and inertia follow from its shape and its material's density. In a state that has
/// made steps insert() does (engine/simulation/subsystems/population.h).
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

/// Kinetic and potential, as body_sums() has them, for half the cost, J.
double mechanical_energy(const Bodies& bodies, const Vec3& gravity);
double kinetic_energy(const Bodies& bodies);                         // J
double kinetic_energy(const Bodies& bodies, std::size_t i);          // J, of one body
double potential_energy(const Bodies& bodies, const Vec3& gravity);  // J, zero at the origin
Vec3 linear_momentum(const Bodies& bodies);                          // kg m/s
Vec3 angular_momentum(const Bodies& bodies);                         // kg m^2/s, about the world's origin
/// Ids, poses and velocities of all bodies, bit for bit: a sum over them, in whatever slots they are.
std::uint64_t state_hash(const Bodies& bodies);

}  // namespace scree
