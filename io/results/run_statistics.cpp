#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/order_statistic.h"
#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/observables.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/parts.h"
#include "io/results/summary.h"

namespace scree::io {

namespace {

/// Median over the last sixth of the steps, at least one: so the start, when few bodies touch, does not
/// count.
double median_of_last_sixth(const std::vector<double>& times) {
  if (times.empty()) return 0.0;
  const auto count = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, times.size() / 6));
  return order_statistic(std::vector<double>(times.end() - count, times.end()), 0.5);
}

double over(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

/// Stores one of many values, counted from 0: first all of them, then each second, fourth and so on, as many
/// as a median needs.
void keep_evenly(std::int64_t number, double value, std::vector<double>& kept) {
  constexpr std::int64_t most = 1 << 16;
  std::int64_t every = 1;
  while (number / every >= most) every *= 2;
  if (number % every != 0) return;
  if (kept.size() == static_cast<std::size_t>(most)) {
    for (std::size_t k = 0; 2 * k < kept.size(); ++k) kept[k] = kept[2 * k];
    kept.resize(kept.size() / 2);
  }
  kept.push_back(value);
}

/// May the motor fail to keep to its speed or position?
bool is_limited(const JointMotor& motor) {
  return (motor.kind == JointMotor::Kind::speed || motor.kind == JointMotor::Kind::position) &&
         std::isfinite(motor.most);
}

/// The body which a part presses hardest after a step, and what that body presses hardest besides the part.
void find_pinched(const Model& model, std::size_t part, const State& state, Pinch& pinch) {
  const Bodies& bodies = state.bodies;
  const auto belongs = [&](std::int32_t partner) {
    const std::int32_t of = is_boundary(partner)  ? model.boundaries[boundary_of(partner)].part
                            : bodies.part.empty() ? Bodies::no_part
                                                  : bodies.part[static_cast<std::size_t>(partner)];
    return of == static_cast<std::int32_t>(part);
  };
  std::int32_t pinched = -1;
  float most = 0.0f;
  for (const Contact& c : state.contacts.list) {
    const bool a_is = belongs(c.key.a), b_is = belongs(c.key.b);
    if (a_is == b_is || !(c.impulse.norm() > most)) continue;
    most = c.impulse.norm();
    pinched = a_is ? c.key.b : c.key.a;
  }
  if (pinched < 0) return;
  pinch.body = bodies.id[static_cast<std::size_t>(pinched)];
  pinch.place = bodies.position[static_cast<std::size_t>(pinched)];
  most = 0.0f;
  for (const Contact& c : state.contacts.list) {
    if (c.key.a != pinched && c.key.b != pinched) continue;
    const std::int32_t other = c.key.a == pinched ? c.key.b : c.key.a;
    if (belongs(other) || !(c.impulse.norm() > most)) continue;
    most = c.impulse.norm();
    pinch.against = is_boundary(other) ? "boundary '" + model.boundaries[boundary_of(other)].name + "'"
                                       : "body " + std::to_string(bodies.id[static_cast<std::size_t>(other)]);
  }
}

Moment moment(const StepReport& r) { return {r.step, r.time_s, r.time_step_s}; }

bool any_bounces(const Materials& materials) {
  const auto count = static_cast<std::int64_t>(materials.size());
  for (std::int64_t a = 0; a < count; ++a) {
    for (std::int64_t b = 0; b <= a; ++b) {
      if (materials.law(MaterialIndex(a), MaterialIndex(b)).restitution > 0.0) return true;
    }
  }
  return false;
}

/// Objects with prescribed motion at any force, as texts.
std::vector<std::string> unyielding(const Model& model) {
  std::vector<std::string> found;
  for (const Part& part : model.parts)
    if (!part.motion.is_none()) found.push_back("part '" + part.name + "'");
  for (const MachineJoint& joint : model.joints) {
    const JointMotor& motor = joint.motor;
    const bool rigid =
        motor.kind == JointMotor::Kind::speed ||
        (motor.kind == JointMotor::Kind::position && motor.stiffness == 0.0 && motor.damping == 0.0);
    if (rigid && std::isinf(motor.most)) found.push_back("the motor of joint '" + joint.name + "'");
  }
  return found;
}

/// Mean of the bodies' smallest lengths, or of those from inlets, m.
double mean_length(const Scene& scene) {
  const Shapes& shapes = scene.model.shapes;
  double sum = 0.0;
  std::size_t count = 0;
  const auto add = [&](ShapeIndex shape) {
    sum += shapes.smallest_length(shape);
    ++count;
  };
  for (const ShapeIndex shape : scene.initial.bodies.shape) add(shape);
  for (const Inlet& inlet : scene.model.inlets)
    for (const InletGrain& grain : inlet.grains) add(grain.shape);
  return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

double gross_work(const EnergyLedger& e) {
  return std::abs(e.boundary_work) + std::abs(e.force_work) + std::abs(e.joint_work) +
         std::abs(e.position_correction);
}

/// For inlets, outlets and, if bodies may leave it, the domain.
std::vector<OpeningTotal> opening_totals(const Model& model, const State& state) {
  std::vector<OpeningTotal> totals;
  for (const std::string& name : part_names(ObservedKind::opening, model)) {
    const std::size_t k = totals.size();
    totals.push_back({name, k < model.inlets.size(), throughput(model, state, static_cast<std::int64_t>(k))});
  }
  return totals;
}

}  // namespace

namespace {
/// Energy that contacts took in a step, J; negative if they gave.
double taken_by_contacts(const StepReport& report) {
  return report.energy.dissipated_by_friction + report.energy.dissipated_by_impact;
}
}  // namespace

double created_energy(const StepReport& report) { return std::max(0.0, -taken_by_contacts(report)); }

RunStatistics::RunStatistics(const Scene& scene) : scene_(scene) {
  const Bodies& bodies = scene.initial.bodies;
  const Settings& settings = scene.model.settings;
  sums_.scene = scene.name;
  sums_.solver = to_string(settings.solver.kind);
  sums_.bodies = sums_.bodies_initial = static_cast<std::int64_t>(bodies.size());
  sums_.mass_initial = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
  sums_.boundaries = static_cast<std::int64_t>(scene.model.boundaries.size());
  sums_.adaptive_step = settings.adaptive_step;
  sums_.time_step_s = settings.time_step_s;
  sums_.sleeps = settings.sleep.is_on();
  sums_.bounces = any_bounces(scene.model.materials);
  sums_.unyielding = unyielding(scene.model);
  sums_.end_time_s = scene.end_time_s;
  for (const Event& event : scene.events) sums_.events.push_back({event.name, "", 0, {}, {}});
  for (const MachineJoint& joint : scene.model.joints)
    if (is_limited(joint.motor))
      sums_.motors.push_back(
          {joint.name, joint.motor.most, joint.coordinate == JointCoordinate::Kind::angle, 0, {}, {}});
  sums_.kinetic_initial_J = sums_.energy.kinetic = kinetic_energy(bodies);
  sums_.potential_initial_J = sums_.energy.potential = potential_energy(bodies, settings.gravity);
  potential_min_ = sums_.potential_initial_J;
  kinetic_most_J_ = sums_.kinetic_initial_J;
  mass_ = sums_.mass_initial;
  mean_length_ = mean_length(scene);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    momentum_before_ += bodies.mass[i] * bodies.linear_velocity[i].norm();
  pressing_.resize(scene.model.parts.size());
}

void RunStatistics::add(const StepReport& r) {
  ++sums_.steps;
  sums_.ended_by.clear();  // from a run that went further than the event that ended it
  sums_.least_time_step_s = std::min(sums_.least_time_step_s, r.time_step_s);
  sums_.largest_time_step_s = std::max(sums_.largest_time_step_s, r.time_step_s);
  sums_.last = r;
  sums_.stage_time += r.time;
  keep_evenly(sums_.steps - 1, r.time.total(), step_time_);
  add_overlap(r);
  add_residual(r);
  sums_.momentum_error_relative = std::max(sums_.momentum_error_relative, r.momentum_error_relative);
  sums_.angular_momentum_error_relative =
      std::max(sums_.angular_momentum_error_relative, r.angular_momentum_error_relative);
  gained_N_s_ += r.momentum_error_relative * r.impulse_size_N_s;
  gained_N_m_s_ += r.angular_momentum_error_relative * r.angular_impulse_size_N_m_s;
  impulse_size_N_s_ += r.impulse_size_N_s;
  impulse_size_N_m_s_ += r.angular_impulse_size_N_m_s;
  sums_.candidates += r.candidates;
  sums_.sweeps += r.sweeps;
  sums_.narrow_phase_failures += r.narrow_phase_failures;
  add_energy(r);
  add_coarseness(r);
  sums_.boundary_impulse += r.boundary_impulse;
  sums_.boundary_angular_impulse += r.boundary_angular_impulse;
  sums_.exchanged_momentum += r.insertion.linear_momentum;
  sums_.exchanged_angular_momentum += r.insertion.angular_momentum;
  sums_.sleep_impulse += r.sleep_impulse;
  sums_.sleep_angular_impulse += r.sleep_angular_impulse;
  sums_.woken += r.woken;
}

void RunStatistics::add(const Happening& h) {
  const Event& event = scene_.events[h.event];
  EventSummary& summary = sums_.events[h.event];
  summary.last = {h.step, h.time_s, sums_.last.time_step_s};
  if (summary.count++ == 0) summary.first = summary.last;
  summary.text = event_text(event, h.value);
  if (h.stops && sums_.ended_by.empty()) sums_.ended_by = event.name;
}

void RunStatistics::add_overlap(const StepReport& r) {
  if (r.compression_max > sums_.compression.value)
    sums_.compression = {r.compression_max, overlap_at(r.compressed, r),
                         2.0 * compression_before_ < r.compression_max};
  compression_before_ = r.compression_max;
  if (r.penetration_max > overlap_limit.amber) ++sums_.steps_overlapping;
  if (!(r.penetration_max > sums_.penetration_max_of_run)) return;
  sums_.penetration_max_of_run = r.penetration_max;
  sums_.deepest = overlap_at(r.deepest, r);
}

DeepestOverlap RunStatistics::overlap_at(const Touch& touch, const StepReport& r) const {
  const auto boundary = static_cast<std::size_t>(touch.boundary);
  const Boundaries& boundaries = scene_.model.boundaries;
  return {moment(r), touch.a, touch.b, boundary < boundaries.size() ? boundaries[boundary].name : "",
          r.residual_over_goal * scene_.model.settings.solver.tolerance};
}

void RunStatistics::add_residual(const StepReport& r) {
  sums_.residual_rms_relative_max = std::max(sums_.residual_rms_relative_max, r.residual_rms_relative);
  residual_sum_ += r.residual_rms_relative;
  const double given = over(r.given_rms_m_s, r.velocity_scale_m_s);
  if (given > 0.0) ++sums_.steps_given;
  given_sum_ += given;
  if (given > sums_.given_max) {
    sums_.given_max = given;
    sums_.given_most = moment(r);
  }
  if (r.residual_over_goal * scene_.model.settings.solver.tolerance + given > unsolved_residual)
    ++sums_.steps_unsolved;
  if (r.status == SolveStatus::converged) return;
  ++sums_.steps_not_converged;
  keep_evenly(sums_.steps_not_converged - 1, r.residual_over_goal, goal_missed_by_);
  if (r.residual_over_goal > far_from_goal) ++sums_.steps_far_from_goal;
  if (!(r.residual_over_goal > sums_.goal_missed_by_max)) return;
  sums_.goal_missed_by_max = r.residual_over_goal;
  sums_.goal_missed_most = moment(r);
}

void RunStatistics::add_energy(const StepReport& r) {
  const EnergyLedger& e = r.energy;
  add_step(sums_.energy, e);
  sums_.energy_injected_J += r.energy_injected_J;
  sums_.unreturned_J += r.unreturned_J;
  // Energy of inserted bodies was not released by falling.
  potential_min_ = std::min(potential_min_, e.potential - sums_.energy.exchanged);
  unexplained_most_J_ = std::max(unexplained_most_J_, std::abs(sums_.energy.remainder));
  gross_work_J_ += gross_work(e);
  kinetic_most_J_ = std::max(kinetic_most_J_, e.kinetic);
  mass_ += r.insertion.mass_entered - r.insertion.mass_left;
  weight_energy_J_ = std::max(weight_energy_J_, mass_ * scene_.model.settings.gravity.norm() * mean_length_);
  // The force of an impact belongs only to its step: the pressing value may at most double per step, and
  // decreases at once.
  const double pressing = r.time_step_s > 0.0 ? r.impulse_size_N_s / r.time_step_s * mean_length_ : 0.0;
  pressing_J_ = pressing_J_ > 0.0 ? std::min(pressing, 2.0 * pressing_J_) : pressing;

  taken_J_ += taken_by_contacts(r);
  taken_most_J_ = std::max(taken_most_J_, taken_J_);
  const double created = taken_most_J_ - taken_J_;
  if (!(created > created_J_)) return;
  created_J_ = created;
  sums_.energy_created_most = moment(r);
}

void RunStatistics::add_coarseness(const StepReport& r) {
  const auto keep_worst = [&](double value, const auto& whose, WorstStep& worst) {
    if (value > worst.value) worst = {value, whose(), moment(r)};
  };
  const auto boundary = [&](std::int32_t k) { return [this, k] { return scene_.model.boundaries[k].name; }; };
  keep_worst(r.coarseness.wall_travel, boundary(r.coarseness.travelling), sums_.wall_travel);
  keep_worst(r.coarseness.wall_detour, boundary(r.coarseness.detouring), sums_.wall_detour);
  keep_worst(
      r.coarseness.turn_rad, [&] { return std::to_string(r.coarseness.turning); }, sums_.turn);
}

void RunStatistics::add_loads(const StepResult& result, const State& state) {
  const StepReport& r = result.report;
  const Model& model = scene_.model;
  const double weight = mass_ * model.settings.gravity.norm() * r.time_step_s;
  const auto add = [&](const BoundaryLoad& load, std::size_t part, Pressing& of) {
    const double impulse = load.impulse.norm();
    if (!(impulse > 0.0) || !(r.time_step_s > 0.0)) return;
    keep_evenly(of.steps++, impulse / r.time_step_s, of.force);
    // Impulse that gives all bodies the wall's speed, stops their motion and carries them.
    const double speed = std::abs(load.work) / impulse,
                 relative = impulse / (momentum_before_ + mass_ * speed + weight);
    if (!(relative > of.most_of_momentum)) return;
    of.most_of_momentum = relative;
    of.most = {};
    of.most.by = "part '" + model.parts[part].name + "'";
    of.most.when = moment(r);
    of.most.force_N = impulse / r.time_step_s;
    of.most.power_W = load.work / r.time_step_s;
    if (relative > pinch_of_momentum) find_pinched(model, part, state, of.most);
  };
  for (std::size_t m = 0; m < model.parts.size(); ++m)
    if (!model.parts[m].motion.is_none()) add(result.parts[m], m, pressing_[m]);
  momentum_before_ = r.momentum_size_kg_m_s;
  add_motors(result);
  add_joints(result);
}

void RunStatistics::add_joints(const StepResult& result) {
  for (std::size_t j = 0; j < result.joints.size(); ++j)
    if (result.joints[j].misfit > sums_.joint.value)
      sums_.joint = {result.joints[j].misfit, scene_.model.joints[j].name, moment(result.report)};
}

void RunStatistics::add_motors(const StepResult& result) {
  constexpr double all = 1.0 - 1e-9;
  std::size_t limited = 0;
  for (std::size_t j = 0; j < scene_.model.joints.size(); ++j) {
    if (!is_limited(scene_.model.joints[j].motor)) continue;
    MotorUse& use = sums_.motors[limited++];
    if (!(std::abs(result.joints[j].motor_impulse) >= all * use.most * result.report.time_step_s)) continue;
    use.last = moment(result.report);
    if (use.steps_at_limit++ == 0) use.first = use.last;
  }
}

Pinch RunStatistics::hardest_pinch() const {
  Pinch hardest;
  for (const Pressing& of : pressing_) {
    if (of.most.by.empty()) continue;
    Pinch pinch = of.most;
    pinch.median_force_N = order_statistic(of.force, 0.5);
    pinch.relative = of.most_of_momentum / pinch_of_momentum;
    // A constant force is a load, unless steps were unsolved.
    if (over(static_cast<double>(sums_.steps_unsolved), static_cast<double>(sums_.steps)) <=
        unsolved_limit.amber)
      pinch.relative = std::min(pinch.relative, pinch.force_N / (pinch_of_median * pinch.median_force_N));
    if (pinch.relative > hardest.relative) hardest = pinch;
  }
  return hardest;
}

FrameBalances RunStatistics::balances(const State& state) const {
  return {sums_.energy,
          linear_momentum(state.bodies),
          angular_momentum(state.bodies),
          sums_.boundary_impulse,
          sums_.boundary_angular_impulse,
          sums_.sleep_impulse,
          sums_.sleep_angular_impulse,
          sums_.exchanged_momentum,
          sums_.exchanged_angular_momentum};
}

double RunStatistics::turned_over_J() const {
  return sums_.kinetic_initial_J + (sums_.potential_initial_J - potential_min_) + gross_work_J_;
}

double RunStatistics::in_play_J() const { return std::max({kinetic_most_J_, weight_energy_J_, pressing_J_}); }

double RunStatistics::ledger_breach() const {
  return std::max(over(std::abs(sums_.energy.remainder), std::max(turned_over_J(), in_play_J())),
                  over(created_J_, in_play_J()));
}

Summary RunStatistics::summary(const State& state) const {
  Summary s = sums_;
  s.threads = thread_count();
  s.bodies = static_cast<std::int64_t>(state.bodies.size());
  s.mass = std::accumulate(state.bodies.mass.begin(), state.bodies.mass.end(), 0.0);
  s.openings = opening_totals(scene_.model, state);
  s.simulated_time_s = state.time_s - scene_.initial.time_s;
  if (s.adaptive_step && s.steps > 0) s.time_step_s = s.simulated_time_s / static_cast<double>(s.steps);
  s.lost_bodies =
      count_lost_bodies(scene_.model, state.bodies, state.time_s, boundary_poses(scene_.model, state));
  s.state_hash = state_hash(state.bodies);
  s.median_step_time_s = median_of_last_sixth(step_time_);
  if (s.steps > 0) s.residual_rms_relative_mean = residual_sum_ / static_cast<double>(s.steps);
  // All available energy of the run: that at the start plus that released by falling.
  const double available = s.kinetic_initial_J + (s.potential_initial_J - potential_min_);
  s.energy_injected_relative = over(s.energy_injected_J, available);
  s.energy_created_relative = over(created_J_, in_play_J());
  s.energy_unexplained_relative = over(unexplained_most_J_, std::max(turned_over_J(), in_play_J()));
  s.pinch = hardest_pinch();
  s.momentum_created_relative = over(gained_N_s_, impulse_size_N_s_);
  s.angular_momentum_created_relative = over(gained_N_m_s_, impulse_size_N_m_s_);
  s.goal_missed_by_median = order_statistic(goal_missed_by_, 0.5);
  s.goal_missed_by_p90 = order_statistic(goal_missed_by_, 0.9);
  s.given_mean = over(given_sum_, static_cast<double>(s.steps));
  return s;
}

namespace {

// The sums of a run, by name, for checkpoints.

void keep(Archive& io, const std::string& name, Moment& m) {
  io.group(name, [&] {
    io("step", m.step);
    io("time_s", m.time_s);
    io("time_step_s", m.time_step_s);
  });
}

void keep(Archive& io, const std::string& name, WorstStep& w) {
  io.group(name, [&] {
    io("value", w.value);
    io("whose", w.whose);
    keep(io, "when", w.when);
  });
}

void keep(Archive& io, const std::string& name, DeepestOverlap& d) {
  io.group(name, [&] {
    keep(io, "when", d.when);
    io("body", d.body);
    io("other_body", d.other_body);
    io("boundary", d.boundary);
    io("residual_of_scale", d.residual_of_scale);
  });
}

void keep(Archive& io, const std::string& name, StageTimes& t) {
  io.group(name, [&] {
    io("preparation", t.preparation);
    io("detection", t.detection);
    io("resolution", t.resolution);
    io("finish", t.finish);
  });
}

void keep(Archive& io, const std::string& name, EnergyLedger& e) {
  io.group(name, [&] {
    for (const LedgerEntry& entry : ledger_entries) io(entry.name, e.*entry.value);
  });
}

/// The data of the last step in a summary.
void keep(Archive& io, const std::string& name, StepReport& r) {
  io.group(name, [&] {
    io("step", r.step);
    io("time_s", r.time_s);
    io("time_step_s", r.time_step_s);
    io("contacts", r.contacts);
    io("active_contacts", r.active_contacts);
    io("touching", r.touching);
    io("bodies_in_collision", r.bodies_in_collision);
    io("asleep", r.asleep);
    io("penetration_max", r.penetration_max);
    io("penetration_mean", r.penetration_mean);
    io("compression_max", r.compression_max);
    io("residual_rms_relative", r.residual_rms_relative);
  });
}

void keep(Archive& io, EventSummary& e) {
  io("text", e.text);
  io("count", e.count);
  keep(io, "first", e.first);
  keep(io, "last", e.last);
}

}  // namespace

void RunStatistics::visit(Archive& io) {
  Summary& s = sums_;
  io("steps", s.steps);
  io("least_time_step_s", s.least_time_step_s);
  io("largest_time_step_s", s.largest_time_step_s);
  keep(io, "stage_time", s.stage_time);
  keep(io, "last", s.last);
  io("penetration_max_of_run", s.penetration_max_of_run);
  io("residual_rms_relative_max", s.residual_rms_relative_max);
  io("momentum_error_relative", s.momentum_error_relative);
  io("angular_momentum_error_relative", s.angular_momentum_error_relative);
  keep(io, "deepest", s.deepest);
  io("compression_max_of_run", s.compression.value);
  keep(io, "compressed", s.compression.where);
  io("compressed_at_once", s.compression.at_once);
  io("compression_before", compression_before_);
  io("sweeps", s.sweeps);
  io("steps_not_converged", s.steps_not_converged);
  io("narrow_phase_failures", s.narrow_phase_failures);
  io("candidates", s.candidates);
  io("steps_far_from_goal", s.steps_far_from_goal);
  io("steps_unsolved", s.steps_unsolved);
  io("steps_overlapping", s.steps_overlapping);
  io("goal_missed_by_max", s.goal_missed_by_max);
  keep(io, "goal_missed_most", s.goal_missed_most);
  io("steps_given", s.steps_given);
  io("given_sum", given_sum_);
  io("given_max", s.given_max);
  keep(io, "given_most", s.given_most);
  keep(io, "energy", s.energy);
  io("energy_injected", s.energy_injected_J);
  keep(io, "energy_created_most", s.energy_created_most);
  io("boundary_impulse", s.boundary_impulse);
  io("boundary_angular_impulse", s.boundary_angular_impulse);
  io("sleep_impulse", s.sleep_impulse);
  io("sleep_angular_impulse", s.sleep_angular_impulse);
  io("exchanged_momentum", s.exchanged_momentum);
  io("exchanged_angular_momentum", s.exchanged_angular_momentum);
  io("woken", s.woken);
  for (std::size_t k = 0; k < s.events.size(); ++k)
    io.group("event_" + std::to_string(k), [&] { keep(io, s.events[k]); });
  io("ended_by", s.ended_by);
  io("residual_sum", residual_sum_);
  io("potential_min", potential_min_);
  io("taken", taken_J_);
  io("taken_most", taken_most_J_);
  io("created", created_J_);
  io("unreturned", s.unreturned_J);
  io("gross_work", gross_work_J_);
  io("kinetic_most", kinetic_most_J_);
  io("weight_energy", weight_energy_J_);
  io("pressing_energy", pressing_J_);
  io("mass", mass_);
  io("momentum_before", momentum_before_);
  keep(io, "wall_travel", s.wall_travel);
  keep(io, "wall_detour", s.wall_detour);
  keep(io, "turn", s.turn);
  keep(io, "joint", s.joint);
  for (std::size_t k = 0; k < pressing_.size(); ++k)
    io.group("pressing_" + std::to_string(k), [&] {
      Pressing& of = pressing_[k];
      io("force", of.force);
      io("steps", of.steps);
      io("most_of_momentum", of.most_of_momentum);
      io("by", of.most.by);
      keep(io, "when", of.most.when);
      io("force_most", of.most.force_N);
      io("power_most", of.most.power_W);
      io("body", of.most.body);
      io("place", of.most.place);
      io("against", of.most.against);
    });
  for (MotorUse& use : s.motors)
    io.group("motor_" + use.joint, [&] {
      io("steps_at_limit", use.steps_at_limit);
      keep(io, "first", use.first);
      keep(io, "last", use.last);
    });
  io("unexplained_most", unexplained_most_J_);
  io("gained_momentum", gained_N_s_);
  io("gained_angular_momentum", gained_N_m_s_);
  io("impulse_size", impulse_size_N_s_);
  io("angular_impulse_size", impulse_size_N_m_s_);
  io("step_time", step_time_);
  io("goal_missed_by", goal_missed_by_);
}

}  // namespace scree::io
