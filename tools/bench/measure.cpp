#include "tools/bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "engine/core/errors.h"
#include "engine/core/parallel.h"
#include "engine/simulation/step.h"

namespace scree {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one repeat found.
struct Repeat {
  double wall_s = 0.0, cpu_s = 0.0;  // of all timed steps
  StageTimes stages;
  BenchPhysics physics;
  double bytes = 0.0;
  std::uint64_t hash = 0;
};

/// Sums of what steps report; `finish` makes means of them.
class PhysicsSum {
 public:
  void add(const StepReport& r) {
    p_.contacts += static_cast<double>(r.contacts);
    p_.active_contacts += static_cast<double>(r.active_contacts);
    p_.candidates += static_cast<double>(r.candidates);
    p_.sweeps += r.sweeps;
    p_.asleep += static_cast<double>(r.asleep);
    p_.residual_mean += r.residual_of_scale();
    p_.residual_max = std::max(p_.residual_max, r.residual_of_scale());
    p_.penetration_mean += r.penetration_mean;
    p_.penetration_max = std::max(p_.penetration_max, r.penetration_max);
    p_.steps_not_converged += r.status == SolveStatus::converged ? 0 : 1;
    p_.narrow_phase_failures += r.narrow_phase_failures;
    const double explained =
        std::max(0.0, r.energy.boundary_work) + std::max(0.0, r.energy.position_correction);
    p_.energy_error_relative += std::abs(r.energy.remainder) + std::max(0.0, r.energy_injected_J - explained);
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

/// Steps a copy of the state with a workspace of its own, so that repeats also sample where memory happens to
/// lie.
Repeat time_steps(const PreparedScene& prepared, const Model& model, int warm_up, std::int64_t steps) {
  const std::int64_t heap_before = heap_bytes();
  State state = prepared.state;
  Workspace workspace;
  StepResult result;
  for (int k = 0; k < warm_up; ++k) {
    const StepReport& report = step(model, state, workspace, result);
    if (is_broken(report)) refuse_broken(prepared.scene, report);
  }
  std::vector<StepReport> reports;
  reports.reserve(static_cast<std::size_t>(steps));
  Repeat repeat;
  const double cpu_before = cpu_time_s();
  const auto start = Clock::now();
  for (std::int64_t k = 0; k < steps; ++k) reports.push_back(step(model, state, workspace, result));
  repeat.wall_s = seconds_since(start);
  repeat.cpu_s = cpu_time_s() - cpu_before;
  repeat.bytes = static_cast<double>(heap_bytes() - heap_before) -
                 static_cast<double>(reports.capacity() * sizeof(StepReport));
  repeat.hash = state_hash(state.bodies);
  PhysicsSum sum;
  for (const StepReport& report : reports) {
    if (is_broken(report)) refuse_broken(prepared.scene, report);
    repeat.stages += report.time;
    sum.add(report);
  }
  repeat.physics = sum.finish(state.bodies.size(), lifting_energy(model, state.bodies));
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

BenchCase empty_case(const PreparedScene& prepared, const BenchVariant& variant, const Model& model,
                     const BenchPlan& plan) {
  BenchCase c;
  c.key = {prepared.scene.name,     static_cast<std::int64_t>(prepared.state.bodies.size()),
           variant.threads,         to_string(variant.solver),
           variant.residual_target, variant.cold};
  for (const auto& [key, value] : prepared.scene.overrides) c.settings.push_back(key + "=" + value);
  c.time_step_s = model.settings.time_step_s;
  c.tolerance = model.settings.solver.tolerance;
  c.max_sweeps = model.settings.solver.max_sweeps;
  c.steps = variant.residual_target > 0.0 ? std::min(plan.steps, plan.residual_steps) : plan.steps;
  return c;
}

void add_repeat(const Repeat& repeat, BenchCase& c) {
  const double n = static_cast<double>(c.steps);
  if (c.step_s.empty()) {
    c.state_hash = repeat.hash;
    c.physics = repeat.physics;
  }
  c.reproducible = c.reproducible && repeat.hash == c.state_hash;
  c.step_s.push_back(repeat.wall_s / n);
  c.cpu_s.push_back(repeat.cpu_s / n);
  c.stages.push_back({repeat.stages.preparation / n, repeat.stages.detection / n,
                      repeat.stages.resolution / n, repeat.stages.finish / n});
  const double bodies = static_cast<double>(std::max<std::int64_t>(1, c.key.bodies));
  c.bytes_per_body = std::max(c.bytes_per_body, repeat.bytes / bodies);
}

}  // namespace

std::vector<BenchCase> measure(const PreparedScene& prepared, std::span<const BenchVariant> variants,
                               const BenchPlan& plan) {
  std::vector<Model> models;
  std::vector<BenchCase> cases;
  for (const BenchVariant& variant : variants) {
    models.push_back(model_of(prepared, variant));
    cases.push_back(empty_case(prepared, variant, models.back(), plan));
  }
  std::vector<double> spent_s(variants.size(), 0.0);
  for (int repeat = 0; repeat < plan.repeats; ++repeat) {
    for (std::size_t k = 0; k < variants.size(); ++k) {
      if (repeat > 0 && spent_s[k] >= plan.patience_s) continue;
      set_thread_count(variants[k].threads);
      const Repeat done = time_steps(prepared, models[k], plan.warm_up, cases[k].steps);
      spent_s[k] += done.wall_s;
      add_repeat(done, cases[k]);
    }
  }
  return cases;
}

}  // namespace scree
