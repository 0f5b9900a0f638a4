// The method, one stage after the other (docs/model.md has the equations).
#include "engine/simulation/interval.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"
#include "engine/simulation/coarseness.h"
#include "engine/simulation/halving.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/phases.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/restitution.h"
#include "engine/simulation/subsystems/bond_block.h"
#include "engine/simulation/subsystems/bonds.h"
#include "engine/simulation/subsystems/cell_flow.h"
#include "engine/simulation/subsystems/cohesion.h"
#include "engine/simulation/subsystems/contact_springs.h"
#include "engine/simulation/subsystems/parts.h"
#include "engine/simulation/subsystems/sleep.h"
#include "engine/solver/impacts.h"

namespace scree {

namespace {

// Limit of repeated solutions of a step without the bonds that it broke.
constexpr int most_breaks = 16;

double largest(const std::vector<Vec3>& vectors) {
  double most = 0.0;
  for (const Vec3& v : vectors) most = std::max(most, v.squaredNorm());
  return std::sqrt(most);
}

/// The range and time of the contact search.
struct Outlook {
  double middle_s, interval_s;
  double motion_s;     // about the middle: boundaries move with their mean velocities over it
  double reach = 0.0;  // m
  bool bonds_are_due = false;
};

/// Finds contacts in the middle of an interval, if they are relevant for it or their gap is within reach;
/// wakes sleeping bodies that a moving boundary reaches.
void detect(const Model& model, State& state, const Outlook& outlook, Workspace& w, StepReport& report) {
  const auto& [middle_s, interval_s, motion_s, reach, bonds_are_due] = outlook;
  const double by_forces = most(state.bodies.ranks, largest(w.body_acceleration));
  const double free_speed =
      (w.gravity.norm() + by_forces) * interval_s + speed_across_cell(model, state.bodies, interval_s, w);
  const auto fill_filter = [&](CollisionFilter& filter) { list_bonded(model, state, w, filter); };
  do {
    Halo* const halo = w.decomposition ? w.decomposition->attach_halo(w.cell, state) : nullptr;
    const DetectionReport found =
        find_contacts({model.shapes, state.bodies, model.boundaries, middle_s, interval_s, free_speed,
                       w.boundary_pose, w.cell, std::max(model.materials.farthest_bridge(), reach),
                       std::cref(fill_filter), halo, bonds_are_due, motion_s},
                      w.detection, {state.contacts, state.cached_normals, state.cached});
    if (halo != nullptr) w.decomposition->detach_halo();
    report.candidates = total(state.bodies.ranks, found.candidates);
    report.narrow_phase_failures += total(state.bodies.ranks, found.failures);
  } while (wake_pushed(model, state, report));
  if (model.materials.are_elastic()) pass_springs_on(state);
}

/// Boundaries of contacts that move on: in the middle of the interval, with their mean velocities over
/// motion_s.
void move_boundaries_on(const Model& model, double middle_s, double motion_s, Workspace& w) {
  for (std::size_t k = 0; k < w.detection.boundaries.size(); ++k) {
    const BoundaryPose pose = boundary_pose_of(w.boundary_pose, k);
    if (pose.moves()) w.detection.boundaries[k] = place(model.boundaries[k], pose, middle_s, motion_s);
  }
}

/// Energetic impacts, before gravity and lasting contacts act: the solution starts from the velocities
/// after them.
void collision_impulse(const Model& model, const Bodies& bodies, double h, Workspace& w) {
  w.impact.clear();
  w.row_impact.clear();
  if (model.settings.restitution_law != RestitutionLaw::energetic) return;
  const std::vector<std::uint8_t> prevented = prevented_impacts(model, h, w);
  std::vector<Twist>& velocity = w.problem.free_velocity;
  velocity = w.before;
  resolve_impacts(w.problem, {h, model.settings.restitution_threshold_m_s, prevented}, velocity, w.impact,
                  w.row_impact);
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (!w.problem.is_moved(i)) return;
    velocity[i].linear += h * acceleration(w, i);
    if (!w.own.empty()) velocity[i].angular += h * spin_by_own_forces(bodies, i, w);
  });
  push_parts(w);
  pull(w);
}

