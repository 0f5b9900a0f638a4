#include "engine/simulation/subsystems/forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

namespace {

constexpr int most_iterations = 50;  // of the velocity in the middle
constexpr double iteration_accuracy = 1e-15;
constexpr double turbulent_reynolds = 1000.0, turbulent_drag = 0.44;  // Newton's regime

/// Drag over velocity, kg/s, of a sphere of diameter d at a relative speed of the fluid.
double drag_coefficient(const Fluid& fluid, double d, double speed) {
  const double stokes = 3.0 * std::numbers::pi * d * fluid.viscosity;
  if (fluid.drag == DragLaw::none) return 0.0;
  if (fluid.drag == DragLaw::stokes) return stokes;
  const double reynolds = fluid.density * speed * d / fluid.viscosity;
  // 24/Re is Stokes' law.
  if (reynolds > turbulent_reynolds) return stokes * turbulent_drag * reynolds / 24.0;
  return stokes * (1.0 + 0.15 * std::pow(reynolds, 0.687));
}

/// Mean acceleration in h of a body with velocity v, if the acceleration `a` (m/s^2) acts in addition to
/// drag: (A7).
Vec3 acceleration_in_fluid(double b, const Vec3& slip, const Vec3& a, double h) {
  const double decay = -std::expm1(-b * h) / h;
  return decay == 0.0 ? a : Vec3(decay * slip + decay / b * a);
}

/// The acceleration of a body by drag is `b` (1/s) times `slip` (m/s).
struct Drag {
  Vec3 slip = Vec3::Zero();
  double b = 0.0;
};
Drag drag_on(const Fluid& fluid, double mass, double density, const PathPoint& at) {
  const double d = std::cbrt(6.0 / std::numbers::pi * mass / density);
  Drag drag{-at.velocity};
  if (fluid.velocity) drag.slip += fluid.velocity(at.place, at.time_s);
  drag.b = drag_coefficient(fluid, d, drag.slip.norm()) / mass;
  return drag;
}

/// Accelerations of a body, m/s^2: by drag, and `others`.
struct Pulls {
  Vec3 others = Vec3::Zero();
  Drag drag{};
};
/// `for_fields`: the velocity at which fields are evaluated.
Pulls pulls(const Model& model, const Bodies& bodies, std::size_t i, const PathPoint& at,
            const Vec3& for_fields, const Vec3& gravity) {
  const Forces& forces = model.forces;
  Pulls p;
  for (const ForceField& field : forces.fields) p.others += field.at(at.place, for_fields, at.time_s);
  if (!forces.fluid) return p;
  const Fluid& fluid = *forces.fluid;
  const double density = model.materials.density(bodies.material[i]);
  if (fluid.buoyancy) p.others -= fluid.density / density * gravity;
  p.drag = drag_on(fluid, bodies.mass[i], density, at);
  return p;
}

/// By fields and fluid, for one body.
Vec3 body_acceleration_of(const Model& model, const Bodies& bodies, std::size_t i, const Vec3& gravity,
                          double h, double time_s) {
  const PathPoint at{bodies.position[i], bodies.linear_velocity[i], time_s};
  const auto acceleration = [&](const Vec3& for_fields) -> Vec3 {
    const Pulls p = pulls(model, bodies, i, at, for_fields, gravity);
    return model.forces.fluid
               ? Vec3(acceleration_in_fluid(p.drag.b, p.drag.slip, gravity + p.others, h) - gravity)
               : p.others;
  };
  Vec3 a = acceleration(at.velocity);
  if (std::ranges::none_of(model.forces.fields, &ForceField::of_velocity)) return a;
  for (int k = 0; k < most_iterations; ++k) {
    const Vec3 next = acceleration(at.velocity + 0.5 * h * (gravity + a));
    const bool done = (next - a).norm() <= iteration_accuracy * next.norm();
    a = next;
    if (done) break;
  }
  return a;
}

}  // namespace

double share_beside_drag(const Model& model, const Bodies& bodies, std::size_t i, double h, double middle_s) {
  if (!model.forces.fluid) return 1.0;
  const double density = model.materials.density(bodies.material[i]);
  const PathPoint at{bodies.position[i], bodies.linear_velocity[i], middle_s};
  const double bh = h * drag_on(*model.forces.fluid, bodies.mass[i], density, at).b;
  return bh > 0.0 ? -std::expm1(-bh) / bh : 1.0;
}

Vec3 acceleration_by_forces(const Model& model, const Bodies& bodies, std::size_t body, const PathPoint& at,
                            const Vec3& gravity) {
  const Pulls p = pulls(model, bodies, body, at, at.velocity, gravity);
  return p.others + p.drag.b * p.drag.slip;
}

void ask_own_forces(const Model& model, const State& state, double h, Workspace& w) {
  w.own.clear();
  if (!model.forces.own) return;
  w.own.resize(state.bodies.size());
  model.forces.own(state, h, w.own);
}

void apply_forces(const Model& model, const State& state, double h, double middle_s, Workspace& w) {
  const Bodies& bodies = state.bodies;
  w.gravity = gravity_at(model, state, middle_s);
  w.body_acceleration.clear();
  if (!model.forces.act()) return;
  w.body_acceleration.resize(bodies.size());
  if (model.forces.fields.empty() && !model.forces.fluid) {
    for_each_index(bodies.size(), grain_light,
                   [&](std::size_t i) { w.body_acceleration[i] = w.own[i].force / bodies.mass[i]; });
    return;
  }
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    w.body_acceleration[i] = body_acceleration_of(model, bodies, i, w.gravity, h, middle_s);
    if (!w.own.empty())
      w.body_acceleration[i] +=
          share_beside_drag(model, bodies, i, h, middle_s) / bodies.mass[i] * w.own[i].force;
  });
}

}  // namespace scree
