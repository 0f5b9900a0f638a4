#include "tools/bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "engine/core/errors.h"
#include "engine/core/parallel.h"
#include "engine/run/run.h"
#include "engine/simulation/adaptive_step.h"
#include "io/results/summary.h"
#include "tools/bench/whole_run.h"

namespace scree {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The results of one repeat.
struct Repeat {
  std::vector<StepReport> reports;  // [timed step]
  std::vector<double> step_s;       // [timed step] wall time
  double cpu_s = 0.0;               // of all timed steps
  StageTimes stages;
  BenchPhysics physics;
  double bytes = 0.0;
  std::uint64_t hash = 0;
};

/// Sums of the reports of steps; `finish` divides to means.
class PhysicsSum {
 public:
  void add(const StepReport& r) {
    p_.contacts += static_cast<double>(r.contacts);
    p_.active_contacts += static_cast<double>(r.active_contacts);
    p_.candidates += static_cast<double>(r.candidates);
    p_.sweeps += r.sweeps;
    p_.sweeps_max = std::max(p_.sweeps_max, r.sweeps);
    p_.asleep += static_cast<double>(r.asleep);
    p_.residual_mean += r.residual_of_scale();
    p_.residual_max = std::max(p_.residual_max, r.residual_of_scale());
    p_.penetration_mean += r.penetration_mean;
    p_.penetration_max = std::max(p_.penetration_max, r.penetration_max);
    p_.steps_not_converged += r.status == SolveStatus::converged ? 0 : 1;
    p_.narrow_phase_failures += r.narrow_phase_failures;
    p_.energy_error_relative += std::abs(r.energy.remainder) + io::created_energy(r);
    p_.kinetic_energy_per_body_J = r.energy.kinetic;
    ++steps_;
  }
  BenchPhysics finish(std::size_t bodies, double lifting_energy_J) {
    const double n = std::max(1, steps_);
    for (double* mean : {&p_.contacts, &p_.active_contacts, &p_.candidates, &p_.sweeps, &p_.asleep,
                         &p_.residual_mean, &p_.penetration_mean})
      *mean /= n;
    p_.kinetic_energy_per_body_J /= static_cast<double>(std::max<std::size_t>(1, bodies));
    p_.energy_error_relative = lifting_energy_J > 0.0 ? p_.energy_error_relative / lifting_energy_J : 0.0;
    return p_;
  }

