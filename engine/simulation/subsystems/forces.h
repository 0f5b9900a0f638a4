// Forces on bodies other than contacts and constant gravity: variable gravity, fields, a fluid, and
// forces from a user's own program.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/types.h"

namespace scree {

struct Bodies;
struct Model;
struct State;
struct Workspace;

/// A vector at a place (m) and a time (s). Must return the same value on any thread.
using VectorField = std::function<Vec3(const Vec3& place, double time_s)>;

/// Force per mass on a body at a place (m), with a velocity (m/s), at a time (s), N/kg. Must return the same
/// value on any thread.
struct ForceField {
  std::function<Vec3(const Vec3& place, const Vec3& velocity, double time_s)> at;
  bool of_velocity = false;  // does it depend on the velocity?
};

/// `stokes`: 3 pi d viscosity (u - v). `schiller_naumann`: that times 1 + 0.15 Re^0.687, and above Re = 1000
/// the drag coefficient 0.44 (Schiller, Naumann 1933), Re = density |u - v| d / viscosity.
enum class DragLaw { none, stokes, schiller_naumann };

/// A fluid that fills space and is not affected by bodies. It acts at a body's centre as on a sphere of equal
/// volume, with the diameter d; there is no torque.
struct Fluid {
  double density = 1000.0;  // kg/m^3
  double viscosity = 1e-3;  // Pa s
  DragLaw drag = DragLaw::schiller_naumann;
  bool buoyancy = true;
  VectorField velocity;  // u, m/s; empty: the fluid is at rest
};

/// A force at the centre of a body (N) and a torque about it (N m, world axes).
struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};

/// Forces from a user's own program on all bodies: fills `given` [body], initially 0, for a step of h (s), in
/// which it is constant. Called once per step, before anything moves, by one thread. Its exceptions leave
/// step(), and the state can continue. For steps by contacts only.
using OwnForces = std::function<void(const State& state, double h, std::span<Wrench> given)>;

struct Forces {
  std::function<Vec3(double time_s)> gravity;  // m/s^2, instead of the settings'
  std::vector<ForceField> fields;              // N/kg, added up
  std::optional<Fluid> fluid;
  OwnForces own;  // empty: none

  bool act() const { return !fields.empty() || fluid.has_value() || own; }
};

/// Fills workspace.own for a step of h that begins.
void ask_own_forces(const Model& model, const State& state, double h, Workspace& workspace);

/// Fills workspace.gravity and workspace.body_acceleration for a (sub)step of h about its middle, from the
/// bodies' present state. Drag is integrated exactly for a constant coefficient at the velocity v of the
/// body:
///   v -> w + (v - w) exp(-b h),  w = u + a / b,  b = drag coefficient / mass (A7)
/// with the acceleration a by gravity, buoyancy and fields. It is stable for any h, and exactly at rest if
/// b (w - u) = a.
/// Fields that depend on velocity use its mean before and after the step, by iteration: a magnetic field does
/// no work.
void apply_forces(const Model& model, const State& state, double h, double middle_s, Workspace& workspace);

/// The share of a constant other force, of a contact for example, that changes the velocity of a body in a
/// step of h: (1 - exp(-b h)) / (b h). Drag takes the rest. 1 without a fluid.
double share_beside_drag(const Model& model, const Bodies& bodies, std::size_t body, double h,
                         double middle_s);

/// Place, velocity and time of a body.
struct PathPoint {
  Vec3 place, velocity;
  double time_s;
};

/// Acceleration by fields and fluid there, m/s^2; apply_forces() uses its mean.
Vec3 acceleration_by_forces(const Model& model, const Bodies& bodies, std::size_t body, const PathPoint& at,
                            const Vec3& gravity);

}  // namespace scree
