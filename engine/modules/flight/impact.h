// Impacts at one moment, of two or of many bodies at once.
#pragma once

#include <cstdint>
#include <span>

#include "engine/bodies/materials.h"
#include "engine/core/types.h"

namespace scree {

/// A body that takes part in an impact.
struct Struck {
  double inverse_mass = 0.0;            // 1/kg
  Mat3 inverse_inertia = Mat3::Zero();  // 1/(kg m^2), world
  Twist twist;                          // before, and after
};

/// A contact of two bodies that approach each other.
struct CollisionImpulse {
  static constexpr std::int32_t wall = -1;
  std::int32_t a = 0, b = wall;       // indices of bodies; or a wall
  Vec3 normal, arm_a, arm_b;          // unit, from b to a; m
  Vec3 wall_velocity = Vec3::Zero();  // m/s, of the wall at this point
  double friction = 0.0, restitution = 0.0;
  Vec3 impulse = Vec3::Zero();         // N s, world, on a
  double approach = 0.0;               // m/s, before
  double departure = 0.0;              // m/s, after
  double rubbed = 0.0, bounced = 0.0;  // J, dissipated by friction and by the normal impulse
  double wall_work = 0.0;              // J, done by the wall on the bodies
};

/// An impact, with its place and time.
struct Impact {
  double time_s = 0.0;
  std::int32_t a = 0, b = 0;           // slot; slot or boundary, as in ContactKey
  Vec3 point = Vec3::Zero();           // m
  Vec3 image = Vec3::Zero();           // m, of b, in a periodic cell
  CollisionImpulse collision_impulse;  // its impulses and their effects
  Twist before_a, after_a, before_b, after_b;
};

/// The law of bounces.
struct BounceLaw {
  bool energetic = false;      // by energy (engine/solver/impacts.h), else Newton's law
  bool dissipative = false;    // Newton's law as far as it creates no energy (A13)
  double threshold_m_s = 0.0;  // slower approaches do not bounce
};

/// Computes impulses and velocities after an impact. Newton's law with friction in the cone of the total
/// impulse, (S3) and (S4) for all contacts together: u_n+ >= -e u_n-. Dissipative: if the full restitution
/// would create energy, an intermediate solution between the impulses without and with it. Accuracy 1e-14 of
/// the fastest approach, or the result of 10,000 sweeps.
void resolve(std::span<CollisionImpulse> collision_impulses, std::span<Struck> bodies, const BounceLaw& law);

}  // namespace scree
