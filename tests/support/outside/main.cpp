// A small heap of ellipsoids falls on a plane; every step's balances of energy and momentum are looked at.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/state_hash.h"
#include "engine/simulation/step.h"

int main() {
  using namespace scree;
  Model model;
  State state;
  Workspace workspace;
  StepResult result;
  model.settings.time_step_s = 1e-3;
  model.settings.solver.tolerance = 1e-9;
  model.settings.solver.max_sweeps = 1000;
  const MaterialIndex stone = model.materials.add("stone", 2500.0);
  model.materials.set_law(stone, stone, {.friction = 0.5});
  model.boundaries.push_back({"floor", stone, Plane{Vec3::Zero(), Vec3::UnitZ()}});
  const ShapeIndex shape = model.shapes.add(Ellipsoid{Vec3(0.05, 0.04, 0.03)});
  for (int i = 0; i < 8; ++i) {
    const Vec3 place(0.05 * (i % 2), 0.04 * (i / 2 % 2), 0.06 + 0.11 * (i / 2));
    add_body(state.bodies, model.shapes, model.materials, {shape, stone, {place, Quat::Identity()}, {}});
  }

  const double start = kinetic_energy(state.bodies) + potential_energy(state.bodies, model.settings.gravity);
  double energy_error = 0.0, momentum_error = 0.0;
  std::int64_t contacts = 0;
  for (int k = 0; k < 1000; ++k) {
    const StepReport& report = step(model, state, workspace, result);
    energy_error = std::max(energy_error, std::abs(report.energy.remainder) / start);
    momentum_error = std::max(momentum_error, report.momentum_error_relative);
    contacts = std::max(contacts, report.contacts);
  }
  const double end = kinetic_energy(state.bodies) + potential_energy(state.bodies, model.settings.gravity);
  std::printf("energy %.3f -> %.3f J, errors: energy %.1e, momentum %.1e; %lld contacts; state %s\n", start,
              end, energy_error, momentum_error, static_cast<long long>(contacts),
              hash_text(state_hash(state.bodies)).c_str());
  return contacts >= 8 && end < 0.5 * start && energy_error < 1e-12 && momentum_error < 1e-9 ? 0 : 1;
}
