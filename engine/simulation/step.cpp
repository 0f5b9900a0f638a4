// The method, one stage after the other (docs/model.md has the equations).
#include "engine/simulation/step.h"

#include <chrono>
#include <cmath>

#include "engine/core/actuator_model.h"
#include "engine/core/parallel.h"
#include "engine/detection/crowded_boxes.h"
#include "engine/simulation/actuators.h"
#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/assemble.h"
#include "engine/simulation/balance.h"
#include "engine/simulation/bonds.h"
#include "engine/simulation/cell_flow.h"
#include "engine/simulation/coarseness.h"
#include "engine/simulation/cohesion.h"
#include "engine/simulation/halving.h"
#include "engine/simulation/insertion.h"
#include "engine/simulation/kinematic_groups.h"
#include "engine/simulation/machine.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/mounts.h"
#include "engine/simulation/newcomers.h"
#include "engine/simulation/piecewise.h"
#include "engine/simulation/population.h"
#include "engine/simulation/restitution.h"
#include "engine/simulation/sleep.h"
#include "engine/simulation/step_failure.h"
#include "engine/solver/impacts.h"

namespace scree {

namespace {

/// Adds the time since the last call to a stage.
class StageClock {
 public:
  void charge(double& stage) {
    const auto now = std::chrono::steady_clock::now();
    stage += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// How often a step is solved anew without the bonds that it broke.
constexpr int most_breaks = 16;

double largest(const std::vector<Vec3>& vectors) {
  double most = 0.0;
  for (const Vec3& v : vectors) most = std::max(most, v.norm());
  return most;
}

/// Which contacts are looked for, and when.
struct Outlook {
  double middle_s, interval_s;
  double reach = 0.0;  // m
};

/// Contacts in the middle of an interval, as far as they matter for it or their gap is within reach; sleepers
/// that a moving boundary comes to wake.
void detect(const Model& model, State& state, const Outlook& outlook, Workspace& w, StepReport& report) {
  const auto& [middle_s, interval_s, reach] = outlook;
  list_bonded(model, state, w);
  const double free_speed = (w.gravity.norm() + largest(w.body_acceleration)) * interval_s +
                            speed_across_cell(model, state.bodies, interval_s, w);
  do {
    const DetectionReport found = find_contacts(
        {model.shapes, state.bodies, model.boundaries, middle_s, interval_s, free_speed, w.boundary_pose,
         w.cell, std::max(model.materials.farthest_bridge(), reach), &w.bonded},
        w.detection, {state.contacts, state.cached_normals, state.cached});
    report.candidates = found.candidates;
    report.narrow_phase_failures = found.failures;
  } while (wake_pushed(model, state, report));
}

/// Energetic impacts, before gravity and lasting contacts act: the solution begins with the velocities after
/// them.
void collision_impulse(const Model& model, const Bodies& bodies, double h, Workspace& w) {
  w.impact.clear();
  if (model.settings.restitution_law != RestitutionLaw::energetic) return;
  const std::vector<std::uint8_t> prevented = prevented_impacts(model, h, w);
  std::vector<Twist>& velocity = w.problem.free_velocity;
  velocity = w.before;
  resolve_impacts(w.problem, {h, model.settings.restitution_threshold_m_s, prevented}, velocity, w.impact);
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (w.problem.is_moved(i)) velocity[i].linear += h * acceleration(w, i);
  });
  push_mounts(w);
  pull(w);
}

void take_velocities(const ContactSolution& solution, Bodies& bodies) {
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    bodies.linear_velocity[i] = to_vec3(solution.velocity[i].linear);
    bodies.angular_velocity[i] = to_vec3(solution.velocity[i].angular);
  });
}

/// Keeps what is worst of the substeps. Solved is what is within the goal, whichever solver it was:
/// `one_pass` does not look at it.
void take_solve_report(const SolveReport& solve, const ContactProblem& p, double tolerance,
                       StepReport& report) {
  const double goal = tolerance * p.velocity_scale, rms = solve.residual.rms_m_s;
  const bool solved = solve.status != SolveStatus::diverged && rms <= goal;
  report.status = std::max(
      report.status, solved ? SolveStatus::converged : std::max(solve.status, SolveStatus::iteration_limit));
  if (goal > 0.0) report.residual_over_goal = std::max(report.residual_over_goal, rms / goal);
  report.sweeps += solve.sweeps;
  report.velocity_scale_m_s = p.velocity_scale;
  report.residual_rms_m_s = std::max(report.residual_rms_m_s, solve.residual.rms_m_s);
  report.residual_max_m_s = std::max(report.residual_max_m_s, solve.residual.max_m_s);
  report.residual_rms_relative = p.gravity_speed > 0.0 ? report.residual_rms_m_s / p.gravity_speed : 0.0;
}

