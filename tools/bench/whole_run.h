// Results of a run from the start of a scene to its end, from the reports and times of its steps.
#pragma once

#include <span>

#include "engine/simulation/model.h"
#include "tools/bench/bench_report.h"

namespace scree {

/// Kinetic energy below which a run counts as settled, if it stays below until the end, over
/// lifting_energy(): the mean speed of bodies after a fall by a thousandth of their smallest length. Single
/// loose grains may still rock; rest_energy is the limit for complete rest.
inline constexpr double settled_energy = 1e-3;

/// Share of the steps that are not slower than slow_step_s.
inline constexpr double slow_share = 0.95;

/// `reports` of all steps from `start` on, the same in all repeats; `step_s` their wall times,
/// [repeat][step]. There is at least one step and one repeat.
WholeRun describe_run(const Model& model, const State& start, std::span<const StepReport> reports,
                      const std::vector<std::vector<double>>& step_s);

}  // namespace scree
