#include "io/results/remedies.h"

#include <algorithm>
#include <cmath>

#include "engine/simulation/step.h"
#include "io/results/events.h"
#include "io/results/summary.h"

namespace scree::io {

namespace {

// Steps, and steps times bodies, that are made at most with the scene as it is.
constexpr std::int64_t most_steps_tried = 5000;
constexpr double most_work = 1e6;

double created(const Scene& scene, double until_s) {
  State state = scene.initial;
  arm_events(scene, state);
  Workspace workspace;
  StepResult result;
  RunStatistics statistics(scene);
  while (state.time_s < until_s - time_slack(scene)) {
    const StepReport& report =
        step_to_event(scene, state, workspace, result, next_landing(scene, state, scene.end_time_s));
    statistics.add(report);
    static_cast<void>(take_events(scene, result, state));
    if (!std::isfinite(report.energy.kinetic) || !std::isfinite(report.energy.potential)) return infinity;
  }
  return statistics.summary(state).energy_created_relative;
}

}  // namespace

std::optional<Remedies> try_remedies(const Scene& scene, const Moment& until) {
  const auto bodies = static_cast<double>(std::max<std::size_t>(1, scene.initial.bodies.size()));
  if (until.step > most_steps_tried || static_cast<double>(until.step) * bodies > most_work)
    return std::nullopt;
  Scene finer_scene = scene, shorter_scene = scene;
  finer_scene.model.settings.solver.tolerance *= finer;
  shorter_scene.model.settings.time_step_s *= shorter;
  shorter_scene.largest_time_step_s *= shorter;
  return Remedies{created(scene, until.time_s), created(finer_scene, until.time_s),
                  created(shorter_scene, until.time_s)};
}

}  // namespace scree::io
