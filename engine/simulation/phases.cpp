#include "engine/simulation/phases.h"

#include "engine/core/parallel.h"
#include "engine/simulation/balance.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/subsystems/actuators.h"
#include "engine/simulation/subsystems/bonds.h"
#include "engine/simulation/subsystems/cell_flow.h"
#include "engine/simulation/subsystems/contact_springs.h"
#include "engine/simulation/subsystems/machine.h"
#include "engine/simulation/subsystems/parts.h"

namespace scree {

namespace {

void take_velocities(const ContactSolution& solution, Bodies& bodies) {
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    bodies.linear_velocity[i] = to_vec3(solution.velocity[i].linear);
    bodies.angular_velocity[i] = to_vec3(solution.velocity[i].angular);
  });
}

}  // namespace

void move_half(const Model& model, const IntervalTimes& times, double to_s, State& state, Workspace& w) {
  drift(state.bodies, 0.5 * times.h);
  drift_parts(model, 0.5 * times.h, state);
  carry_bodies(model, to_s, times.begin_s, times.h, state, w);
}

void move_back(const Model& model, const IntervalTimes& times, State& state) {
  drift(state.bodies, -0.5 * times.h);
  drift_parts(model, -0.5 * times.h, state);
}

void prepare(const Model& model, const IntervalTimes& times, const State& state, Workspace& w) {
  apply_forces(model, state, times.h, times.middle_s(), w);
  apply_part_forces(model, state, times.h, times.middle_s(), w);
  w.cell = cell_at(model, state, times.middle_s());
}

void take(const Model& model, const IntervalTimes& times, State& state, Workspace& w, StepResult& result) {
  const double h = times.h;
  result.report.energy.elastic = 0.0;
  end_springs(h, w, state, result.report);
  set_cell_rate(CellRate::mean, w);
  take_impulses(model, h, w, state, result);
  take_bonds(model, h, state, w, result);
  take_velocities(w.solution, state.bodies);
  take_parts(model, h, w, state, result);
  take_joints(model, h, w, state, result);
  take_actuators(model, times.begin_s, h, result, state);
  take_cell(model, times.begin_s, h, w, state);
}

}  // namespace scree
