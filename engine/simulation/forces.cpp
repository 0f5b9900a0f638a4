#include "engine/simulation/forces.h"

#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

namespace {

constexpr double turbulent_reynolds = 1000.0, turbulent_drag = 0.44;  // Newton's regime

/// Drag over velocity, kg/s, of a sphere of diameter d that the fluid passes at a speed.
double drag_coefficient(const Fluid& fluid, double d, double speed) {
  const double stokes = 3.0 * std::numbers::pi * d * fluid.viscosity;
  if (fluid.drag == DragLaw::none) return 0.0;
  if (fluid.drag == DragLaw::stokes) return stokes;
  const double reynolds = fluid.density * speed * d / fluid.viscosity;
  // 24/Re stands for Stokes' law.
  if (reynolds > turbulent_reynolds) return stokes * turbulent_drag * reynolds / 24.0;
  return stokes * (1.0 + 0.15 * std::pow(reynolds, 0.687));
}

/// Mean acceleration in h of a body that moves at v, where `a` (m/s^2) acts on it beside the fluid's drag:
/// (A7).
Vec3 acceleration_in_fluid(double b, const Vec3& slip, const Vec3& a, double h) {
  const double decay = -std::expm1(-b * h) / h;
  return decay > 0.0 ? Vec3(decay * slip + decay / b * a) : a;
}

/// By fields and fluid, of one body.
Vec3 drive_of(const Model& model, const Bodies& bodies, std::size_t i, const Vec3& gravity, double h,
              double time_s) {
  const Forces& forces = model.forces;
  const Vec3& x = bodies.position[i];
  Vec3 a = Vec3::Zero();
  for (const VectorField& field : forces.fields) a += field(x, time_s);
  if (!forces.fluid) return a;
  const Fluid& fluid = *forces.fluid;
  const double mass = bodies.mass[i], density = model.materials.density(bodies.material[i]);
  if (fluid.buoyancy) a -= fluid.density / density * gravity;
  const double d = std::cbrt(6.0 / std::numbers::pi * mass / density);
  Vec3 slip = -bodies.linear_velocity[i];
  if (fluid.velocity) slip += fluid.velocity(x, time_s);
  const double b = drag_coefficient(fluid, d, slip.norm()) / mass;
  return acceleration_in_fluid(b, slip, gravity + a, h) - gravity;
}

}  // namespace

void apply_forces(const Model& model, const State& state, double h, double middle_s, Workspace& w) {
  const Bodies& bodies = state.bodies;
  w.gravity = gravity_at(model, state, middle_s);
  w.drive.clear();
  if (!model.forces.act()) return;
  w.drive.resize(bodies.size());
  for_each_index(bodies.size(), grain_medium,
                 [&](std::size_t i) { w.drive[i] = drive_of(model, bodies, i, w.gravity, h, middle_s); });
}

}  // namespace scree
