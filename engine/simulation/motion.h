// Motion of bodies between contacts.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// Free flight of awake bodies for a time: positions along the velocities, rotation by the implicit
/// midpoint rule in the body frame,
///   I (w1 - w0) = dt (I w_m) x w_m,  w_m = (w0 + w1) / 2,  q1 = q0 cay(dt w_m),                     (M1)
/// which keeps the angular momentum in the world and the kinetic energy of a free top to rounding, and is of
/// second order in dt and symmetric in time (Simo, Wong 1991; Hairer, Lubich, Wanner 2006, VII.5).
void drift(Bodies& bodies, double dt_s);

/// Rotation of one body by (M1). w: world axes, input and output.
void rotate_freely(const Vec3& inertia, double dt_s, Quat& orientation, Vec3& angular_velocity);

/// Moves one body by a twist over a time; linear velocity and angular momentum are constant. w: as above.
void move_by(const Twist& correction, double dt_s, const Vec3& inertia, Pose& pose, Vec3& angular_velocity);

/// Moves bodies by the position correction over a time; linear velocity and angular momentum are constant.
void move_by_correction(Bodies& bodies, const std::vector<BodyVelocity>& correction, double dt_s);

/// Upper bound of the speed of points of the body's bounding sphere for the twist v, m/s.
inline double surface_speed(const Shapes& shapes, const Bodies& bodies, std::size_t i, const Twist& v) {
  return v.linear.norm() + shapes.bounding_radius(bodies.shape[i]) * v.angular.norm();
}
/// The same for its present twist.
inline double surface_speed(const Shapes& shapes, const Bodies& bodies, std::size_t i) {
  return surface_speed(shapes, bodies, i, {bodies.linear_velocity[i], bodies.angular_velocity[i]});
}
/// The largest over all bodies; 0 without any.
double largest_surface_speed(const Shapes& shapes, const Bodies& bodies);

}  // namespace scree