/// Impulses and velocities after a (sub)step of h, and how overlaps are corrected: are they?
bool resolve(const Model& model, State& state, const Interval& interval, Workspace& w, SolveReport& solved) {
  const SolverSettings& settings = model.settings.solver;
  const double h = interval.h;
  assemble(model, state, interval, w);
  collision_impulse(model, state.bodies, h, w);
  const bool split = settings.position_correction == PositionCorrection::split;
  solved = solve_with_restitution(model, h, w);
  set_cell_rate(CellRate::after, w);
  const bool corrected = split ? correct_positions(w.problem, settings, h, w.solver, w.solution) : true;
  return corrected;
}

/// Energies and momenta at the end of the step, and what is left of the ledger.
void close_balances(const Model& model, const Bodies& bodies, double energy_before, double elastic_before,
                    StepReport& report) {
  EnergyLedger& e = report.energy;
  const BodySums sums = body_sums(bodies, model.settings.gravity);
  e.kinetic = sums.kinetic;
  e.potential = sums.potential;
  const double change = e.kinetic + e.potential - energy_before;
  e.remainder = change + e.dissipated_by_friction + e.dissipated_by_impact + e.dissipated_by_sleep -
                e.position_correction - e.boundary_work - e.force_work - e.joint_work - e.exchanged;
  report.energy_injected_J = std::max(0.0, change + e.elastic - elastic_before - e.exchanged -
                                               std::max(0.0, e.boundary_work) - std::max(0.0, e.force_work));
  report.linear_momentum = sums.linear;
  report.angular_momentum = sums.angular;
}

/// What an interval of a step works on.
struct StepParts {
  const Model& model;
  State& state;
  Workspace& w;
  StepResult& result;
  StageClock& clock;
};

/// Advances by h from `begin_s`: drift, contacts, solution, balances, drift. Contacts are found, or those of
/// the last interval carried along. Where bodies turn too far it is taken back and done as two halves,
/// `halvings` times at most.
void advance(StepParts& in, double begin_s, double h, double next_h, bool carry_contacts, int halvings) {
  auto& [model, state, w, result, clock] = in;
  StepReport& report = result.report;
  Bodies& bodies = state.bodies;
  const Settings& settings = model.settings;
  const double middle = begin_s + 0.5 * h;
  drift(bodies, 0.5 * h);
  lead_bodies(model, middle, begin_s, h, state, w);
  drift_mounts(model, 0.5 * h, state);
  if (carry_contacts) advance_contacts(w, h, state.contacts);
  apply_forces(model, state, h, middle, w);
  apply_mount_forces(model, state, h, middle, w);
  w.cell = cell_at(model, state, middle);
  clock.charge(report.time.preparation);

  const double to_next = 0.5 * (h + next_h);
  if (!carry_contacts && bonds_are_due(model, state, begin_s)) {
    detect(model, state, {middle, to_next * settings.substeps, reach_of_bonds(model, state, begin_s)}, w,
           report);
    form_bonds(model, begin_s, w.cell, state, result);
  }
  bool corrected = false;
  SolveReport solved;
  w.broken.clear();
  for (int attempt = 0;; ++attempt) {  // once, unless sleepers are struck or bonds break
    if (!carry_contacts || attempt > 0)
      detect(model, state, {middle, to_next * settings.substeps}, w, report);
    clock.charge(report.time.detection);
    corrected = resolve(model, state, {h, middle, to_next}, w, solved);
    clock.charge(report.time.resolution);
    if (wake_struck(model, h, attempt, w, state, report)) continue;
    if (attempt == most_breaks || !break_bonds(model, h, state, w)) break;
  }

  if (halvings > 0 && turns_too_far(model, state, to_next, w)) {
    ++report.halvings;
    mend_bonds(state, w);
    report.sweeps += solved.sweeps;
    drift(bodies, -0.5 * h);
    drift_mounts(model, -0.5 * h, state);
    scale_impulses(0.5, state);
    advance(in, begin_s, 0.5 * h, 0.5 * h, false, halvings - 1);
    advance(in, middle, 0.5 * h, next_h, false, halvings - 1);
    scale_impulses(2.0, state);  // forces over h
    return;
  }

  take_solve_report(solved, w.problem, settings.solver.tolerance, report);
  look_at_turns(model, h, state, w, report.coarseness);
  report.unreturned_J += unreturned_energy(model, state, {h, middle, to_next}, w);
  set_cell_rate(CellRate::mean, w);
  take_impulses(model, h, w, state, result);
  take_bonds(model, h, state, w, result);
  take_velocities(w.solution, bodies);
  take_mounts(model, h, w, state, result);
  take_joints(model, h, w, state, result);
  take_actuators(model, begin_s, h, result, state);
  take_cell(model, begin_s, h, w, state);
  if (corrected) {
    report.energy.position_correction -= mechanical_energy(bodies, settings.gravity);
    move_by_correction(bodies, w.solution.correction, h);
    report.energy.position_correction += mechanical_energy(bodies, settings.gravity);
  }
  drift(bodies, 0.5 * h);
  lead_bodies(model, begin_s + h, begin_s, h, state, w);
  drift_mounts(model, 0.5 * h, state);
  clock.charge(report.time.finish);
}

