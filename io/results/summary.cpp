#include "io/results/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/placement.h"
#include "io/results/provenance.h"

namespace scree::io {

namespace {

/// Median over the last sixth of the steps, at least one: start-up, when few bodies touch, does not count.
double median_of_last_sixth(const std::vector<double>& times) {
  if (times.empty()) return 0.0;
  const auto count = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, times.size() / 6));
  std::vector<double> last(times.end() - count, times.end());
  const auto middle = last.begin() + count / 2;
  std::nth_element(last.begin(), middle, last.end());
  return *middle;
}

void add_flows(EnergyLedger& sum, const EnergyLedger& step) {
  sum.kinetic = step.kinetic;
  sum.potential = step.potential;
  sum.dissipated_by_friction += step.dissipated_by_friction;
  sum.dissipated_by_impact += step.dissipated_by_impact;
  sum.dissipated_by_sleep += step.dissipated_by_sleep;
  sum.position_correction += step.position_correction;
  sum.boundary_work += step.boundary_work;
  sum.remainder += step.remainder;
}

std::vector<double> vector(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::ordered_json ledger(const Summary& s) {
  return {{"kinetic_initial_J", s.kinetic_initial_J},
          {"potential_initial_J", s.potential_initial_J},
          {"kinetic_J", s.energy.kinetic},
          {"potential_J", s.energy.potential},
          {"dissipated_by_friction_J", s.energy.dissipated_by_friction},
          {"dissipated_by_impact_J", s.energy.dissipated_by_impact},
          {"dissipated_by_sleep_J", s.energy.dissipated_by_sleep},
          {"position_correction_J", s.energy.position_correction},
          {"boundary_work_J", s.energy.boundary_work},
          {"remainder_J", s.energy.remainder},
          {"injected_J", s.energy_injected_J}};
}

}  // namespace

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::finished:
      return "finished";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

RunStatistics::RunStatistics(const Scene& scene) : scene_(scene) {
  const Bodies& bodies = scene.initial.bodies;
  const Settings& settings = scene.model.settings;
  sums_.scene = scene.name;
  sums_.solver = to_string(settings.solver.kind);
  sums_.bodies = static_cast<std::int64_t>(bodies.size());
  sums_.boundaries = static_cast<std::int64_t>(scene.model.boundaries.size());
  sums_.time_step_s = settings.time_step_s;
  sums_.sleeps = settings.sleep.is_on();
  sums_.end_time_s = scene.end_time_s;
  sums_.kinetic_initial_J = sums_.energy.kinetic = kinetic_energy(bodies);
  sums_.potential_initial_J = sums_.energy.potential = potential_energy(bodies, settings.gravity);
  potential_min_ = sums_.potential_initial_J;
}

void RunStatistics::add(const StepReport& r) {
  ++sums_.steps;
  sums_.last = r;
  sums_.stage_time += r.time;
  step_time_.push_back(r.time.total());
  sums_.penetration_max_of_run = std::max(sums_.penetration_max_of_run, r.penetration_max);
  sums_.residual_rms_relative_max = std::max(sums_.residual_rms_relative_max, r.residual_rms_relative);
  residual_sum_ += r.residual_rms_relative;
  sums_.momentum_error_relative = std::max(sums_.momentum_error_relative, r.momentum_error_relative);
  sums_.angular_momentum_error_relative =
      std::max(sums_.angular_momentum_error_relative, r.angular_momentum_error_relative);
  if (r.status != SolveStatus::converged) ++sums_.steps_not_converged;
  sums_.narrow_phase_failures += r.narrow_phase_failures;
  add_flows(sums_.energy, r.energy);
  sums_.energy_injected_J += r.energy_injected_J;
  sums_.boundary_impulse += r.boundary_impulse;
  sums_.boundary_angular_impulse += r.boundary_angular_impulse;
  sums_.sleep_impulse += r.sleep_impulse;
  sums_.sleep_angular_impulse += r.sleep_angular_impulse;
  sums_.woken += r.woken;
  const EnergyLedger& e = r.energy;
  const double explained = std::max(0.0, e.boundary_work) + std::max(0.0, e.position_correction);
  created_J_ += std::max(0.0, r.energy_injected_J - explained);
  potential_min_ = std::min(potential_min_, r.energy.potential);
}

