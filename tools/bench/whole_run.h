// What a run from the start of a scene to its end was, from the reports and times of its steps.
#pragma once

#include <span>

#include "engine/simulation/model.h"
#include "tools/bench/bench_report.h"

namespace scree {

/// Kinetic energy below which a run counts as settled, if it stays there to the end, over lifting_energy():
/// bodies as fast, on average, as after a fall of a thousandth of their smallest length. Loose grains that
/// rock may still do so: what is at rest to the last has rest_energy.
inline constexpr double settled_energy = 1e-3;

/// Share of the steps that are not slower than slow_step_s.
inline constexpr double slow_share = 0.95;

/// `reports` of all steps from `start` on, the same in all repeats; `step_s` their wall times,
/// [repeat][step]. There is at least one step and one repeat.
WholeRun describe_run(const Model& model, const State& start, std::span<const StepReport> reports,
                      const std::vector<std::vector<double>>& step_s);

}  // namespace scree
