// Impacts at one instant, of two or of many at once.
#pragma once

#include <cstdint>
#include <span>

#include "engine/bodies/materials.h"
#include "engine/core/types.h"

namespace scree {

/// A body that is struck.
struct Struck {
  double inverse_mass = 0.0;            // 1/kg
  Mat3 inverse_inertia = Mat3::Zero();  // 1/(kg m^2), world
  Twist twist;                          // before, and after
};

/// A contact in which two approach each other.
struct CollisionImpulse {
  static constexpr std::int32_t wall = -1;
  std::int32_t a = 0, b = wall;       // of the struck; or what nothing moves
  Vec3 normal, arm_a, arm_b;          // unit, from b to a; m
  Vec3 wall_velocity = Vec3::Zero();  // m/s, of the wall in this place
  double friction = 0.0, restitution = 0.0;
  Vec3 impulse = Vec3::Zero();         // N s, world, on a
  double approach = 0.0;               // m/s, before
  double departure = 0.0;              // m/s, after
  double rubbed = 0.0, bounced = 0.0;  // J, what friction and the normal impulse took
  double wall_work = 0.0;              // J, done by the wall on the bodies
};

/// An impact, where and when it was.
struct Impact {
  double time_s = 0.0;
  std::int32_t a = 0, b = 0;           // slot; slot or boundary, as in ContactKey
  Vec3 point = Vec3::Zero();           // m
  Vec3 image = Vec3::Zero();           // m, of b, in a periodic cell
  CollisionImpulse collision_impulse;  // its impulses and what they did
  Twist before_a, after_a, before_b, after_b;
};

/// How they bounce.
struct BounceLaw {
  bool energetic = false;      // by the work of each (engine/solver/impacts.h), else by Newton's law
  bool dissipative = false;    // by Newton's law as far as it creates no energy (A13)
  double threshold_m_s = 0.0;  // slower approaches do not bounce: they end
};

/// Impulses and velocities after. Newton's law with friction in the cone of the whole impulse, (S3) and (S4)
/// of all contacts together: u_n+ >= -e u_n-. Dissipative: with part of the way from the impulses without
/// restitution to those with it, where the whole would create energy. Accuracy 1e-14 of the fastest approach,
/// or what 10,000 sweeps give.
void resolve(std::span<CollisionImpulse> collision_impulses, std::span<Struck> bodies, const BounceLaw& law);

}  // namespace scree
