// What acts on bodies beside contacts and steady gravity: gravity that changes, fields, a fluid, and what a
// program gives them of its own.
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

/// A vector at a place (m) and a time (s). Must give the same on any thread.
using VectorField = std::function<Vec3(const Vec3& place, double time_s)>;

/// What acts on a body at a place (m), with a velocity (m/s), at a time (s), N/kg. Must give the same on any
/// thread.
struct ForceField {
  std::function<Vec3(const Vec3& place, const Vec3& velocity, double time_s)> at;
  bool of_velocity = false;  // does it depend on the velocity?
};

/// `stokes`: 3 pi d viscosity (u - v). `schiller_naumann`: that times 1 + 0.15 Re^0.687, and beyond Re = 1000
/// the drag coefficient 0.44 (Schiller, Naumann 1933), Re = density |u - v| d / viscosity.
enum class DragLaw { none, stokes, schiller_naumann };

/// A fluid that is everywhere and that bodies do not change. Bodies feel it in their centre as the sphere of
/// their volume, of diameter d, would; it does not turn them.
struct Fluid {
  double density = 1000.0;  // kg/m^3
  double viscosity = 1e-3;  // Pa s
  DragLaw drag = DragLaw::schiller_naumann;
  bool buoyancy = true;
  VectorField velocity;  // u, m/s; none: it rests
};

/// What acts on a body: a force in its centre (N) and a torque about that (N m, world axes).
struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};

/// What a program gives all bodies at once: fills `given` [body], which is 0, for a step of h (s), in which
/// it stays the same. Called once a step, before anything moves, by one thread; what it throws leaves step(),
/// and the state is one that can go on. For steps by contacts only.
using OwnForces = std::function<void(const State& state, double h, std::span<Wrench> given)>;

struct Forces {
  std::function<Vec3(double time_s)> gravity;  // m/s^2, in place of the settings'
  std::vector<ForceField> fields;              // N/kg, added up
  std::optional<Fluid> fluid;
  OwnForces own;  // none if it is empty

  bool act() const { return !fields.empty() || fluid.has_value() || own; }
};

/// Fills workspace.own for a step of h that begins.
void ask_own_forces(const Model& model, const State& state, double h, Workspace& workspace);

/// Fills workspace.gravity and workspace.drive for a (sub)step of h about its middle, from the bodies as they
/// are. Drag is integrated exactly for a coefficient that stays what it is at the velocity v the body has:
///   v -> w + (v - w) exp(-b h),  w = u + a / b,  b = drag coefficient / mass (A7)
/// with a what gravity, buoyancy and fields give; stable for any h, and at rest exactly where b (w - u) = a.
/// Fields of the velocity are taken at the mean of it before and after, by iteration: a magnetic field does
/// no work.
void apply_forces(const Model& model, const State& state, double h, double middle_s, Workspace& workspace);

/// Where a body is, how fast, and when.
struct PathPoint {
  Vec3 place, velocity;
  double time_s;
};

/// What fields and fluid give a body there, m/s^2: what apply_forces() takes the mean of.
Vec3 acceleration_by_forces(const Model& model, const Bodies& bodies, std::size_t body, const PathPoint& at,
                            const Vec3& gravity);

}  // namespace scree
