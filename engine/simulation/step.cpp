// One step: insertion and deletion of bodies, its length, then the method (interval.cpp), and the balances.
#include "engine/simulation/step.h"

#include "engine/core/actuator_model.h"
#include "engine/detection/crowded_boxes.h"
#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/coarseness.h"
#include "engine/simulation/interval.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/step_failure.h"
#include "engine/simulation/subsystems/bonds.h"
#include "engine/simulation/subsystems/cell_flow.h"
#include "engine/simulation/subsystems/insertion.h"
#include "engine/simulation/subsystems/machine.h"
#include "engine/simulation/subsystems/newcomers.h"
#include "engine/simulation/subsystems/parts.h"
#include "engine/simulation/subsystems/piecewise.h"
#include "engine/simulation/subsystems/population.h"

namespace scree {

namespace {

/// Energies and momenta at the end of the step, and the remainder of the ledger.
void close_balances(const Model& model, const Bodies& bodies, double energy_before, double elastic_before,
                    StepReport& report) {
  EnergyLedger& e = report.energy;
  const BodySums sums = body_sums(bodies, model.settings.gravity);
  e.kinetic = sums.kinetic;
  e.potential = sums.potential;
  const double change = e.kinetic + e.potential - energy_before;
  e.remainder = change + e.dissipated_by_friction + e.dissipated_by_impact + e.dissipated_by_sleep -
                e.position_correction - e.boundary_work - e.force_work - e.joint_work - e.spring_work -
                e.exchanged;
  report.energy_injected_J =
      std::max(0.0, change + e.elastic - elastic_before - e.exchanged - std::max(0.0, e.boundary_work) -
                        std::max(0.0, e.force_work) - std::max(0.0, e.joint_work));
  report.linear_momentum = sums.linear;
  report.angular_momentum = sums.angular;
}

/// New bodies whose first half step would lead into an obstacle are delayed; the change of their height is
/// booked like other moves without a velocity.
void start_newcomers(const Model& model, BodyId first, double h, State& state, StepReport& report) {
  if (state.bodies.next_id == first) return;
  const Vec3& gravity = model.settings.gravity;
  const double before = potential_energy(state.bodies, gravity);
  if (hold_back_newcomers(model, first, h, state) > 0)
    report.energy.position_correction += potential_energy(state.bodies, gravity) - before;
}

void clear(const Model& model, StepResult& result) {
  result.report = {};
  result.boundaries.assign(model.boundaries.size(), {});
  result.parts.assign(model.parts.size(), {});
  result.joints.assign(model.joints.size(), {});
  result.machine = {};
  result.contact_moment.setZero();
  result.bonds.clear();
  result.impacts.clear();
  result.touches.clear();
}

void whole_step(const Model& model, State& state, Workspace& w, StepResult& result, double land_at_s) {
  StepReport& report = result.report;
  clear(model, result);
  start_parts(model.parts, state);
  if (state.wall_cells.empty()) state.wall_cells.resize(cell_count(model.wall_cells));
  const PartEnergy machine_before = machine_energy(model, state);
  StageClock clock;
  Bodies& bodies = state.bodies;
  const Settings& settings = model.settings;
  if (bodies.subdomains.first.empty()) arrange(model, state);
  const double energy_before = mechanical_energy(bodies, settings.gravity),
               carried_before = energy_of_carried(model, bodies);
  const BodyId first_new = state.step == 0 ? 0 : bodies.next_id;
  insertion(model, state, report, w.decomposition.get());
  if (bodies.next_id != first_new) limit_next_step(model, state);
  StepPlan plan = plan_step(model, state, land_at_s);
  report.time_step_s = plan.h;
  if (settings.stepping == Stepping::contacts)
    start_newcomers(model, first_new, plan.h / settings.substeps, state, report);
  if (w.decomposition)
    w.decomposition->arrange(model, state);
  else if (state.step > 0)
    arrange(model, state);
  else  // it has been sorted above
    cut_newcomers(bodies.size(), bodies.subdomains);
  ask_own_forces(model, state, plan.h, w);
  if (settings.stepping == Stepping::piecewise)
    plan = fly_and_lie(model, plan, state, w, result, [&](StepPlan of_resting, State& resting) {
      contact_interval(model, of_resting, resting, w, result, clock);
    });
  else
    contact_interval(model, plan, state, w, result, clock);
  add_to_cells(result.touches, state.wall_cells);

  ++state.step;
  state.time_s = plan.end_s;
  report.step = state.step;
  report.time_s = state.time_s;
  report.bodies = total(bodies.ranks, std::ssize(bodies.position));
  report.asleep = state.sleepers.sums.bodies;
  choose_next_steps(model, plan, w, report, state);
  report.energy.boundary_work += energy_of_carried(model, bodies) - carried_before;
  close_machine(model, state, machine_before.kinetic + machine_before.potential, result);
  close_balances(model, bodies, energy_before, state.memory.elastic, report);
  state.memory.elastic = report.energy.elastic;
  if (settings.stepping == Stepping::contacts) look_at_walls(model, plan, state, w, report.coarseness);
  report_cell(model, state, plan.h, result);
  clear_broken(state);
  clock.charge(report.time.finish);
}

}  // namespace

const StepReport& step(const Model& model, State& state, Workspace& w, StepResult& result, double land_at_s) {
  using Kind = StepFailure::Kind;
  result.failure = {};
  try {
    whole_step(model, state, w, result, land_at_s);
    result.failure = failure_after(model, state, result);
  } catch (const CrowdedBoxes& crowded) {
    result.failure = {Kind::crowded, std::string(crowded.what()) + "; the fastest is " +
                                         broken_body(model, state.bodies) +
                                         "; a smaller time_step or a smaller force may help: prescribed "
                                         "motions and motors without `most` can exert any force"};
  } catch (const ActuatorFailure& failure) {
    result.failure = {Kind::actuator,
                      std::string("the equations of a model have no solution: ") + failure.what()};
  }
  return result.report;
}

}  // namespace scree
