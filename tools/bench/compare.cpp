#include "tools/bench/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/core/state_hash.h"

namespace scree {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::vector<std::string> differing_setting(const BenchReport& a, const BenchReport& b) {
  std::vector<std::string> lines;
  const auto look = [&](const char* what, const std::string& of_a, const std::string& of_b) {
    if (of_a != of_b) lines.push_back(fmt::format("{}: {} -> {}", what, of_a, of_b));
  };
  look("processor", a.machine.cpu, b.machine.cpu);
  look("hardware threads", std::to_string(a.machine.threads), std::to_string(b.machine.threads));
  look("caches", joined(a.machine.caches), joined(b.machine.caches));
  look("system", a.machine.system, b.machine.system);
  look("compiler", a.build.compiler, b.build.compiler);
  look("flags", a.build.flags, b.build.flags);
  return lines;
}

constexpr double seconds = 1.0, milliseconds = 1e-3;

Change change(const std::string& quantity, const std::vector<double>& a, const std::vector<double>& b,
              double least_change, double shown_in_s = milliseconds) {
  return {quantity, spread(a).median, spread(b).median, difference(a, b, least_change), shown_in_s};
}

/// From means over the steps of a whole run: all steps together.
std::vector<double> times(std::int64_t steps, std::vector<double> samples) {
  for (double& sample : samples) sample *= static_cast<double>(steps);
  return samples;
}

/// Adds a change of one figure, if there is one.
void look_at(std::vector<std::string>& lines, const char* what, double a, double b) {
  const double scale = std::max(std::abs(a), std::abs(b));
  if (scale > 0.0 && std::abs(b - a) > physics_tolerance * scale)
    lines.push_back(fmt::format("{} {:.4g} -> {:.4g}", what, a, b));
}

std::string time_text(const std::optional<double>& time_s) {
  return time_s ? fmt::format("{:g} s", *time_s) : "never";
}

void look_at_runs(std::vector<std::string>& lines, const BenchCase& a, const BenchCase& b) {
  const WholeRun &p = *a.run, &q = *b.run;
  look_at(lines, "simulated time", p.simulated_s, q.simulated_s);
  look_at(lines, "largest number of sweeps", a.physics.sweeps_max, b.physics.sweeps_max);
  look_at(lines, "share of steps not converged", share_not_converged(a), share_not_converged(b));
  if (p.settled_at_s != q.settled_at_s)
    lines.push_back(
        fmt::format("settled at t = {} -> {}", time_text(p.settled_at_s), time_text(q.settled_at_s)));
  look_at(lines, "mean penetration at the end", p.penetration_at_end, q.penetration_at_end);
  look_at(lines, "energy injected", p.energy_injected_J, q.energy_injected_J);
  look_at(lines, "energy created", p.energy_created_J, q.energy_created_J);
}

std::vector<std::string> differing_physics(const BenchCase& a, const BenchCase& b) {
  std::vector<std::string> lines;
  if (a.settings != b.settings)
    lines.push_back(fmt::format("settings: {} -> {}", joined(a.settings), joined(b.settings)));
  look_at(lines, "time step", a.time_step_s, b.time_step_s);
  look_at(lines, "tolerance", a.tolerance, b.tolerance);
  look_at(lines, "most sweeps", a.max_sweeps, b.max_sweeps);
  if (a.steps != b.steps) lines.push_back(fmt::format("timed steps {} -> {}", a.steps, b.steps));
  if (a.state_hash == b.state_hash) return lines;
  lines.push_back(fmt::format("state hash {} -> {}", hash_text(a.state_hash), hash_text(b.state_hash)));
  const BenchPhysics &p = a.physics, &q = b.physics;
  look_at(lines, "contacts", p.contacts, q.contacts);
  look_at(lines, "active contacts", p.active_contacts, q.active_contacts);
  look_at(lines, "candidates", p.candidates, q.candidates);
  look_at(lines, "sweeps", p.sweeps, q.sweeps);
  look_at(lines, "bodies asleep", p.asleep, q.asleep);
  look_at(lines, "mean residual", p.residual_mean, q.residual_mean);
  look_at(lines, "largest residual", p.residual_max, q.residual_max);
  look_at(lines, "mean penetration", p.penetration_mean, q.penetration_mean);
  look_at(lines, "largest penetration", p.penetration_max, q.penetration_max);
  look_at(lines, "energy error", p.energy_error_relative, q.energy_error_relative);
  look_at(lines, "kinetic energy per body", p.kinetic_energy_per_body_J, q.kinetic_energy_per_body_J);
  look_at(lines, "steps not converged", static_cast<double>(p.steps_not_converged),
          static_cast<double>(q.steps_not_converged));
  if (a.run && b.run) look_at_runs(lines, a, b);
  return lines;
}

/// Everything in seconds per run, except single steps in milliseconds.
CaseComparison compare_runs(const BenchCase& a, const BenchCase& b, double least_change) {
  const auto all_steps = [&](const char* what, const std::vector<double>& of_a,
                             const std::vector<double>& of_b) {
    return change(what, times(a.steps, of_a), times(b.steps, of_b), least_change, seconds);
  };
  CaseComparison c;
  c.step = all_steps("whole run", a.step_s, b.step_s);
  c.cpu = all_steps("processor time", a.cpu_s, b.cpu_s);
  for (const StageName& stage : stage_names)
    c.stages.push_back(all_steps(stage.name, stage_samples(a, stage.time), stage_samples(b, stage.time)));
  const WholeRun &p = *a.run, &q = *b.run;
  c.stages.push_back(change("until settled", p.settling_s, q.settling_s, least_change, seconds));
  c.stages.push_back(change("median step, ms", p.median_step_s, q.median_step_s, least_change));
  c.stages.push_back(change("95th percentile, ms", p.slow_step_s, q.slow_step_s, least_change));
  c.stages.push_back(change("worst step, ms", p.worst_step_s, q.worst_step_s, least_change));
  return c;
}

CaseComparison compare_steps(const BenchCase& a, const BenchCase& b, double least_change) {
  CaseComparison c;
  c.step = change("step", a.step_s, b.step_s, least_change);
  c.cpu = change("processor time", a.cpu_s, b.cpu_s, least_change);
  for (const StageName& stage : stage_names)
    c.stages.push_back(
        change(stage.name, stage_samples(a, stage.time), stage_samples(b, stage.time), least_change));
  return c;
}

CaseComparison compare_cases(const BenchCase& a, const BenchCase& b, double least_change) {
  CaseComparison c = a.run && b.run ? compare_runs(a, b, least_change) : compare_steps(a, b, least_change);
  c.key = a.key;
  c.physics = differing_physics(a, b);
  return c;
}

const BenchCase* find(const BenchReport& report, const BenchKey& key) {
  const auto at = std::find_if(report.cases.begin(), report.cases.end(),
                               [&](const BenchCase& c) { return c.key == key; });
  return at == report.cases.end() ? nullptr : &*at;
}

const char* verdict(const Difference& d) {
  if (!d.significant) return "";
  return d.relative > 0.0 ? "slower" : "faster";
}

std::string line(const std::string& name, const Change& c) {
  constexpr double percent = 100.0;
  return fmt::format("{:<52}{:>10.4g}{:>10.4g}{:>+9.1f} %{:>8.1f} %  {}\n", name, c.a / c.shown_in_s,
                     c.b / c.shown_in_s, percent * c.difference.relative, percent * c.difference.noise,
                     verdict(c.difference));
}

std::string lines_of(const CaseComparison& c) {
  std::string text = line(to_string(c.key), c.step);
  if (c.cpu.difference.significant) text += line("  " + c.cpu.quantity, c.cpu);
  for (const Change& stage : c.stages) {
    if (stage.difference.significant) text += line("  " + stage.quantity, stage);
  }
  for (const std::string& physics : c.physics) text += "  " + physics + "\n";
  return text;
}

/// The whole runs or all others, with a heading; empty if there are none.
std::string table(const Comparison& c, bool whole_runs, const char* heading) {
  std::string rows;
  for (const CaseComparison& k : c.cases) {
    if (k.key.whole_run == whole_runs) rows += lines_of(k);
  }
  if (rows.empty()) return rows;
  return fmt::format("\n{:<52}{:>10}{:>10}{:>11}{:>10}\n", heading, "before", "after", "change", "noise") +
         rows;
}

std::string conclusion(const Comparison& c) {
  if (c.cases.empty()) return "the two files have no measurement in common\n";
  std::string text = c.slower() && c.faster() ? "some cases are slower and some are faster, beyond the noise"
                     : c.slower()             ? "slower, beyond the noise"
                     : c.faster()             ? "faster, beyond the noise"
                                              : "no time changed beyond the noise";
  const bool physics =
      std::any_of(c.cases.begin(), c.cases.end(), [](const auto& k) { return !k.physics.empty(); });
  text += physics ? "; the computed results changed\n" : "; the same states, bit for bit\n";
  if (!c.setting.empty()) text += "but machine or compiler differ, so times cannot be compared\n";
  return text;
}

bool any(const Comparison& c, int verdict) {
  return std::any_of(c.cases.begin(), c.cases.end(),
                     [&](const CaseComparison& k) { return k.verdict() == verdict; });
}

}  // namespace

