#include "tools/solve/measure.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace scree {

namespace {

constexpr double timing_patience_s = 0.02;  // short solutions are timed again until they have taken this time
constexpr int most_timings = 20;

/// Solves once and fills all members except the requested number of sweeps.
SolvePoint solve_once(const io::StoredProblem& stored, const SolverSettings& settings, SolveReport& report) {
  SolvePoint point;
  const auto start = std::chrono::steady_clock::now();
  double scale = 0.0;
  if (const auto* bodies = std::get_if<ContactProblem>(&stored.problem)) {
    SolverWorkspace workspace;
    ContactSolution solution;
    report = solve(*bodies, settings, workspace, solution);
    scale = bodies->velocity_scale;
  } else {
    const auto& problem = std::get<DelassusProblem>(stored.problem);
    DelassusSolution solution;
    report = solve(problem, settings, solution);
    scale = problem.velocity_scale;
    point.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    point.collection_error = collection_error(problem, solution);
  }
  if (point.time_s == 0.0)
    point.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  point.sweeps = report.sweeps;
  point.residual_rms_m_s = report.residual.rms_m_s;
  point.residual_max_m_s = report.residual.max_m_s;
  point.residual_relative = scale > 0.0 ? report.residual.rms_m_s / scale : 0.0;
  return point;
}

/// 1, 2, 3, 5, 10, 20, 30, 50, ...
int next_limit(int limit) {
  int decade = 1;
  while (limit >= 10 * decade) decade *= 10;
  for (const int step : {1, 2, 3, 5}) {
    if (step * decade > limit) return step * decade;
  }
  return 10 * decade;
}

}  // namespace

SolvePoint solve_timed(const io::StoredProblem& stored, const SolverSettings& settings, SolveReport& report) {
  SolvePoint point = solve_once(stored, settings, report);
  double spent = point.time_s;
  for (int k = 1; k < most_timings && spent < timing_patience_s; ++k) {
    const double again = solve_once(stored, settings, report).time_s;
    spent += again;
    point.time_s = std::min(point.time_s, again);
  }
  return point;
}

SolveCurve solve_curve(const io::StoredProblem& stored, const SolverSettings& settings) {
  SolveCurve curve;
  curve.kind = settings.kind;
  SolverSettings limited = settings;
  for (int limit = 1;; limit = next_limit(limit)) {
    limited.max_sweeps = std::min(limit, settings.max_sweeps);
    SolveReport report;
    curve.points.push_back(solve_timed(stored, limited, report));
    curve.converged = curve.points.back().residual_relative <= settings.tolerance;
    const bool ended = report.sweeps < limited.max_sweeps || report.status == SolveStatus::diverged;
    if (curve.converged || ended || limit >= settings.max_sweeps) return curve;
  }
}

bool has_bodies(const io::StoredProblem& stored) {
  return std::holds_alternative<ContactProblem>(stored.problem);
}

std::size_t contacts(const io::StoredProblem& stored) {
  return std::visit([](const auto& problem) { return problem.contacts(); }, stored.problem);
}

std::string describe(const io::StoredProblem& stored) {
  if (const auto* p = std::get_if<ContactProblem>(&stored.problem)) {
    return fmt::format("{} bodies, {} contacts{}; residuals over {:.6g} m/s", p->bodies(), p->contacts(),
                       !p->rows.empty() ? " that resist torques" : "", p->velocity_scale);
  }
  const auto& p = std::get<DelassusProblem>(stored.problem);
  return fmt::format("{} contacts, {} blocks of W; residuals over {:.6g} m/s (root mean square of q)",
                     p.contacts(), p.block.size(), p.velocity_scale);
}

std::string describe_stored_impulses(const io::StoredProblem& stored) {
  std::string text;
  for (const io::StoredImpulses& known : stored.impulses) {
    const auto& p = std::get<DelassusProblem>(stored.problem);
    DelassusSolution s{known.impulse, {}};
    contact_velocities(p, s.impulse, s.velocity);
    text +=
        fmt::format("  stored {}: relative residual {:.2e}, collection {:.2e}\n", known.name,
                    residual(p, s.impulse, s.velocity).rms_m_s / p.velocity_scale, collection_error(p, s));
  }
  return text;
}

}  // namespace scree