/// Impulses and velocities after a (sub)step of h, and the correction of overlaps; true if there is one.
bool resolve(const Model& model, State& state, const Interval& interval, Workspace& w, SolveReport& solved) {
  const SolverSettings& settings = model.settings.solver;
  const double h = interval.h;
  if (w.decomposition) w.decomposition->enter_problem(model, state, w.body_acceleration);
  assemble(model, state, interval, w);
  collision_impulse(model, state.bodies, h, w);
  const bool split = settings.position_correction == PositionCorrection::split;
  solved = solve_with_restitution(model, h, w);
  tell_contradictions(model, state, w, solved);
  set_cell_rate(CellRate::after, w);
  const bool corrected = split ? correct_positions(w.problem, settings, h, w.solver, w.solution) : true;
  for (std::size_t r = 0; r < w.row_impact.size(); ++r) w.solution.row_impulse[r] += w.row_impact[r];
  return corrected;
}

/// Stores the worst values of the substeps. Solved means within the goal, for each solver:
/// `one_pass` does not check it.
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
  report.given_rms_m_s = std::max(report.given_rms_m_s, solve.given_rms_m_s);
  report.residual_rms_relative = p.gravity_speed > 0.0 ? report.residual_rms_m_s / p.gravity_speed : 0.0;
}

/// The last interval that has been completed.
struct LastInterval {
  double h;         // s, its length
  double looked_s;  // length of the following interval to which it looked ahead: that is not longer
};

/// Arguments of an interval.
struct IntervalParts {
  const Model& model;
  State& state;
  Workspace& w;
  StepResult& result;
  StageClock& clock;
  LastInterval& last;
};

/// Contacts in the middle of the interval (found, or those of the last interval moved on) and their
/// solution; once, unless sleeping bodies are struck or bonds break. Returns whether there is a correction
/// of overlaps.
bool find_and_solve(const IntervalParts& in, const IntervalTimes& times, bool find, SolveReport& solved) {
  const auto& [model, state, w, result, clock, last] = in;
  StepReport& report = result.report;
  w.broken.clear();
  w.formed.reset();
  const double middle = times.middle_s(), h = times.h, motion = times.to_next_s(),
               outlook = motion * model.settings.substeps;
  if (find && bonds_are_due(model, state, times.begin_s)) {
    detect(model, state, {middle, outlook, motion, reach_of_bonds(model, state, times.begin_s), true}, w,
           report);
    if (w.decomposition) w.decomposition->attach_halo(w.cell, state);  // the ghosts of the detection
    form_bonds(model, times.begin_s, w, state, result);
    if (w.decomposition) {
      w.decomposition->detach_halo();
      w.decomposition->expect_bonds();
    }
  }
  for (int attempt = 0;; ++attempt) {
    if (w.decomposition) w.decomposition->leave_problem(state);
    if (find || attempt > 0)
      detect(model, state, {middle, outlook, motion}, w, report);
    else
      move_boundaries_on(model, middle, motion, w);
    clock.charge(report.time.detection);
    const bool corrected = resolve(model, state, {h, middle, times.to_next_s()}, w, solved);
    clock.charge(report.time.resolution);
    if (wake_struck(model, h, attempt, w, state, report)) continue;
    if (attempt == most_breaks || !break_bonds(model, h, state, w)) return corrected;
  }
}

/// Separates overlapping bodies, which takes no time and changes no momentum.
void correct(const Model& model, double h, const Workspace& w, Bodies& bodies, StepReport& report) {
  report.energy.position_correction -= mechanical_energy(bodies, model.settings.gravity);
  move_by_correction(bodies, w.solution.correction, h);
  report.energy.position_correction += mechanical_energy(bodies, model.settings.gravity);
}

void advance(const IntervalParts& in, const IntervalTimes& times, bool carry_contacts, int halvings);