/// All bodies through a step in which contacts carry them.
void contact_interval(const Model& model, const StepPlan& plan, State& state, Workspace& w,
                      StepResult& result, StageClock& clock) {
  const Settings& settings = model.settings;
  const double h = plan.h / settings.substeps, next_h = plan.next_h / settings.substeps;
  carry_impulses_to(plan.h, state);

  // Contacts that are carried along know nothing of other intervals, nor do those of sleepers.
  const int halvings = settings.substeps > 1 || settings.sleep.is_on() ? 0 : most_halvings;
  follow_flow(model, plan.h, state, result.report);
  StepParts parts{model, state, w, result, clock};
  for (int substep = 0; substep < settings.substeps; ++substep)
    advance(parts, state.time_s + substep * h, h, substep + 1 < settings.substeps ? h : next_h, substep > 0,
            halvings);
  wake_and_fall_asleep(model, h, w, state, result.report);
}

/// Those that the first half step would lead into something wait for it; what that changes of their height is
/// booked like other moves without a velocity.
void start_newcomers(const Model& model, BodyId first, double h, State& state, StepReport& report) {
  if (state.bodies.next_id == first) return;
  const Vec3& gravity = model.settings.gravity;
  const double before = potential_energy(state.bodies, gravity);
  if (hold_back_newcomers(model, first, h, state) > 0)
    report.energy.position_correction += potential_energy(state.bodies, gravity) - before;
}

void whole_step(const Model& model, State& state, Workspace& w, StepResult& result, double land_at_s) {
  StepReport& report = result.report = {};
  result.boundaries.assign(model.boundaries.size(), {});
  result.mounts.assign(model.mounts.size(), {});
  result.joints.assign(model.joints.size(), {});
  result.machine = {};
  result.kinematic_groups.assign(model.kinematic_groups.size(), {});
  result.bonds.clear();
  result.impacts.clear();
  start_mounts(model.mounts, state);
  const MountEnergy machine_before = machine_energy(model, state);
  StageClock clock;
  Bodies& bodies = state.bodies;
  const Settings& settings = model.settings;
  const double energy_before = mechanical_energy(bodies, settings.gravity),
               led_before = energy_of_led(bodies, settings.gravity);
  const BodyId first_new = state.step == 0 ? 0 : bodies.next_id;
  insertion(model, state, report);
  StepPlan plan = plan_step(model, state, land_at_s);
  report.time_step_s = plan.h;
  if (settings.stepping == Stepping::contacts)
    start_newcomers(model, first_new, plan.h / settings.substeps, state, report);
  if (settings.sort_interval > 0 && state.step % settings.sort_interval == 0)
    sort(model.shapes, state, cell_at(model, state, state.time_s));
  if (settings.stepping == Stepping::piecewise)
    plan = fly_and_lie(model, plan, state, w, result, [&](const StepPlan& of_resting, State& resting) {
      contact_interval(model, of_resting, resting, w, result, clock);
    });
  else
    contact_interval(model, plan, state, w, result, clock);
  clear_broken(state);

  ++state.step;
  state.time_s = plan.end_s;
  report.step = state.step;
  report.time_s = state.time_s;
  report.bodies = static_cast<std::int64_t>(bodies.size());
  report.asleep = state.sleepers.sums.bodies;
  choose_next_steps(model, plan, w.problem, report, state);
  report.energy.boundary_work += energy_of_led(bodies, settings.gravity) - led_before;
  close_machine(model, state, machine_before.kinetic + machine_before.potential, result);
  close_balances(model, bodies, energy_before, state.memory.elastic, report);
  state.memory.elastic = report.energy.elastic;
  if (settings.stepping == Stepping::contacts) look_at_walls(model, plan, state, w, report.coarseness);
  report_cell(model, state, plan.h / settings.substeps, w, result.cell);
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
                                         "; a smaller time_step may help, or less force: what is led, and a "
                                         "motor without `most`, has any"};
  } catch (const ActuatorFailure& failure) {
    result.failure = {Kind::actuator,
                      std::string("the equations of a model have no solution: ") + failure.what()};
  }
  return result.report;
}

}  // namespace scree
