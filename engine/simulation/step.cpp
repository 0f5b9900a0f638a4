// The method, one stage after the other (docs/model.md has the equations).
#include "engine/simulation/step.h"

#include <chrono>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"
#include "engine/simulation/body_order.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/sleep.h"
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

double mechanical_energy(const Bodies& bodies, const Vec3& gravity) {
  const BodySums sums = body_sums(bodies, gravity);
  return sums.kinetic + sums.potential;
}

/// Energetic impacts, before gravity and lasting contacts act: the problem starts from the velocities after
/// them.
void strike(const Settings& settings, const Bodies& bodies, double h, Workspace& w) {
  w.impact.clear();
  if (settings.restitution_law != RestitutionLaw::energetic) return;
  w.struck.resize(bodies.size());
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    w.struck[i] = {bodies.linear_velocity[i], bodies.angular_velocity[i]};
  });
  resolve_impacts(w.problem, {h, settings.restitution_threshold_m_s}, w.struck, w.impact);
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (!bodies.is_asleep(i))
      w.problem.free_velocity[i] = {w.struck[i].linear + h * settings.gravity, w.struck[i].angular};
  });
}

/// Adds the impulses of the impacts to those of the solution, and starts the problem from the velocities
/// before them again, so that all balances see the whole step.
void add_impacts(const Settings& settings, const Bodies& bodies, double h, Workspace& w) {
  if (w.impact.empty()) return;
  for_each_index(w.impact.size(), grain_light, [&](std::size_t c) {
    w.solution.impulse[c] += w.impact[c];
    if (!w.solution.impulse_on_b.empty()) w.solution.impulse_on_b[c] -= w.impact[c];
  });
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (!bodies.is_asleep(i))
      w.problem.free_velocity[i] = {bodies.linear_velocity[i] + h * settings.gravity,
                                    bodies.angular_velocity[i]};
  });
}

void take_velocities(const ContactSolution& solution, Bodies& bodies) {
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    bodies.linear_velocity[i] = solution.velocity[i].linear;
    bodies.angular_velocity[i] = solution.velocity[i].angular;
  });
}

void detect(const Model& model, State& state, Workspace& w, StepReport& report) {
  const Settings& settings = model.settings;
  const double free_speed = settings.gravity.norm() * settings.time_step_s;
  const DetectionReport found =
      find_contacts({model.shapes, state.bodies, model.boundaries, settings.time_step_s, free_speed},
                    state.memory, w.detection, w.contacts);
  report.candidates = found.candidates;
  report.narrow_phase_failures = found.failures;
  remember_pairs(w.detection, state.memory);
}

void take_solve_report(const SolveReport& solve, double velocity_scale, StepReport& report) {
  report.status = solve.status;
  report.sweeps += solve.sweeps;
  report.residual_rms_m_s = solve.residual.rms_m_s;
  report.residual_max_m_s = solve.residual.max_m_s;
  report.residual_rms_relative = velocity_scale > 0.0 ? solve.residual.rms_m_s / velocity_scale : 0.0;
}

/// Impulses and velocities after a (sub)step of h, and how overlaps are corrected: are they?
bool resolve(const Model& model, const State& state, double h, Workspace& w, StepReport& report) {
  const SolverSettings& settings = model.settings.solver;
  assemble(model, state.bodies, w.contacts, state.memory, h, w.problem);
  strike(model.settings, state.bodies, h, w);
  const bool split = settings.position_correction == PositionCorrection::split;
  const SolveReport solved = split ? solve(w.problem, settings, w.solver, w.solution)
                                   : solve_with_bias(w.problem, settings, h, w.solver, w.solution);
  const bool corrected = split ? correct_positions(w.problem, settings, h, w.solver, w.solution) : true;
  take_solve_report(solved, w.problem.velocity_scale, report);
  return corrected;
}

/// Energies and momenta at the end of the step, and what is left of the ledger.
void close_balances(const Model& model, const Bodies& bodies, double energy_before, StepReport& report) {
  EnergyLedger& e = report.energy;
  const BodySums sums = body_sums(bodies, model.settings.gravity);
  e.kinetic = sums.kinetic;
  e.potential = sums.potential;
  const double change = e.kinetic + e.potential - energy_before;
  e.remainder = change + e.dissipated_by_friction + e.dissipated_by_impact + e.dissipated_by_sleep -
                e.position_correction - e.boundary_work;
  report.energy_injected_J = std::max(0.0, change);
  report.linear_momentum = sums.linear;
  report.angular_momentum = sums.angular;
}

}  // namespace

StepReport step(const Model& model, State& state, Workspace& w) {
  StepReport report;
  StageClock clock;
  Bodies& bodies = state.bodies;
  const Settings& settings = model.settings;
  const double h = settings.time_step_s / settings.substeps;
  if (settings.sort_interval > 0 && state.step % settings.sort_interval == 0)
    sort_bodies(model.shapes, state);
  const double energy_before = mechanical_energy(bodies, settings.gravity);

  for (int substep = 0; substep < settings.substeps; ++substep) {
    drift(bodies, 0.5 * h);
    clock.charge(report.time.preparation);

    bool corrected = false;
    for (int attempt = 0;; ++attempt) {  // once, unless sleepers are struck
      if (substep == 0 || attempt > 0)
        detect(model, state, w, report);
      else
        advance_contacts(w.problem, w.solution, w.motion, h, w.contacts);
      clock.charge(report.time.detection);
      corrected = resolve(model, state, h, w, report);
      clock.charge(report.time.resolution);
      if (!wake_struck(model, h, attempt, w, state, report)) break;
    }

    remember(w.problem, w.solution, w, state.memory);
    add_impacts(settings, bodies, h, w);
    balance_contacts(w.problem, w.solution, bodies, state.sleepers.sums, w.motion, w.in_collision, report);
    take_velocities(w.solution, bodies);
    if (corrected) {
      report.energy.position_correction -= mechanical_energy(bodies, settings.gravity);
      move_by_correction(bodies, w.solution.correction, h);
      report.energy.position_correction += mechanical_energy(bodies, settings.gravity);
    }
    drift(bodies, 0.5 * h);
    clock.charge(report.time.finish);
  }
  wake_and_fall_asleep(model, h, w, state, report);

  ++state.step;
  state.time_s = static_cast<double>(state.step) * settings.time_step_s;
  report.step = state.step;
  report.time_s = state.time_s;
  report.bodies = static_cast<std::int64_t>(bodies.size());
  report.asleep = state.sleepers.sums.bodies;
  close_balances(model, bodies, energy_before, report);
  clock.charge(report.time.finish);
  return report;
}

}  // namespace scree