int CaseComparison::verdict() const {
  const bool by_cpu = !step.difference.significant && key.threads == 1;
  const Difference& d = by_cpu ? cpu.difference : step.difference;
  if (!d.significant) return 0;
  return d.relative > 0.0 ? 1 : -1;
}

bool Comparison::slower() const { return any(*this, 1); }
bool Comparison::faster() const { return any(*this, -1); }

Comparison compare(const BenchReport& a, const BenchReport& b, double least_change) {
  Comparison c;
  c.setting = differing_setting(a, b);
  c.commits = fmt::format("{} {} -> {} {}", a.build.version, a.build.commit, b.build.version, b.build.commit);
  for (const BenchCase& of_a : a.cases) {
    if (const BenchCase* of_b = find(b, of_a.key))
      c.cases.push_back(compare_cases(of_a, *of_b, least_change));
    else
      c.only_a.push_back(of_a.key);
  }
  for (const BenchCase& of_b : b.cases) {
    if (!find(a, of_b.key)) c.only_b.push_back(of_b.key);
  }
  return c;
}

std::string to_text(const Comparison& c) {
  std::string text = fmt::format("{}\n", c.commits);
  for (const std::string& difference : c.setting) text += "  " + difference + "\n";
  text += table(c, false, "median ms per step") + table(c, true, "median s per whole run");
  for (const BenchKey& key : c.only_a) text += fmt::format("only before: {}\n", to_string(key));
  for (const BenchKey& key : c.only_b) text += fmt::format("only after: {}\n", to_string(key));
  return text + "\n" + conclusion(c);
}

}  // namespace scree
