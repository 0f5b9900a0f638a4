#include "engine/simulation/adaptive_step.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/simulation/halving.h"
#include "engine/simulation/subsystems/contact_springs.h"

namespace scree {

namespace {

// (A6), found by trials on five scenes (docs/decisions/0015).
constexpr double most_travel = 0.5;     // of a body's smallest length, by its own speed
constexpr double most_approach = 0.15;  // of the smaller smallest length, by bodies that have just met
constexpr double most_fall = 0.06;      // of sqrt(length / g)
constexpr double usual_overlap = 1e-3;  // to which these belong
constexpr double growth = 1.1, cut = 0.8, deepest_cut = 0.5;
// Growth of an overlap in a step, over the overlap aim, that counts against the step: slow growth is
// not caused by the step's length.
constexpr double creep = 0.02;

double larger(double a, double b) { return std::max(a, b); }

/// The value times q.
double loosened(const Settings& settings, double part) {
  return part * std::sqrt(settings.time_step_overlap / usual_overlap);
}

/// Extremes over bodies.
struct Extremes {
  double fastest = 0.0, shortest = infinity;  // speed over smallest length, 1/s; smallest length, m
};
/// Speeds relative to the flow of a cell, which images share, and the relative speed of two neighbours.
Extremes extremes(const Shapes& shapes, const Bodies& bodies, const PlacedCell& cell = {}) {
  const bool flows = cell.flows();
  const double strain = cell.rate.norm();
  const Extremes own = reduce_blocks(
      bodies.size(), grain_medium, Extremes{},
      [&](const Block& block) {
        Extremes e;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const double length = shapes.smallest_length(bodies.shape[i]),
                       excess = shapes.bounding_radius(bodies.shape[i]) - length;
          const Vec3 v = flows ? Vec3(bodies.linear_velocity[i] - cell.flow(bodies.position[i]))
                               : bodies.linear_velocity[i];
          const double speed = v.norm() + strain * length + excess * bodies.angular_velocity[i].norm();
          e.fastest = std::max(e.fastest, speed / length);
          e.shortest = std::min(e.shortest, length);
        }
        return e;
      },
      [](const Extremes& a, const Extremes& b) -> Extremes {
        return {std::max(a.fastest, b.fastest), std::min(a.shortest, b.shortest)};
      });
  return {most(bodies.ranks, own.fastest), least(bodies.ranks, own.shortest)};
}

/// The longest step that speeds and sizes of bodies allow if free fall gains g, m/s^2; s.
double longest_step(const Settings& settings, double g, const Extremes& of_bodies) {
  double longest = settings.time_step_s;
  if (of_bodies.fastest > 0.0) longest = std::min(longest, most_travel / of_bodies.fastest);
  if (g > 0.0) longest = std::min(longest, loosened(settings, most_fall) * std::sqrt(of_bodies.shortest / g));
  return longest;
}

/// The fastest approach of two surfaces that meet within h, over the length of their contact, 1/s.
double fastest_approach(const ContactProblem& p, double h) {
  const double fastest_of_own = reduce_blocks(
      p.contacts(), grain_medium, 0.0,
      [&](const Block& block) {
        double fastest = 0.0;
        for (std::size_t c = block.begin; c < block.end; ++c) {
          const double speed = -double{p.approach[c]};
          if (p.contact[c].gap - h * speed < 0.0) fastest = std::max(fastest, speed / p.contact[c].length);
        }
        return fastest;
      },
      larger);
  return most(p.ranks(), fastest_of_own);
}

/// Factor of the last step on the next one's length. A missed goal of the solver does not count by itself:
/// the goal decreases with the step, and a solver that cannot reach it would make steps shorter and shorter.
double factor_after(const Settings& settings, const StepReport& report, double shortest,
                    double overlap_before) {
  const double aim = settings.time_step_overlap + settings.solver.correction_slop,
               overlap = report.penetration_max;
  const bool unsolved = report.status != SolveStatus::converged &&
                        report.residual_max_m_s * report.time_step_s > settings.time_step_overlap * shortest;
  double factor = unsolved || report.halvings > 0 ? cut : growth;
  if (overlap > aim && overlap - overlap_before > creep * settings.time_step_overlap)
    factor = std::min(factor, std::max(deepest_cut, std::sqrt(aim / overlap)));
  return factor;
}

/// The remaining time divided into equal steps, each as near to `wanted_s` as possible and not above it.
double even_part(double left_s, double wanted_s) {
  if (!(left_s < infinity)) return wanted_s;
  return left_s / std::max(1.0, std::ceil(left_s / wanted_s - step_rounding));
}

}  // namespace