FrameBalances RunStatistics::balances(const State& state) const {
  return {sums_.energy,
          linear_momentum(state.bodies),
          angular_momentum(state.bodies),
          sums_.boundary_impulse,
          sums_.boundary_angular_impulse,
          sums_.sleep_impulse,
          sums_.sleep_angular_impulse};
}

double RunStatistics::ledger_breach() const {
  const EnergyLedger& e = sums_.energy;
  const double available = sums_.kinetic_initial_J + (sums_.potential_initial_J - potential_min_) +
                           std::abs(e.boundary_work) + std::abs(e.position_correction);
  const double unexplained = std::max(std::abs(e.remainder), created_J_);
  return available > 0.0 ? unexplained / available : 0.0;
}

Summary RunStatistics::summary(const State& state) const {
  Summary s = sums_;
  s.threads = thread_count();
  s.bodies = static_cast<std::int64_t>(state.bodies.size());
  s.simulated_time_s = state.time_s - scene_.initial.time_s;
  s.lost_bodies = count_lost_bodies(scene_.model, state.bodies);
  s.state_hash = state_hash(state.bodies);
  s.median_step_time_s = median_of_last_sixth(step_time_);
  if (s.steps > 0) s.residual_rms_relative_mean = residual_sum_ / static_cast<double>(s.steps);
  // All energy that the run had to spend: what it began with and what falling released.
  const double available = s.kinetic_initial_J + (s.potential_initial_J - potential_min_);
  if (available > 0.0) s.energy_injected_relative = s.energy_injected_J / available;
  return s;
}

std::string to_json(const Summary& s) {
  const double bodies = static_cast<double>(std::max<std::int64_t>(1, s.bodies));
  nlohmann::ordered_json json = {
      {"format", "scree summary"},
      {"format_version", 1},
      {"scree_version", scree_version()},
      {"scene", s.scene},
      {"status", to_string(s.status)},
      {"solver", s.solver},
      {"threads", s.threads},
      {"bodies", s.bodies},
      {"boundaries", s.boundaries},
      {"lost_bodies", s.lost_bodies},
      {"steps", s.steps},
      {"frames", s.frames},
      {"time_step_s", s.time_step_s},
      {"end_time_s", s.end_time_s},
      {"simulated_time_s", s.simulated_time_s},
      {"wall_time_s", s.wall_time_s},
      {"recording_time_s", s.recording_time_s},
      {"real_time_factor", s.real_time_factor()},
      {"median_step_time_s", s.median_step_time_s},
      {"stage_time_s",
       {{"preparation", s.stage_time.preparation},
        {"detection", s.stage_time.detection},
        {"resolution", s.stage_time.resolution},
        {"finish", s.stage_time.finish}}},
      {"contacts", s.last.contacts},
      {"active_contacts", s.last.active_contacts},
      {"touching_contacts", s.last.touching},
      {"bodies_in_collision", s.last.bodies_in_collision},
      {"asleep", s.last.asleep},
      {"woken", s.woken},
      {"penetration_max", s.last.penetration_max},
      {"penetration_mean", s.last.penetration_mean},
      {"penetration_max_of_run", s.penetration_max_of_run},
      {"residual_rms_relative", s.last.residual_rms_relative},
      {"residual_rms_relative_mean", s.residual_rms_relative_mean},
      {"residual_rms_relative_max", s.residual_rms_relative_max},
      {"steps_not_converged", s.steps_not_converged},
      {"narrow_phase_failures", s.narrow_phase_failures},
      {"kinetic_energy_per_body_J", s.energy.kinetic / bodies},
      {"energy_injected_relative", s.energy_injected_relative},
      {"momentum_error_relative", s.momentum_error_relative},
      {"angular_momentum_error_relative", s.angular_momentum_error_relative},
      {"boundary_impulse_N_s", vector(s.boundary_impulse)},
      {"boundary_angular_impulse_N_m_s", vector(s.boundary_angular_impulse)},
      {"sleep_impulse_N_s", vector(s.sleep_impulse)},
      {"sleep_angular_impulse_N_m_s", vector(s.sleep_angular_impulse)},
      {"energy", ledger(s)},
      {"state_hash", hash_text(s.state_hash)},
  };
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace scree::io
