#include "tools/trial_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/step.h"

namespace scree {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int moments = 12;         // at which the trial stops, without its start
constexpr double coarseness = 4.0;  // longer steps: bodies still meet, and most of the work is saved
constexpr int coarse_sweeps = 12;   // deep overlaps have no effect on the number of contacts
constexpr int warming_steps = 2;    // after a coarse step, before steps are timed: impulses converge
constexpr int timed_steps = 4;

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

/// The cost of the run's steps at one moment.
struct Moment {
  double time_s = 0.0, cost = 0.0;  // s; wall seconds per simulated second
  std::int64_t contacts = 0, bodies = 0;
  int steps = 0;
};

/// From a state of the trial, without changing it. No steps if numbers are no longer finite.
Moment moment_at(const io::Scene& scene, const State& at) {
  State state = at;
  Workspace workspace;
  StepResult result;
  Moment moment{.time_s = at.time_s, .bodies = static_cast<std::int64_t>(at.bodies.size())};
  const auto goes_well = [&] {
    step(scene.model, state, workspace, result);
    return !result.failure;
  };
  for (int k = 0; k < warming_steps; ++k)
    if (!goes_well()) return moment;
  const double from_s = state.time_s;
  const Clock::time_point begin = Clock::now();
  for (; moment.steps < timed_steps; ++moment.steps) {
    if (!goes_well()) break;
    moment.contacts = result.report.contacts;
  }
  if (moment.steps > 0) moment.cost = seconds_since(begin) / (state.time_s - from_s);
  return moment;
}

/// With steps of constant length, longer than the first one of the run.
Model coarse(Model model, const Bodies& bodies) {
  model.settings.time_step_s = coarseness * first_step(model, bodies);
  model.settings.adaptive_step = false;
  model.settings.solver.max_sweeps = std::min(model.settings.solver.max_sweeps, coarse_sweeps);
  return model;
}

}  // namespace

Trial trial_run(const io::Scene& scene, double patience_s) {
  const Clock::time_point begin = Clock::now();
  const Model model = coarse(scene.model, scene.initial.bodies);
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  std::vector<Moment> met{moment_at(scene, state)};
  for (int m = 1; m <= moments && seconds_since(begin) < patience_s; ++m) {
    const double until = scene.end_time_s * m / moments - 0.5 * model.settings.time_step_s;
    bool good = true;
    while (good && state.time_s < until && seconds_since(begin) < patience_s) {
      step(model, state, workspace, result);
      good = !result.failure;
    }
    if (!good) break;
    met.push_back(moment_at(scene, state));
  }
  Trial trial;
  for (std::size_t k = 0; k < met.size(); ++k) {
    trial.steps += met[k].steps;
    trial.contacts_most = std::max(trial.contacts_most, met[k].contacts);
    trial.bodies_most = std::max(trial.bodies_most, met[k].bodies);
    const bool last = k + 1 == met.size();
    const Moment& next = last ? met[k] : met[k + 1];
    const double span = std::max(0.0, (last ? scene.end_time_s : next.time_s) - met[k].time_s);
    trial.run_time_s += 0.5 * (met[k].cost + next.cost) * span;
    trial.contacts_mean += 0.5 * static_cast<double>(met[k].contacts + next.contacts) * span;
    trial.bodies_mean += 0.5 * static_cast<double>(met[k].bodies + next.bodies) * span;
  }
  const double over = scene.end_time_s > 0.0 ? 1.0 / scene.end_time_s : 0.0;
  trial.contacts_mean *= over;
  trial.bodies_mean =
      over > 0.0 ? over * trial.bodies_mean : static_cast<double>(scene.initial.bodies.size());
  trial.to_s = std::min(state.time_s, scene.end_time_s);
  trial.wall_s = seconds_since(begin);
  return trial;
}

}  // namespace scree
