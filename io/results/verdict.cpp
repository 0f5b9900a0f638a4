#include "io/results/verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "io/results/summary.h"

namespace scree::io {

namespace {

// Nobody is told to make more sweeps than this: what they do not solve is not for sweeps to solve.
constexpr double most_sweeps_advised = 2000.0;

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

std::string at(const Moment& when) { return fmt::format("t = {:.6g} s (step {})", when.time_s, when.step); }

/// The next number of 1, 2, 5, 10, 20, ... that is not below x.
double rounded_up(double x) {
  const double decade = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (x <= digit * decade * (1.0 + 1e-9)) return digit * decade;
  }
  return 10.0 * decade;
}

/// The last one that is not above it.
double rounded_down(double x) { return 1.0 / rounded_up(1.0 / x); }

/// A step that is shorter by a factor than the one that came to `when`; of steps that were adaptive the mean
/// one if that is not known.
std::string smaller_step(const Summary& s, const Settings& settings, double factor, const Moment& when = {}) {
  const double adaptive = when.time_step_s > 0.0 ? when.time_step_s : s.time_step_s,
               wanted = rounded_down(factor * (settings.adaptive_step ? adaptive : settings.time_step_s));
  return fmt::format("{} = {:.3g} instead of {:.6g}",
                     settings.adaptive_step ? "largest_time_step" : "time_step", wanted,
                     settings.time_step_s);
}

std::string half_step(const Summary& s, const Settings& settings, const Moment& when = {}) {
  return smaller_step(s, settings, 0.5, when);
}

/// How residuals get smaller. Sweeps bring them down about as their number goes up, so many times more are
/// wanted as nine of ten steps that missed the goal missed it by.
std::string better_solved(const Summary& s, const Settings& settings) {
  const SolverSettings& solver = settings.solver;
  if (solver.kind == SolverKind::one_pass)
    return "solver.kind = \"per_body\" instead of \"one_pass\", which leaves what one pass leaves";
  if (solver.position_correction == PositionCorrection::biased)
    return fmt::format("raise solver.biased_sweeps from {} and solver.unbiased_sweeps from {}",
                       solver.biased_sweeps, solver.unbiased_sweeps);
  const double wanted = rounded_up(solver.max_sweeps * std::max(far_from_goal, s.goal_missed_by_p90));
  if (wanted <= most_sweeps_advised)
    return fmt::format("raise solver.max_sweeps from {} to {:g}", solver.max_sweeps, wanted);
  return fmt::format(
      "raise solver.max_sweeps from {} as far as time allows, or ask for less than solver.tolerance = {:g}",
      solver.max_sweeps, solver.tolerance);
}

bool is_unsolved(const Summary& s) {
  return share(s.steps_unsolved, s.steps) > unsolved_limit.amber ||
         s.solver == to_string(SolverKind::one_pass);
}

struct Told {
  double value;
  std::string text, advice;
};

Told tell_failed(const Summary& s, const Settings&) {
  if (s.status != RunStatus::failed) return {0.0, "the run did not fail", ""};
  return {1.0, "the run failed at " + at({s.last.step, s.last.time_s}),
          "the message above says why; what is in the results led there"};
}

Told tell_lost(const Summary& s, const Settings& settings) {
  return {share(s.lost_bodies, s.bodies),
          fmt::format("{} of {} bodies are lost: behind a wall, or without finite numbers", s.lost_bodies,
                      s.bodies),
          is_unsolved(s) ? better_solved(s, settings) : half_step(s, settings)};
}

std::string names(const DeepestOverlap& deepest) {
  if (deepest.body < 0) return "";
  if (deepest.boundary.empty())
    return fmt::format(" between bodies {} and {}", deepest.body, deepest.other_body);
  return fmt::format(" between body {} and boundary '{}'", deepest.body, deepest.boundary);
}

Told tell_overlap(const Summary& s, const Settings& settings) {
  const double value = s.penetration_max_of_run;
  if (value == 0.0) return {value, "nothing overlapped", ""};
  Told told{value,
            fmt::format("deepest overlap {} of the smallest semi-axis{} at {}", percent(value),
                        names(s.deepest), at(s.deepest.when)),
            ""};
  // Of impacts it falls with the square of the step.
  const std::string step =
      smaller_step(s, settings, std::min(1.0, std::sqrt(overlap_limit.amber / value)), s.deepest.when);
  if (s.deepest.when.step <= 1) {
    told.advice = "the scene begins with it: `scree check` names the pair; place the two apart";
  } else if (s.deepest.residual_of_scale > unsolved_residual) {
    told.text += ", which was not solved";
    told.advice = better_solved(s, settings) + ", and if that does not do, " + step;
  } else {
    told.advice = step;
  }
  return told;
}

Told tell_unsolved(const Summary& s, const Settings& settings) {
  Told told{share(s.steps_unsolved, s.steps),
            fmt::format("{} of the steps left more than {} of the velocities that contacts had to settle",
                        percent(share(s.steps_unsolved, s.steps)), percent(unsolved_residual)),
            better_solved(s, settings)};
  // Rigid bodies between a wall and what does not give way: there is no solution.
  if (told.value > unsolved_limit.red && !s.unyielding.empty())
    told.advice = fmt::format(
        "where {}{} presses something against a wall nothing can solve it: let a force move it "
        "(a mount, a motor with `most`) or stop it in time; if it does not, {}",
        s.unyielding.front(),
        s.unyielding.size() > 1 ? " or another thing that moves as it is told"
                                : ", which moves as it is told,",
        told.advice);
  return told;
}

Told tell_missed(const Summary& s, const Settings& settings) {
  Told told{share(s.steps_far_from_goal, s.steps), "every step came to the solver's goal",
            better_solved(s, settings)};
  if (s.steps_not_converged > 0)
    told.text = fmt::format(
        "{} of the steps ({} of {}) missed the solver's goal, half of these by more than {:.3g} times, the "
        "worst by {:.3g} times "
        "at {}; {} of all by more than {:g} times",
        percent(share(s.steps_not_converged, s.steps)), s.steps_not_converged, s.steps,
        s.goal_missed_by_median, s.goal_missed_by_max, at(s.goal_missed_most), percent(told.value),
        far_from_goal);
  return told;
}

Told tell_created(const Summary& s, const Settings& settings) {
  Told told{s.energy_created_relative,
            fmt::format("{} of the energy turned over came from nowhere", percent(s.energy_created_relative)),
            ""};
  if (s.energy_created_relative > 0.0) told.text += ", most of it at " + at(s.energy_created_most);
  if (is_unsolved(s))
    told.advice = better_solved(s, settings);
  else if (s.bounces && settings.restitution_law == RestitutionLaw::newton)
    told.advice = "restitution_law = \"energetic\", which never creates energy";
  else
    told.advice = half_step(s, settings, s.energy_created_most);
  return told;
}

Told tell_ledger(const Summary& s, const Settings& settings) {
  return {s.energy_unexplained_relative,
          fmt::format("{:.2g} of the energy turned over is in no account", s.energy_unexplained_relative),
          half_step(s, settings) +
              "; if that does not help, it is a fault of the program: report it with the scene"};
}

Told tell_momentum(const Summary& s, const Settings& settings) {
  const double value = std::max(s.momentum_created_relative, s.angular_momentum_created_relative);
  return {value, fmt::format("momentum from nowhere: {:.2g} of all impulses", value),
          settings.solver.kind == SolverKind::one_pass
              ? better_solved(s, settings)
              : "it is a fault of the program: report it with the scene"};
}

Told tell_search(const Summary& s, const Settings& settings) {
  return {share(s.narrow_phase_failures, s.candidates),
          fmt::format("{} of {} searches for contacts did not end{}", s.narrow_phase_failures, s.candidates,
                      s.narrow_phase_failures > 0 ? ": contacts may be missing" : ""),
          half_step(s, settings) + ", or bodies with less unequal semi-axes"};
}

struct Check {
  VerdictLimit limit;
  Told (*tell)(const Summary& summary, const Settings& settings);
};

constexpr Check checks[] = {
    {failed_limit, tell_failed},     {lost_limit, tell_lost},         {overlap_limit, tell_overlap},
    {unsolved_limit, tell_unsolved}, {missed_limit, tell_missed},     {created_limit, tell_created},
    {ledger_limit, tell_ledger},     {momentum_limit, tell_momentum}, {search_limit, tell_search}};

}  // namespace

