#include "tools/bench/bench_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/core/state_hash.h"
#include "tools/bench/statistics.h"

namespace scree {

namespace {

constexpr std::size_t whole_run_column_count = 11;

/// The columns of whole runs; empty for other measurements, and, for settling, if it has not settled.
std::string whole_run_columns(const BenchCase& c) {
  if (!c.run) return std::string(whole_run_column_count, ',');
  const WholeRun& r = *c.run;
  std::string text =
      fmt::format(",{:.6g},{:.6e},{:.6e},{:.6e},{:.6e},{:.6g}", r.simulated_s, spread(run_samples(c)).median,
                  spread(r.median_step_s).median, spread(r.slow_step_s).median, spread(r.worst_step_s).median,
                  r.worst_step_at_s);
  text += r.settled_at_s ? fmt::format(",{:.6g},{:.6e}", *r.settled_at_s, spread(r.settling_s).median) : ",,";
  return text +
         fmt::format(",{:.6g},{:.6g},{:.6g}", r.penetration_at_end, r.energy_injected_J, r.energy_created_J);
}

}  // namespace

std::string to_string(const BenchKey& key) {
  std::string text = fmt::format("{}, {} bodies, {} thread{}, {}", key.scene, key.bodies, key.threads,
                                 key.threads == 1 ? "" : "s", key.solver);
  if (key.residual_target > 0.0) text += fmt::format(", residual {:g}", key.residual_target);
  if (key.cold) text += ", cold";
  if (key.whole_run) text += ", whole run";
  return text;
}

std::vector<double> run_samples(const BenchCase& c) {
  std::vector<double> samples = c.step_s;
  for (double& sample : samples) sample *= static_cast<double>(c.steps);
  return samples;
}

double share_not_converged(const BenchCase& c) {
  return static_cast<double>(c.physics.steps_not_converged) /
         static_cast<double>(std::max<std::int64_t>(1, c.steps));
}

double of_goal(const BenchCase& c, double residual) {
  return c.tolerance > 0.0 ? residual / c.tolerance : 0.0;
}

Rates rates(const BenchCase& c) {
  Rates r;
  r.step_s = spread(c.step_s).median;
  if (r.step_s <= 0.0) return r;
  r.body_steps_per_s = static_cast<double>(c.key.bodies) / r.step_s;
  r.contacts_per_s = c.physics.contacts / r.step_s;
  r.simulated_per_wall = c.time_step_s / r.step_s;
  return r;
}

std::vector<double> stage_samples(const BenchCase& c, double StageTimes::*stage) {
  std::vector<double> samples;
  for (const StageTimes& times : c.stages) samples.push_back(times.*stage);
  return samples;
}

std::vector<std::string> hash_faults(const BenchReport& report) {
  std::vector<std::string> faults;
  std::map<BenchKey, const BenchCase*> first;  // key without the number of threads
  for (const BenchCase& c : report.cases) {
    if (!c.reproducible) faults.push_back(to_string(c.key) + ": repeats end in different states");
    BenchKey key = c.key;
    key.threads = 0;
    const auto [known, is_new] = first.try_emplace(key, &c);
    if (!is_new && known->second->state_hash != c.state_hash)
      faults.push_back(fmt::format("{}: state hash {}, with {} threads {}", to_string(c.key),
                                   hash_text(c.state_hash), known->second->key.threads,
                                   hash_text(known->second->state_hash)));
  }
  return faults;
}

std::string to_csv(const BenchReport& report) {
  std::string text =
      "scene,bodies,threads,solver,residual_target,cold,steps,repeats,step_min_s,step_lower_quartile_s,step_"
      "median_s,"
      "step_upper_quartile_s,step_max_s,step_mad_s,cpu_median_s,preparation_s,detection_s,resolution_s,"
      "finish_s,"
      "body_steps_per_s,contacts_per_s,simulated_per_wall,contacts,active_contacts,candidates,sweeps,asleep,"
      "residual_mean,residual_max,penetration_mean,penetration_max,energy_error_relative,"
      "kinetic_energy_per_body_J,steps_not_converged,bytes_per_body,state_hash,"
      "sweeps_max,whole_run,simulated_s,wall_median_s,median_step_s,percentile_95_step_s,worst_step_s,"
      "worst_step_at_s,settled_at_s,settling_wall_s,penetration_at_end,energy_injected_J,energy_created_J\n";
  for (const BenchCase& c : report.cases) {
    const Spread s = spread(c.step_s);
    const Rates r = rates(c);
    const BenchPhysics& p = c.physics;
    text += fmt::format("{},{},{},{},{:g},{},{},{}", c.key.scene, c.key.bodies, c.key.threads, c.key.solver,
                        c.key.residual_target, c.key.cold ? 1 : 0, c.steps, s.count);
    for (const double value : {s.min, s.lower_quartile, s.median, s.upper_quartile, s.max, s.mad})
      text += fmt::format(",{:.6e}", value);
    text += fmt::format(",{:.6e}", spread(c.cpu_s).median);
    for (const StageName& stage : stage_names)
      text += fmt::format(",{:.6e}", spread(stage_samples(c, stage.time)).median);
    for (const double value :
         {r.body_steps_per_s, r.contacts_per_s, r.simulated_per_wall, p.contacts, p.active_contacts,
          p.candidates, p.sweeps, p.asleep, p.residual_mean, p.residual_max, p.penetration_mean,
          p.penetration_max, p.energy_error_relative, p.kinetic_energy_per_body_J})
      text += fmt::format(",{:.6g}", value);
    text += fmt::format(",{},{:.1f},{},{},{}", p.steps_not_converged, c.bytes_per_body,
                        hash_text(c.state_hash), p.sweeps_max, c.run ? 1 : 0);
    text += whole_run_columns(c) + "\n";
  }
  return text;
}

}  // namespace scree
