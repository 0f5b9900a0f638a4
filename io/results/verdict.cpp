#include "io/results/verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "io/results/summary.h"

namespace scree::io {

namespace {

// Limit of advised sweeps: more sweeps would not solve the rest.
constexpr double most_sweeps_advised = 2000.0;
// Share of steps below which adaptive steps are advised in place of a shorter constant one.
constexpr double rare_share = 0.1;

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

std::string at(const Moment& when) { return fmt::format("t = {:.6g} s (step {})", when.time_s, when.step); }

/// The least number of 1, 2, 5, 10, 20, ... that is not below x.
double rounded_up(double x) {
  const double decade = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (x <= digit * decade * (1.0 + 1e-9)) return digit * decade;
  }
  return 10.0 * decade;
}

/// The largest one that is not above it.
double rounded_down(double x) { return 1.0 / rounded_up(1.0 / x); }

/// A step shorter by a factor than the one at `when`; for adaptive steps the mean one if that is
/// unknown.
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

/// Advice for smaller residuals. Sweeps reduce them about in inverse proportion to their number, so the
/// number is multiplied by the factor by which nine of ten steps that missed the goal missed it at most.
std::string better_solved(const Summary& s, const Settings& settings) {
  const SolverSettings& solver = settings.solver;
  if (solver.kind == SolverKind::one_pass)
    return "solver.kind = \"gauss_seidel\" instead of \"one_pass\", which makes a single pass and does not "
           "iterate";
  if (solver.position_correction == PositionCorrection::biased)
    return fmt::format("raise solver.biased_sweeps from {} and solver.unbiased_sweeps from {}",
                       solver.biased_sweeps, solver.unbiased_sweeps);
  const double wanted = rounded_up(solver.max_sweeps * std::max(far_from_goal, s.goal_missed_by_p90));
  if (wanted <= most_sweeps_advised)
    return fmt::format("raise solver.max_sweeps from {} to {:g}", solver.max_sweeps, wanted);
  return fmt::format(
      "raise solver.max_sweeps from {} as far as run time allows, or accept a larger solver.tolerance than "
      "{:g}",
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
  if (s.status != RunStatus::failed && s.steps == 0)
    return {0.5, "no step was made",
            "end_time, or --until, must be after the start by at least half a time step"};
  if (s.status != RunStatus::failed) return {0.0, "the run did not fail", ""};
  return {1.0, "the run failed at " + at({s.last.step, s.last.time_s}),
          "the message above gives the reason; the results show how it came about"};
}

Told tell_lost(const Summary& s, const Settings& settings) {
  return {share(s.lost_bodies, s.bodies),
          fmt::format("{} of {} bodies are lost: behind a wall, or without finite numbers", s.lost_bodies,
                      s.bodies),
          is_unsolved(s) ? better_solved(s, settings) : half_step(s, settings)};
}

/// The names of the two bodies, or those of the body and the wall.
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
  // For impacts it decreases with the square of the step.
  std::string step =
      smaller_step(s, settings, std::min(1.0, std::sqrt(overlap_limit.amber / value)), s.deepest.when);
  // A few steps do not need a shorter step throughout the run.
  const bool rare = share(s.steps_overlapping, s.steps) < rare_share;
  if (rare && value > overlap_limit.amber && !settings.adaptive_step &&
      settings.stepping == Stepping::contacts)
    step = fmt::format("time_step = \"adaptive\", because only {} of {} steps overlap by more than {}; or {}",
                       s.steps_overlapping, s.steps, percent(overlap_limit.amber), step);
  if (s.deepest.when.step <= 1) {
    told.advice = "it is present at the start of the scene: `scree check` names the pair; move the two apart";
  } else if (s.deepest.residual_of_scale > unsolved_residual) {
    told.text += ", in a step that was not solved";
    told.advice = better_solved(s, settings) + ", and if that is not enough, " + step;
  } else {
    told.advice = step;
  }
  return told;
}

Told tell_compression(const Summary& s, const Settings& settings) {
  const auto& [value, where, at_once] = s.compression;
  if (value == 0.0) return {value, "no elastic contact was compressed", ""};
  return {value,
          fmt::format("an elastic contact{} was compressed by {} of the smallest semi-axis, {}, at {}",
                      names(where), percent(value), at_once ? "within one step" : "over several steps",
                      at(where.when)),
          at_once ? half_step(s, settings, where.when) +
                        ": an impact led one body that far into the other before its step ended"
                  : "a stiffer material (youngs_modulus, stiffness) or smaller loads: steps resolved this "
                    "compression, so that shorter ones change nothing, and contact laws are valid for small "
                    "compression"};
}

Told tell_unsolved(const Summary& s, const Settings& settings) {
  Told told{
      share(s.steps_unsolved, s.steps),
      fmt::format("in {} of the steps the residual exceeded {} of the velocity that contacts had to change",
                  percent(share(s.steps_unsolved, s.steps)), percent(unsolved_residual)),
      better_solved(s, settings)};
  // Rigid bodies between a wall and what does not give way: there is no solution.
  if (told.value > unsolved_limit.red && !s.unyielding.empty())
    told.advice = fmt::format(
        "if {}{} presses something against a wall, there is no solution: move it by a force "
        "(a part with a `freedom`, a motor with `most`) or stop it in time; otherwise, {}",
        s.unyielding.front(),
        s.unyielding.size() > 1 ? " or another part with prescribed motion"
                                : ", which has a prescribed motion,",
        told.advice);
  return told;
}

Told tell_missed(const Summary& s, const Settings& settings) {
  Told told{share(s.steps_far_from_goal, s.steps), "every step reached the solver's goal",
            better_solved(s, settings)};
  if (s.steps_not_converged > 0)
    told.text = fmt::format(
        "{} of the steps ({} of {}) missed the solver's goal: half of these by a factor of more than {:.3g}, "
        "the "
        "worst by a factor of {:.3g} at {}; {} of all steps by a factor of more than {:g}",
        percent(share(s.steps_not_converged, s.steps)), s.steps_not_converged, s.steps,
        s.goal_missed_by_median, s.goal_missed_by_max, at(s.goal_missed_most), percent(told.value),
        far_from_goal);
  return told;
}

Told tell_given(const Summary& s, const Settings& settings) {
  Told told{s.given_mean, "no contact gave way", ""};
  if (s.steps_given == 0) return told;
  told.text = fmt::format(
      "contacts gave way in {} of {} steps, where sweeps would not end: by {} of the velocity that contacts "
      "had to change as a mean over all steps, and by {} at most, at {}",
      s.steps_given, s.steps, percent(s.given_mean), percent(s.given_max), at(s.given_most));
  told.advice = half_step(s, settings) +
                ", so that forces of jammed grains change less in a step; or solver.give_way = false with "
                "more sweeps";
  return told;
}

/// Advice from trials of both: the one that reduces the gain to half or less, and the better of the two.
std::string tried(const Remedies& r, const Summary& s, const Settings& settings) {
  const std::string tolerance = fmt::format("solver.tolerance = {:.3g}", finer * settings.solver.tolerance),
                    step = half_step(s, settings, s.energy_created_most);
  const auto with = [](double left) { return "with it " + percent(left) + " remains"; };
  if (std::min(r.finer_tolerance, r.shorter_step) > 0.5 * r.as_it_is)
    return fmt::format(
        "{}, or {}: with them {} and {} of {} remain; try both together, or smaller values, or check the "
        "initial state of the scene",
        step, tolerance, percent(r.shorter_step), percent(r.finer_tolerance), percent(r.as_it_is));
  return r.finer_tolerance < r.shorter_step ? tolerance + ": " + with(r.finer_tolerance)
                                            : step + ": " + with(r.shorter_step);
}

Told tell_created(const Summary& s, const Settings& settings) {
  Told told{s.energy_created_relative,
            fmt::format("{} of the energy in play was created without a source",
                        percent(s.energy_created_relative)),
            ""};
  if (s.energy_created_relative > 0.0) told.text += ", most of it until " + at(s.energy_created_most);
  if (is_unsolved(s))
    told.advice = better_solved(s, settings);
  else if (s.bounces && settings.restitution_law == RestitutionLaw::newton)
    told.advice = "restitution_law = \"dissipative\" or \"energetic\", which never create energy";
  else if (s.remedies)
    told.advice = tried(*s.remedies, s, settings);
  else
    told.advice = half_step(s, settings, s.energy_created_most);
  return told;
}

Told tell_ledger(const Summary& s, const Settings& settings) {
  return {s.energy_unexplained_relative,
          fmt::format("{:.2g} of the energy turned over is unexplained", s.energy_unexplained_relative),
          half_step(s, settings) +
              "; if that does not help, it is an error in Scree: please report it with the scene"};
}

Told tell_momentum(const Summary& s, const Settings& settings) {
  const double value = std::max(s.momentum_created_relative, s.angular_momentum_created_relative);
  return {value, fmt::format("momentum created without a source: {:.2g} of all impulses", value),
          settings.solver.kind == SolverKind::one_pass
              ? better_solved(s, settings)
              : "it is an error in Scree: please report it with the scene"};
}

Told tell_search(const Summary& s, const Settings& settings) {
  return {share(s.narrow_phase_failures, s.candidates),
          fmt::format("{} of {} contact searches did not converge{}", s.narrow_phase_failures, s.candidates,
                      s.narrow_phase_failures > 0 ? ": contacts may be missing" : ""),
          half_step(s, settings) + ", or use bodies whose semi-axes differ less"};
}

/// The body that a part pinches: which, where, and against which other object.
std::string pinched(const Pinch& p) {
  if (p.body < 0) return "";
  return fmt::format(", hardest on body {} at ({:.4g}, {:.4g}, {:.4g}) m{}", p.body, p.place.x(), p.place.y(),
                     p.place.z(), p.against.empty() ? "" : ", against " + p.against);
}

Told tell_pinch(const Summary& s, const Settings&) {
  const Pinch& p = s.pinch;
  if (p.by.empty()) return {0.0, "no part with prescribed motion pinched bodies", ""};
  const char* const others =
      "move it by a force (a part with a `freedom`, or a motor with `most`), or make the clearance wider "
      "or much narrower than the grains";
  return {
      p.relative,
      fmt::format("{} pressed with {:.3g} N (its median is {:.3g} N) at a power of {:.3g} W, at {}{}", p.by,
                  p.force_N, p.median_force_N, p.power_W, at(p.when), pinched(p)),
      (s.compression.value > 0.0
           ? "grains between a wall with prescribed motion and another wall are crushed: "
           : "rigid grains between a wall with prescribed motion and another wall cannot give way, and the "
             "force has no meaning: give the grains their modulus (`youngs_modulus`), ") +
          std::string(others)};
}

Told tell_wall_travel(const Summary& s, const Settings& settings) {
  const WorstStep& w = s.wall_travel;
  return {w.value,
          w.whose.empty()
              ? "no wall moved far in a step"
              : fmt::format("boundary '{}' moved by {:.3g} of the smallest semi-axis of bodies near it in a "
                            "step, at {}",
                            w.whose, w.value, at(w.when)),
          w.value > 0.0 ? smaller_step(s, settings, fair_travel / w.value, w.when) : ""};
}

Told tell_wall_detour(const Summary& s, const Settings& settings) {
  const WorstStep& w = s.wall_detour;
  // The error of a curved path decreases with the square of the step; that of a path with many oscillations
  // or rotations in it with none of it.
  const double shorter = w.value > 1.0 ? 0.1 : std::sqrt(fair_detour / std::max(w.value, fair_detour));
  return {w.value,
          w.whose.empty()
              ? "walls moved uniformly within steps"
              : fmt::format("boundary '{}' deviated by {:.3g} of the smallest semi-axis from uniform motion "
                            "within a step, which bodies do not feel, at {}",
                            w.whose, w.value, at(w.when)),
          "`scree check` prints a suitable step; at most " + smaller_step(s, settings, shorter, w.when)};
}

Told tell_turn(const Summary& s, const Settings& settings) {
  const WorstStep& w = s.turn;
  return {w.value,
          w.whose.empty()
              ? "no body rotated far in a step while it touched something"
              : fmt::format("body {} rotated by {:.3g} rad in a step in which it touched something, at {}",
                            w.whose, w.value, at(w.when)),
          w.value > 0.0 ? smaller_step(s, settings, fair_turn / w.value, w.when) : ""};
}

Told tell_joint(const Summary& s, const Settings& settings) {
  const WorstStep& w = s.joint;
  return {w.value,
          w.whose.empty()
              ? "joints and their stops held"
              : fmt::format("joint '{}' was {:.3g} off its constraints or beyond its stops (rad, or lengths "
                            "over the body's size), at {}",
                            w.whose, w.value, at(w.when)),
          "a smaller time_step (now " + fmt::format("{:g} s", settings.time_step_s) +
              "), unless constraints contradict each other: a motor without `most` is stronger than a stop, "
              "and two joints cannot hold a body in two places"};
}

Told tell_unreturned(const Summary& s, const Settings& settings) {
  const double taken = s.energy.dissipated_by_friction + s.energy.dissipated_by_impact,
               turned_over = std::max(s.kinetic_initial_J, s.energy.kinetic + taken);
  Told told{0.0, "restitution returned the energy that it should", ""};
  if (s.unreturned_J > unreturned_counts * turned_over && taken > 0.0) told.value = s.unreturned_J / taken;
  if (s.unreturned_J > 0.0)
    told.text = fmt::format(
        "impacts that were caused by others within a step did not bounce: {:.3g} J that restitution should "
        "return are missing, of {:.3g} J that contacts dissipated",
        s.unreturned_J, taken);
  told.advice = "restitution_law = \"energetic\", which resolves impacts one after another; or " +
                half_step(s, settings);
  return told;
}

Told tell_frames(const Summary& s, const Settings&) {
  return {
      s.frame_rounding.relative,
      fmt::format(
          "positions in frames have errors of up to {:.2g} m, {} of the smallest length of bodies, because "
          "frames are in single precision",
          s.frame_rounding.length, percent(s.frame_rounding.relative)),
      fmt::format("origin = [{}, {}, {}] in the scene, which is subtracted in frames, walls and exports",
                  s.better_origin.x(), s.better_origin.y(), s.better_origin.z())};
}

struct Check {
  VerdictLimit limit;
  Told (*tell)(const Summary& summary, const Settings& settings);
};

constexpr Check checks[] = {{failed_limit, tell_failed},
                            {pinch_limit, tell_pinch},
                            {wall_travel_limit, tell_wall_travel},
                            {wall_detour_limit, tell_wall_detour},
                            {turn_limit, tell_turn},
                            {joint_limit, tell_joint},
                            {lost_limit, tell_lost},
                            {overlap_limit, tell_overlap},
                            {compression_limit, tell_compression},
                            {unsolved_limit, tell_unsolved},
                            {missed_limit, tell_missed},
                            {given_limit, tell_given},
                            {created_limit, tell_created},
                            {ledger_limit, tell_ledger},
                            {momentum_limit, tell_momentum},
                            {search_limit, tell_search},
                            {unreturned_limit, tell_unreturned},
                            {frames_limit, tell_frames}};

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
      return "all checks passed";
    case Grade::amber:
      return "usable, but see the findings";
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
  // Other advice cannot correct the effects of a pinch, or of a wall that moves too far.
  const auto rules = [](const Finding& f) {
    return f.grade != Grade::green && (f.code == pinch_limit.code || f.code == wall_travel_limit.code ||
                                       f.code == wall_detour_limit.code);
  };
  if (const auto first = std::ranges::find_if(verdict.findings, rules); first != verdict.findings.end()) {
    for (Finding& f : verdict.findings)
      if (f.grade != Grade::green && !rules(f) && f.code != failed_limit.code)
        f.advice = fmt::format("first fix '{}'", first->code);
    const std::string code = first->code;
    std::ranges::stable_sort(verdict.findings, std::greater{}, &Finding::grade);
    const auto place = std::ranges::find(verdict.findings, code, &Finding::code);
    place->grade = std::max(place->grade, verdict.grade);  // it is the cause of the others
    std::rotate(verdict.findings.begin(), place, place + 1);
    return verdict;
  }
  std::ranges::stable_sort(verdict.findings, std::greater{}, &Finding::grade);
  return verdict;
}

}  // namespace scree::io