const char* to_string(Grade grade) {
  switch (grade) {
    case Grade::green:
      return "green";
    case Grade::amber:
      return "amber";
    case Grade::red:
      return "red";
  }
  return "";
}

const char* meaning(Grade grade) {
  switch (grade) {
    case Grade::green:
      return "nothing speaks against this run";
    case Grade::amber:
      return "usable, but look at this";
    case Grade::red:
      return "do not trust this run";
  }
  return "";
}

Grade grade_of(double value, const VerdictLimit& limit) {
  if (value <= limit.amber) return Grade::green;
  return value <= limit.red ? Grade::amber : Grade::red;
}

Verdict judge(const Summary& summary, const Settings& settings) {
  Verdict verdict;
  for (const auto& [limit, tell] : checks) {
    Told told = tell(summary, settings);
    const Grade grade = grade_of(told.value, limit);
    if (grade == Grade::green) told.advice.clear();
    verdict.grade = std::max(verdict.grade, grade);
    verdict.findings.push_back({limit.code, grade, told.value, grade == Grade::red ? limit.red : limit.amber,
                                std::move(told.text), std::move(told.advice)});
  }
  std::ranges::stable_sort(verdict.findings, std::greater{}, &Finding::grade);
  return verdict;
}

}  // namespace scree::io
