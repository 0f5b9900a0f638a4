#include "io/results/remedies.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/run/run.h"
#include "io/results/summary.h"

namespace scree::io {

namespace {

// Limits of steps, and of steps times bodies, with the scene unchanged.
constexpr std::int64_t most_steps_tried = 5000;
constexpr double most_work = 1e6;

struct Gathering : RunObserver {
  explicit Gathering(const Scene& scene) : statistics(scene) {}
  void after_step(const StepResult& result, const State&) override { statistics.add(result.report); }
  RunStatistics statistics;
};

double created(const Scene& scene, double until_s) {
  State state = scene.initial;
  arm_events(scene.model, scene.events, state);
  const RunPlan plan = run_plan(scene);
  Run run(scene.model, plan, state);
  Gathering gathering(scene);
  run.observe(gathering);
  while (state.time_s < until_s - plan.slack_s) {
    const RunStop stop = run.step(scene.end_time_s);
    if (stop == RunStop::failed) return infinity;
  }
  return gathering.statistics.summary(state).energy_created_relative;
}

}  // namespace

std::optional<Remedies> try_remedies(const Scene& scene, const Moment& until,
                                     const std::function<void(const std::string&)>& note) {
  const auto bodies = static_cast<double>(std::max<std::size_t>(1, scene.initial.bodies.size()));
  if (until.step > most_steps_tried || static_cast<double>(until.step) * bodies > most_work)
    return std::nullopt;
  if (note)
    note(fmt::format(
        "contacts created energy: Scree repeats the first {} steps three times, to find what reduces it",
        until.step));
  Scene finer_scene = scene, shorter_scene = scene;
  finer_scene.model.settings.solver.tolerance *= finer;
  shorter_scene.model.settings.time_step_s *= shorter;
  shorter_scene.largest_time_step_s *= shorter;
  return Remedies{created(scene, until.time_s), created(finer_scene, until.time_s),
                  created(shorter_scene, until.time_s)};
}

}  // namespace scree::io