/// Undoes an interval.
void take_back(const IntervalParts& in, const IntervalTimes& times, int sweeps) {
  const auto& [model, state, w, result, clock, last] = in;
  ++result.report.halvings;
  result.report.sweeps += sweeps;
  undo_bonds(w, state, result);
  if (w.decomposition) w.decomposition->leave_problem(state);
  move_back(model, times, state);
}

/// Advances by an interval that has not begun.
void advance_by_halves(const IntervalParts& in, const IntervalTimes& times, int halvings) {
  const double half = 0.5 * times.h;
  scale_impulses(0.5, in.state);
  advance(in, {times.begin_s, half, half}, false, halvings - 1);
  advance(in, {times.middle_s(), half, times.next_h}, false, halvings - 1);
  scale_impulses(2.0, in.state);  // forces times h
}

/// Advances by an interval. If bodies rotate too far or are shot away, it is halved, `halvings` times at
/// most.
void advance(const IntervalParts& in, const IntervalTimes& times, bool carry_contacts, int halvings) {
  const auto& [model, state, w, result, clock, last] = in;
  StepReport& report = result.report;
  const double h = times.h;
  if (halvings > 0 && h > last.looked_s * (1.0 + step_rounding))
    return advance_by_halves(in, times, halvings);
  move_half(model, times, times.middle_s(), state, w);
  if (carry_contacts) advance_contacts(w, h, state.contacts);
  prepare(model, times, state, w);
  clock.charge(report.time.preparation);

  SolveReport solved;
  const bool corrected = find_and_solve(in, times, !carry_contacts, solved);
  const bool by_contacts = model.settings.stepping == Stepping::contacts;
  if (halvings > 0 && by_contacts && is_shot_away(model, state, times.to_next_s(), w)) {
    take_back(in, times, solved.sweeps);
    // The next interval is short as well, otherwise the second half would look as far ahead as the whole.
    return advance_by_halves(in, {times.begin_s, h, std::min(times.next_h, 0.5 * h)}, halvings);
  }
  if (halvings > most_halvings - most_by_turns && turns_too_far(model, state, times.to_next_s(), w)) {
    take_back(in, times, solved.sweeps);
    return advance_by_halves(in, times, halvings);
  }
  last = {h, times.next_h};
  book_sleepers(state, w, report);

  take_solve_report(solved, w.problem, model.settings.solver.tolerance, report);
  look_at_turns(model, h, state, w, report.coarseness);
  report.unreturned_J += unreturned_energy(model, state, {h, times.middle_s(), times.to_next_s()}, w);
  take(model, times, state, w, result);
  if (corrected) correct(model, h, w, state.bodies, report);
  if (w.decomposition) w.decomposition->leave_problem(state);
  add_contact_moment(model, state, w, result);
  move_half(model, times, times.begin_s + h, state, w);
  clock.charge(report.time.finish);
}

}  // namespace

void contact_interval(const Model& model, StepPlan& plan, State& state, Workspace& w, StepResult& result,
                      StageClock& clock) {
  const Settings& settings = model.settings;
  const double h = plan.h / settings.substeps, next_h = plan.next_h / settings.substeps;
  carry_impulses_to(plan.h, state);

  // Contacts that are moved on are not valid in other intervals.
  const int halvings = settings.substeps > 1 ? 0 : most_halvings;
  follow_flow(model, plan.h, state, result.report);
  const bool is_free = settings.adaptive_step || !(state.memory.next_s > 0.0);
  LastInterval last{h, is_free ? infinity : state.memory.next_s};
  const IntervalParts parts{model, state, w, result, clock, last};
  for (int substep = 0; substep < settings.substeps; ++substep) {
    const bool is_last = substep + 1 == settings.substeps;
    // Springs know no errors: where a body rolls, contacts that move with its surface would give energy.
    const bool carry_contacts = substep > 0 && !model.materials.are_elastic();
    advance(parts, {state.time_s + substep * h, h, is_last ? next_h : h}, carry_contacts, halvings);
  }
  if (last.looked_s < next_h * (1.0 - step_rounding)) plan.most_next_h = last.looked_s;
  wake_and_fall_asleep(model, last.h, w, state, result.report);
}

}  // namespace scree
