#include "tools/bench/whole_run.h"

#include <algorithm>
#include <numeric>

#include "io/results/summary.h"
#include "tools/bench/prepare.h"
#include "tools/bench/statistics.h"

namespace scree {

namespace {

constexpr std::size_t most_stretches = 100;

/// For each step, the median of its wall times over the repeats: without the disturbances of single repeats.
std::vector<double> medians_over_repeats(const std::vector<std::vector<double>>& step_s) {
  std::vector<double> medians, repeats(step_s.size());
  for (std::size_t k = 0; k < step_s[0].size(); ++k) {
    for (std::size_t r = 0; r < step_s.size(); ++r) repeats[r] = step_s[r][k];
    medians.push_back(spread(repeats).median);
  }
  return medians;
}

/// Number of steps after which the kinetic energy stays below the limit; none if it does not at the end.
std::optional<std::size_t> steps_to_settle(std::span<const StepReport> reports, double limit_J) {
  const auto moving = [limit_J](const StepReport& r) { return !(r.energy.kinetic < limit_J); };
  const auto last = std::find_if(reports.rbegin(), reports.rend(), moving);
  if (last == reports.rbegin()) return std::nullopt;
  return static_cast<std::size_t>(reports.rend() - last) + 1;
}

void add_energies(const Model& model, const State& start, std::span<const StepReport> reports,
                  WholeRun& run) {
  const double at_start = potential_energy(start.bodies, model.settings.gravity);
  double lowest = at_start;
  for (const StepReport& r : reports) {
    lowest = std::min(lowest, r.energy.potential);
    run.energy_injected_J += r.energy_injected_J;
    run.energy_created_J += io::created_energy(r);
  }
  const double available = kinetic_energy(start.bodies) + at_start - lowest;
  if (available > 0.0) run.energy_injected_relative = run.energy_injected_J / available;
}

std::vector<RunStretch> stretches_of(const Model& model, std::span<const StepReport> reports,
                                     const std::vector<double>& step_s, double lifting_J) {
  const std::size_t n = reports.size(), count = std::min(n, most_stretches);
  std::vector<RunStretch> stretches;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t first = k * n / count, end = (k + 1) * n / count;
    RunStretch s;
    for (std::size_t i = first; i < end; ++i) {
      s.step_s += step_s[i] / static_cast<double>(end - first);
      s.sweeps += reports[i].sweeps / static_cast<double>(end - first);
      s.residual_of_goal =
          std::max(s.residual_of_goal, reports[i].residual_of_scale() / model.settings.solver.tolerance);
    }
    s.time_s = reports[end - 1].time_s;
    if (lifting_J > 0.0) s.kinetic_energy_relative = reports[end - 1].energy.kinetic / lifting_J;
    stretches.push_back(s);
  }
  return stretches;
}

}  // namespace

WholeRun describe_run(const Model& model, const State& start, std::span<const StepReport> reports,
                      const std::vector<std::vector<double>>& step_s) {
  const double lifting_J = lifting_energy(model, start.bodies);
  const std::vector<double> medians = medians_over_repeats(step_s);
  const auto worst = std::max_element(medians.begin(), medians.end()) - medians.begin();
  WholeRun run;
  run.simulated_s = reports.back().time_s - start.time_s;
  run.worst_step_at_s = reports[worst].time_s;
  run.penetration_at_end = reports.back().penetration_mean;
  const auto settled = steps_to_settle(reports, settled_energy * lifting_J);
  if (settled) run.settled_at_s = reports[*settled - 1].time_s;
  for (const std::vector<double>& times : step_s) {
    const Spread s = spread(times);
    run.median_step_s.push_back(s.median);
    run.slow_step_s.push_back(quantile(times, slow_share));
    run.worst_step_s.push_back(s.max);
    if (settled)
      run.settling_s.push_back(
          std::accumulate(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(*settled), 0.0));
  }
  add_energies(model, start, reports, run);
  run.stretches = stretches_of(model, reports, medians, lifting_J);
  return run;
}

}  // namespace scree
