#include "tools/bench/show.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/core/state_hash.h"
#include "tools/bench/statistics.h"

namespace scree {

namespace {

constexpr double ms = 1e3, us = 1e6, percent = 100.0;
// Limit of waiting processes over hardware threads; more disturb timings.
constexpr double busy_load = 0.3;

std::string name_of(const BenchKey& key) {
  std::string text = key.solver;
  if (key.residual_target > 0.0) text += fmt::format(" to {:g}", key.residual_target);
  if (key.cold) text += ", cold";
  return text;
}

std::string times_text(const std::vector<BenchCase>& cases) {
  std::string text =
      fmt::format("{:<28}{:>8}{:>9}{:>10}{:>21}{:>10}{:>14}{:>12}{:>10}\n", "", "bodies", "threads",
                  "ms/step", "quartiles", "cpu ms", "body-steps/s", "contacts/s", "sim/wall");
  for (const BenchCase& c : cases) {
    const Spread s = spread(c.step_s);
    const Rates r = rates(c);
    text += fmt::format("{:<28}{:>8}{:>9}{:>10.4g}{:>10.4g} -{:>9.4g}{:>10.4g}{:>14.3e}{:>12.3e}{:>10.3g}\n",
                        name_of(c.key), c.key.bodies, c.key.threads, ms * s.median, ms * s.lower_quartile,
                        ms * s.upper_quartile, ms * spread(c.cpu_s).median, r.body_steps_per_s,
                        r.contacts_per_s, r.simulated_per_wall);
  }
  return text;
}

std::string stages_text(const std::vector<BenchCase>& cases) {
  std::string text = fmt::format("{:<28}{:>8}{:>9}", "stages, ms/step", "bodies", "threads");
  for (const StageName& stage : stage_names) text += fmt::format("{:>20}", stage.name);
  text += "\n";
  for (const BenchCase& c : cases) {
    text += fmt::format("{:<28}{:>8}{:>9}", name_of(c.key), c.key.bodies, c.key.threads);
    const double step = spread(c.step_s).median;
    for (const StageName& stage : stage_names) {
      const double time = spread(stage_samples(c, stage.time)).median;
      text += fmt::format("{:>12.4g}{:>6.1f} %", ms * time, step > 0.0 ? percent * time / step : 0.0);
    }
    text += "\n";
  }
  return text;
}

std::string physics_text(const std::vector<BenchCase>& cases) {
  std::string text = fmt::format("{:<28}{:>8}{:>10}{:>11}{:>8}{:>10}{:>22}{:>10}{:>9}  {}\n", "accuracy",
                                 "bodies", "contacts", "candidates", "sweeps", "residual",
                                 "penetration mean, max", "energy", "bytes", "state hash");
  std::set<std::uint64_t> shown;  // the same for other thread counts
  for (const BenchCase& c : cases) {
    if (!shown.insert(c.state_hash).second) continue;
    const BenchPhysics& p = c.physics;
    text += fmt::format(
        "{:<28}{:>8}{:>10.0f}{:>11.0f}{:>8.1f}{:>10.1e}{:>12.4f} %{:>6.2f} %{:>10.1e}{:>9.0f}  {}\n",
        name_of(c.key), c.key.bodies, p.contacts, p.candidates, p.sweeps, p.residual_max,
        percent * p.penetration_mean, percent * p.penetration_max, p.energy_error_relative, c.bytes_per_body,
        hash_text(c.state_hash));
    if (p.asleep > 0.0) text += fmt::format("{:<28}{:.0f} of {} bodies asleep\n", "", p.asleep, c.key.bodies);
    if (p.steps_not_converged > 0)
      text += fmt::format("{:<28}{} of {} steps not converged\n", "", p.steps_not_converged, c.steps);
  }
  return text;
}

std::string run_times_text(const std::vector<BenchCase>& cases) {
  std::string text = fmt::format("{:<28}{:>8}{:>9}{:>10}{:>21}{:>10}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}\n",
                                 "whole runs", "bodies", "threads", "wall s", "quartiles", "cpu s",
                                 "sim/wall", "ms/step", "median", "95 %", "worst", "at t, s");
  for (const BenchCase& c : cases) {
    const Spread s = spread(run_samples(c));
    const WholeRun& r = *c.run;
    text += fmt::format("{:<28}{:>8}{:>9}{:>10.4g}{:>10.4g} -{:>9.4g}{:>10.4g}{:>10.3g}", name_of(c.key),
                        c.key.bodies, c.key.threads, s.median, s.lower_quartile, s.upper_quartile,
                        static_cast<double>(c.steps) * spread(c.cpu_s).median, rates(c).simulated_per_wall);
    text += fmt::format("{:>10.4g}{:>9.3g}{:>9.3g}{:>9.3g}{:>9.4g}\n", ms * rates(c).step_s,
                        ms * spread(r.median_step_s).median, ms * spread(r.slow_step_s).median,
                        ms * spread(r.worst_step_s).median, r.worst_step_at_s);
  }
  return text;
}

std::string settling_text(const WholeRun& r) {
  if (!r.settled_at_s) return fmt::format("{:>18}", "-");
  return fmt::format("{:>8.4g}{:>10.4g}", *r.settled_at_s, spread(r.settling_s).median);
}

std::string run_physics_text(const std::vector<BenchCase>& cases) {
  std::string text =
      fmt::format("{:<28}{:>8}{:>10}{:>13}{:>20}{:>9}{:>20}{:>18}{:>10}{:>9}  {}\n", "accuracy", "bodies",
                  "contacts", "sweeps, most", "residual/goal, most", "missed", "overlap end, most",
                  "settled t, wall s", "injected", "bytes", "state hash");
  std::set<std::uint64_t> shown;  // the same for other thread counts
  for (const BenchCase& c : cases) {
    if (!shown.insert(c.state_hash).second) continue;
    const BenchPhysics& p = c.physics;
    text += fmt::format("{:<28}{:>8}{:>10.0f}{:>7.1f}{:>6}{:>10.2g}{:>10.3g}{:>7.1f} %", name_of(c.key),
                        c.key.bodies, p.contacts, p.sweeps, p.sweeps_max, of_goal(c, p.residual_mean),
                        of_goal(c, p.residual_max), percent * share_not_converged(c));
    text += fmt::format("{:>9.4f} %{:>7.2f} %{}{:>10.1e}{:>9.0f}  {}\n", percent * c.run->penetration_at_end,
                        percent * p.penetration_max, settling_text(*c.run), c.run->energy_injected_relative,
                        c.bytes_per_body, hash_text(c.state_hash));
    if (p.asleep > 0.0) text += fmt::format("{:<28}{:.0f} of {} bodies asleep\n", "", p.asleep, c.key.bodies);
  }
  return text;
}

bool is_plain(const BenchCase& c) { return c.key.residual_target == 0.0; }

/// The plain measurements as curves, one per key of `curve_of`, x and y by the two functions.
template <class CurveOf, class X, class Y>
std::vector<io::Curve> curves(const std::vector<BenchCase>& cases, CurveOf&& curve_of, X&& x, Y&& y) {
  std::map<std::string, std::map<double, double>> points;
  for (const BenchCase& c : cases) points[curve_of(c)][x(c)] = y(c);
  std::vector<io::Curve> all;
  for (const auto& [label, line] : points) {
    io::Curve curve{label, {}, {}};
    for (const auto& [at, value] : line) {
      curve.x.push_back(at);
      curve.y.push_back(value);
    }
    if (curve.x.size() > 1) all.push_back(std::move(curve));
  }
  return all;
}

double step_time(const BenchCase& c) { return spread(c.step_s).median; }
double threads_of(const BenchCase& c) { return c.key.threads; }

/// The measurement on the fewest threads, which is the reference of a speed-up: for the same bodies or, in
/// weak scaling, for the same number of bodies per thread.
double reference_time(const std::vector<BenchCase>& cases, const BenchCase& of, bool weak) {
  const BenchCase* fewest = &of;
  for (const BenchCase& c : cases) {
    const bool same = c.key.scene == of.key.scene && c.key.solver == of.key.solver &&
                      (weak ? c.key.bodies * of.key.threads == of.key.bodies * c.key.threads
                            : c.key.bodies == of.key.bodies);
    if (same && c.key.threads < fewest->key.threads) fewest = &c;
  }
  return step_time(*fewest) * (weak ? 1.0 : fewest->key.threads);
}

io::Panel scaling_panel(const std::vector<BenchCase>& plain, bool weak) {
  io::Panel panel{
      weak ? "weak scaling" : "strong scaling", "threads", weak ? "efficiency" : "speed-up", {}, {}, {}};
  const auto label = [&](const BenchCase& c) {
    return weak ? fmt::format("{}, {} per thread", c.key.scene, c.key.bodies / c.key.threads)
                : fmt::format("{}, {}", c.key.scene, c.key.bodies);
  };
  panel.curves = curves(plain, label, threads_of,
                        [&](const BenchCase& c) { return reference_time(plain, c, weak) / step_time(c); });
  panel.y_from_zero = panel.whole_x = true;
  double most = 1.0;
  for (const BenchCase& c : plain) most = std::max(most, threads_of(c));
  if (!panel.curves.empty())
    panel.curves.push_back({"ideal", {1.0, most}, {1.0, weak ? 1.0 : most}, io::Line::dashed});
  return panel;
}

/// The stages of the largest scene measured on several threads.
io::Panel stages_panel(const std::vector<BenchCase>& plain) {
  io::Panel panel{"stages", "threads", "ms a step", {}, {}, {}};
  const auto last = std::max_element(plain.begin(), plain.end(), [](const BenchCase& a, const BenchCase& b) {
    return a.key.bodies < b.key.bodies;
  });
  if (last == plain.end()) return panel;
  panel.y_from_zero = panel.whole_x = true;
  panel.title = fmt::format("stages of {}, {} bodies", last->key.scene, last->key.bodies);
  for (const StageName& stage : stage_names) {
    io::Curve curve{stage.name, {}, {}};
    for (const BenchCase& c : plain) {
      if (c.key.scene != last->key.scene || c.key.bodies != last->key.bodies ||
          c.key.solver != last->key.solver)
        continue;
      curve.x.push_back(threads_of(c));
      curve.y.push_back(ms * spread(stage_samples(c, stage.time)).median);
    }
    if (curve.x.size() > 1) panel.curves.push_back(std::move(curve));
  }
  return panel;
}

io::Panel size_panel(const std::vector<BenchCase>& plain) {
  io::Panel panel{"size", "bodies", "microseconds per body and step", io::Axis::logarithmic, {}, {}};
  panel.y_from_zero = true;
  panel.curves = curves(
      plain,
      [](const BenchCase& c) {
        return fmt::format("{}, {} thread{}", c.key.scene, c.key.threads, c.key.threads == 1 ? "" : "s");
      },
      [](const BenchCase& c) { return static_cast<double>(c.key.bodies); },
      [](const BenchCase& c) { return us * step_time(c) / static_cast<double>(c.key.bodies); });
  return panel;
}

io::Panel residual_panel(const std::vector<BenchCase>& to_residual) {
  io::Panel panel{"time to equal residual", "relative residual (rms)", "ms a step",
                  io::Axis::logarithmic,    io::Axis::logarithmic,     {}};
  panel.curves = curves(
      to_residual,
      [](const BenchCase& c) {
        return fmt::format("{} {}, {}{}", c.key.scene, c.key.bodies, c.key.solver,
                           c.key.cold ? ", cold" : "");
      },
      [](const BenchCase& c) { return c.run ? c.physics.residual_mean : c.key.residual_target; },
      [](const BenchCase& c) { return ms * step_time(c); });
  return panel;
}

/// One figure of whole runs over simulated time, one curve per run.
io::Panel run_panel(const std::vector<BenchCase>& plain, const char* title, const char* unit,
                    double RunStretch::*value, double factor) {
  io::Panel panel;
  panel.title = title;
  panel.x_label = "simulated time, s";
  panel.y_label = unit;
  for (const BenchCase& c : plain) {
    if (!c.run) continue;
    const std::string label = fmt::format("{} {}, {}, {} thread{}", c.key.scene, c.key.bodies, c.key.solver,
                                          c.key.threads, c.key.threads == 1 ? "" : "s");
    io::Curve curve{label, {}, {}};
    for (const RunStretch& stretch : c.run->stretches) {
      curve.x.push_back(stretch.time_s);
      curve.y.push_back(factor * stretch.*value);
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

std::vector<io::Panel> run_panels(const std::vector<BenchCase>& plain) {
  io::Panel step = run_panel(plain, "steps of a run", "ms a step", &RunStretch::step_s, ms);
  step.y_from_zero = true;
  io::Panel residual = run_panel(plain, "residual of a run", "largest residual divided by the goal",
                                 &RunStretch::residual_of_goal, 1.0);
  io::Panel energy = run_panel(plain, "settling", "kinetic energy divided by m g d",
                               &RunStretch::kinetic_energy_relative, 1.0);
  residual.y_axis = energy.y_axis = io::Axis::logarithmic;
  return {step, residual, energy};
}

}  // namespace

std::string setting_text(const BenchReport& r) {
  constexpr double gigabyte = 1e9;
  std::string caches;
  for (const std::string& cache : r.machine.caches) caches += ", " + cache;
  std::string text = fmt::format("{}, {} cores, {} threads{}, {:.1f} GB\nscree {} ({}), {}\n", r.machine.cpu,
                                 r.machine.cores, r.machine.threads, caches,
                                 static_cast<double>(r.machine.memory_bytes) / gigabyte, r.build.version,
                                 r.build.commit, r.build.compiler);
  if (r.machine.load > busy_load * r.machine.threads)
    text += fmt::format("the machine is busy (load {:.1f}): times are not reliable\n", r.machine.load);
  return text;
}

std::string preparation_text(const Preparation& p) {
  if (p.steps == 0) return "timed from the start of the scene\n";
  return fmt::format("prepared in {} steps to t = {:g} s, {:.3g} s on {} thread{}; {}\n", p.steps,
                     p.simulated_s, p.wall_s, p.threads, p.threads == 1 ? "" : "s",
                     p.at_rest ? "at rest"
                               : fmt::format("in motion, kinetic energy {:.1e} of the energy that lifts all "
                                             "bodies by their smallest length",
                                             p.kinetic_energy_relative));
}

std::string cases_text(const std::vector<BenchCase>& cases) {
  if (!cases.empty() && cases.front().run)
    return run_times_text(cases) + "\n" + stages_text(cases) + "\n" + run_physics_text(cases);
  return times_text(cases) + "\n" + stages_text(cases) + "\n" + physics_text(cases);
}

std::vector<io::Panel> bench_panels(const BenchReport& report, bool weak) {
  std::vector<BenchCase> plain, to_residual;
  for (const BenchCase& c : report.cases) (is_plain(c) ? plain : to_residual).push_back(c);
  std::vector<io::Panel> panels = {scaling_panel(plain, weak), stages_panel(plain),
                                   weak ? io::Panel{} : size_panel(plain), residual_panel(to_residual)};
  for (io::Panel& panel : run_panels(plain)) panels.push_back(std::move(panel));
  std::erase_if(panels, [](const io::Panel& panel) { return panel.curves.empty(); });
  return panels;
}

}  // namespace scree