namespace {
/// The step from the number of steps per impact in the settings, s; infinite without it.
double step_for_impacts(const Model& model, const Bodies& bodies, const Workspace* w) {
  const double steps = model.settings.steps_per_impact;
  if (!(steps > 0.0) || !model.materials.are_elastic()) return infinity;
  return std::numbers::pi / (steps * fastest_swing(model, bodies, w));
}
}  // namespace

double first_step(const Model& model, const Bodies& bodies) {
  const Settings& settings = model.settings;
  if (!settings.adaptive_step) return settings.time_step_s;
  return std::max(settings.least_time_step_s,
                  std::min(longest_step(settings, settings.gravity.norm(), extremes(model.shapes, bodies)),
                           step_for_impacts(model, bodies, nullptr)));
}

void limit_next_step(const Model& model, State& state) {
  const Settings& settings = model.settings;
  if (!settings.adaptive_step || !(state.memory.next_s > 0.0)) return;
  const Extremes of_bodies = extremes(
      model.shapes, state.bodies, model.cell.flows() ? cell_at(model, state, state.time_s) : PlacedCell{});
  const double longest =
      std::max(settings.least_time_step_s,
               longest_step(settings, gravity_at(model, state, state.time_s).norm(), of_bodies));
  state.memory.next_s = std::min(state.memory.next_s, longest);
  state.memory.after_next_s = std::min(state.memory.after_next_s, longest);
}

StepPlan plan_step(const Model& model, const State& state, double land_at_s) {
  const double fixed = model.settings.time_step_s;
  if (model.settings.stepping == Stepping::piecewise) {
    const double next = fixed * (std::floor(state.time_s / fixed * (1.0 + step_rounding)) + 1.0),
                 end = std::min(next, land_at_s);
    return {end - state.time_s, fixed, end};
  }
  if (!model.settings.adaptive_step) {
    // Times are multiples, not sums, unless steps of another length came before.
    const double steps = std::round(state.time_s / fixed);
    const bool even = std::abs(state.time_s - steps * fixed) <= step_rounding * fixed;
    return {fixed, fixed, even ? (steps + 1.0) * fixed : state.time_s + fixed};
  }
  assert(land_at_s > state.time_s);
  StepMemory wanted = state.memory;
  if (!(wanted.next_s > 0.0)) wanted.next_s = wanted.after_next_s = first_step(model, state.bodies);
  const double left = land_at_s - state.time_s, h = even_part(left, wanted.next_s);
  if (h >= left * (1.0 - step_rounding)) return {left, wanted.after_next_s, land_at_s};
  return {h, even_part(left - h, wanted.after_next_s), state.time_s + h};
}

void carry_impulses_to(double h, State& state) {
  const double last = state.memory.last_s;
  if (last > 0.0 && std::abs(h - last) > step_rounding * last) scale_impulses(h / last, state);
}

void choose_next_steps(const Model& model, const StepPlan& done, const Workspace& w, const StepReport& report,
                       State& state) {
  const Settings& settings = model.settings;
  StepMemory& memory = state.memory;
  memory.last_s = done.h;
  if (!settings.adaptive_step) {  // a step keeps its length, and begins with a short interval
    memory.next_s = memory.after_next_s = done.most_next_h < infinity ? done.most_next_h : 0.0;
    return;
  }
  if (!(memory.next_s > 0.0)) memory.next_s = memory.after_next_s = std::max(done.h, done.next_h);
  const Extremes of_bodies = extremes(
      model.shapes, state.bodies, model.cell.flows() ? cell_at(model, state, state.time_s) : PlacedCell{});
  double wanted = factor_after(settings, report, of_bodies.shortest, memory.overlap) * memory.next_s;
  // Shorter at once, but at most halved: the speed at which bodies meet varies much from step to step.
  if (const double fastest = fastest_approach(w.problem, done.h); fastest > 0.0)
    wanted =
        std::min(wanted, std::max(deepest_cut * memory.next_s, loosened(settings, most_approach) / fastest));
  wanted = std::min(wanted, step_for_impacts(model, state.bodies, &w));
  wanted = std::max(
      settings.least_time_step_s,
      std::min(wanted, longest_step(settings, gravity_at(model, state, state.time_s).norm(), of_bodies)));
  // The last step has predicted up to the next one's middle: so this may not become longer.
  memory.next_s =
      std::min({wanted, memory.after_next_s, std::max(settings.least_time_step_s, done.most_next_h)});
  memory.after_next_s = wanted;
  memory.overlap = report.penetration_max;
}

}  // namespace scree