 private:
  BenchPhysics p_;
  int steps_ = 0;
};

/// The steps of one repeat: this number, or all until the scene's end, which is about this number.
struct Plan {
  int warm_up = 0;
  std::int64_t steps = 0;
  bool to_the_end = false;
};

Plan plan_of(const PreparedScene& prepared, const BenchVariant& variant, const Model& model,
             const BenchPlan& plan) {
  if (variant.whole_run) {
    const double left_s = prepared.scene.end_time_s - prepared.state.time_s;
    const double step_s = first_step(model, prepared.state.bodies);
    return {0, std::max<std::int64_t>(1, std::llround(left_s / step_s)), true};
  }
  return {plan.warm_up,
          variant.residual_target > 0.0 ? std::min(plan.steps, plan.residual_steps) : plan.steps, false};
}

void summarize(const Model& model, const Bodies& bodies, Repeat& repeat) {
  PhysicsSum sum;
  for (const StepReport& report : repeat.reports) {
    repeat.stages += report.time;
    sum.add(report);
  }
  repeat.physics = sum.finish(bodies.size(), lifting_energy(model, bodies));
  repeat.hash = state_hash(bodies);
}

/// Steps a copy of the state with its own workspace, so that repeats also sample different memory
/// layouts.
Repeat time_steps(const PreparedScene& prepared, const Model& model, const Plan& plan,
                  Progress::Style style) {
  const auto steps = static_cast<std::size_t>(plan.steps);
  Repeat repeat;
  repeat.reports.reserve(steps);
  repeat.step_s.reserve(steps);
  const std::int64_t heap_before = heap_bytes();
  State state = prepared.state;
  const RunPlan run_plan = plan_without_events(prepared.scene);
  Run run(model, run_plan, state);
  const double end_s = plan.to_the_end ? prepared.scene.end_time_s : infinity;
  const auto checked_step = [&] {
    if (run.step(end_s) == RunStop::failed) refuse_broken(prepared.scene, run);
  };
  for (int k = 0; k < plan.warm_up; ++k) checked_step();
  Progress progress(style, state.time_s, prepared.scene.end_time_s);
  const double cpu_before = cpu_time_s();
  const double end = prepared.scene.end_time_s - run_plan.slack_s;
  const auto goes_on = [&] { return plan.to_the_end ? state.time_s < end : repeat.reports.size() < steps; };
  do {
    const auto start = Clock::now();
    checked_step();
    repeat.step_s.push_back(seconds_since(start));
    repeat.reports.push_back(run.result().report);
    progress.update(run.result().report);
  } while (goes_on());
  repeat.cpu_s = cpu_time_s() - cpu_before;
  repeat.bytes = static_cast<double>(heap_bytes() - heap_before);
  progress.clear();
  summarize(model, state.bodies, repeat);
  return repeat;
}

Model model_of(const PreparedScene& prepared, const BenchVariant& variant) {
  Model model = prepared.scene.model;
  SolverSettings& solver = model.settings.solver;
  solver.kind = variant.solver;
  if (variant.cold) solver.warm_start = false;
  if (variant.residual_target > 0.0) {
    solver.tolerance = variant.residual_target;
    solver.max_sweeps = residual_max_sweeps;
  }
  return model;
}

double mean_step(const std::vector<StepReport>& reports) {
  const double sum = std::accumulate(reports.begin(), reports.end(), 0.0,
                                     [](double s, const StepReport& r) { return s + r.time_step_s; });
  return sum / static_cast<double>(reports.size());
}

double wall_time(const Repeat& repeat) {
  return std::accumulate(repeat.step_s.begin(), repeat.step_s.end(), 0.0);
}

BenchCase empty_case(const PreparedScene& prepared, const BenchVariant& variant, const Model& model,
                     std::int64_t steps) {
  BenchCase c;
  c.key = {prepared.scene.name,     static_cast<std::int64_t>(prepared.state.bodies.size()),
           variant.threads,         to_string(variant.solver),
           variant.residual_target, variant.cold,
           variant.whole_run};
  for (const auto& [key, value] : prepared.scene.overrides) c.settings.push_back(key + "=" + value);
  c.time_step_s = model.settings.time_step_s;
  c.tolerance = model.settings.solver.tolerance;
  c.max_sweeps = model.settings.solver.max_sweeps;
  c.steps = steps;
  return c;
}

void add_repeat(const Repeat& repeat, BenchCase& c) {
  const double n = static_cast<double>(repeat.reports.size());
  if (c.step_s.empty()) {
    c.steps = static_cast<std::int64_t>(repeat.reports.size());
    c.state_hash = repeat.hash;
    c.physics = repeat.physics;
  }
  c.reproducible = c.reproducible && repeat.hash == c.state_hash;
  c.step_s.push_back(wall_time(repeat) / n);
  c.cpu_s.push_back(repeat.cpu_s / n);
  c.stages.push_back({repeat.stages.preparation / n, repeat.stages.detection / n,
                      repeat.stages.resolution / n, repeat.stages.finish / n});
  const double bodies = static_cast<double>(std::max<std::int64_t>(1, c.key.bodies));
  c.bytes_per_body = std::max(c.bytes_per_body, repeat.bytes / bodies);
}

/// A variant that is being measured.
struct TimedCase {
  BenchVariant variant;
  Model model;
  Plan plan;
  BenchCase found;
  double spent_s = 0.0;
  std::vector<StepReport> reports;          // of a whole run's first repeat; the others are the same
  std::vector<std::vector<double>> step_s;  // [repeat][step] of a whole run
};

void repeat_once(const PreparedScene& prepared, Progress::Style progress, TimedCase& m) {
  const bool whole = m.variant.whole_run;
  set_thread_count(m.variant.threads);
  Repeat done = time_steps(prepared, m.model, m.plan, whole ? progress : Progress::Style::none);
  m.spent_s += wall_time(done);
  add_repeat(done, m.found);
  if (m.model.settings.adaptive_step) m.found.time_step_s = mean_step(done.reports);
  if (!whole) return;
  if (m.reports.empty()) m.reports = std::move(done.reports);
  m.step_s.push_back(std::move(done.step_s));
}

}  // namespace

std::vector<BenchCase> measure(const PreparedScene& prepared, std::span<const BenchVariant> variants,
                               const BenchPlan& plan, Progress::Style progress) {
  std::vector<TimedCase> measurements;
  for (const BenchVariant& variant : variants) {
    TimedCase m{variant, model_of(prepared, variant), {}, {}, 0.0, {}, {}};
    m.plan = plan_of(prepared, variant, m.model, plan);
    m.found = empty_case(prepared, variant, m.model, m.plan.steps);
    measurements.push_back(std::move(m));
  }
  for (int repeat = 0; repeat < plan.repeats; ++repeat) {
    for (TimedCase& m : measurements) {
      if (repeat == 0 || m.spent_s < plan.patience_s) repeat_once(prepared, progress, m);
    }
  }
  std::vector<BenchCase> cases;
  for (TimedCase& m : measurements) {
    if (m.variant.whole_run) m.found.run = describe_run(m.model, prepared.state, m.reports, m.step_s);
    cases.push_back(std::move(m.found));
  }
  return cases;
}

}  // namespace scree
