#include "tools/solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <numbers>
#include <spdlog/spdlog.h>

#include "engine/core/errors.h"
#include "engine/core/parallel.h"
#include "io/files/file_errors.h"
#include "io/plots/plot.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"

namespace scree {

namespace {

struct SolveOptions {
  std::filesystem::path problem, csv, plot, cone_study;
  std::vector<std::string> solvers;
  double tolerance = 1e-8;
  int max_sweeps = 1000, threads = 1, cone_samples = 0;
  bool warm = false;
};

constexpr double timing_patience_s = 0.02;  // short solutions are timed again until they have taken so long
constexpr int most_timings = 20;

/// Solves once and fills all but the number of sweeps asked for.
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

/// The same with the best time of a few.
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

/// 1, 2, 3, 5, 10, 20, 30, 50, ...
int next_limit(int limit) {
  int decade = 1;
  while (limit >= 10 * decade) decade *= 10;
  for (const int step : {1, 2, 3, 5}) {
    if (step * decade > limit) return step * decade;
  }
  return 10 * decade;
}

bool has_bodies(const io::StoredProblem& stored) {
  return std::holds_alternative<ContactProblem>(stored.problem);
}

std::string describe(const io::StoredProblem& stored) {
  if (const auto* p = std::get_if<ContactProblem>(&stored.problem)) {
    return fmt::format("{} bodies, {} contacts{}; residuals over {:.6g} m/s (|gravity| * time step)",
                       p->bodies(), p->contacts(), !p->rows.empty() ? " that resist torques" : "",
                       p->velocity_scale);
  }
  const auto& p = std::get<DelassusProblem>(stored.problem);
  return fmt::format("{} contacts, {} blocks of W; residuals over {:.6g} m/s (root mean square of q)",
                     p.contacts(), p.block.size(), p.velocity_scale);
}

std::string table_text(const std::vector<SolveCurve>& curves, bool bodies) {
  std::string text = fmt::format("\n{:<12}{:>8}{:>12}{:>16}{:>16}{:>12}{}\n", "solver", "sweeps", "time (ms)",
                                 "rms (m/s)", "max (m/s)", "relative", bodies ? "" : "  collection");
  for (const SolveCurve& curve : curves) {
    for (const SolvePoint& p : curve.points) {
      text += fmt::format("{:<12}{:>8}{:>12.3f}{:>16.3e}{:>16.3e}{:>12.2e}", to_string(curve.kind), p.sweeps,
                          1e3 * p.time_s, p.residual_rms_m_s, p.residual_max_m_s, p.residual_relative);
      text += bodies ? "\n" : fmt::format("{:>12.2e}\n", p.collection_error);
    }
    text +=
        fmt::format("{:<12}{}\n", to_string(curve.kind), curve.converged ? "converged" : "did not converge");
  }
  return text;
}

void write_csv(const std::filesystem::path& path, const std::vector<SolveCurve>& curves) {
  std::ofstream file(path);
  file << "solver,sweeps,time_s,residual_rms_m_s,residual_max_m_s,residual_relative,collection_error\n";
  for (const SolveCurve& curve : curves) {
    for (const SolvePoint& p : curve.points) {
      file << fmt::format("{},{},{:.6e},{:.6e},{:.6e},{:.6e},{:.6e}\n", to_string(curve.kind), p.sweeps,
                          p.time_s, p.residual_rms_m_s, p.residual_max_m_s, p.residual_relative,
                          p.collection_error);
    }
  }
  file.flush();
  if (!file) throw io::WriteError(fmt::format("{}: cannot be written", path.string()));
}

io::Panel panel(const std::vector<SolveCurve>& curves, bool over_time) {
  io::Panel panel{"",
                  over_time ? "time (ms)" : "sweeps",
                  "relative residual (rms)",
                  io::Axis::logarithmic,
                  io::Axis::logarithmic,
                  {}};
  for (const SolveCurve& curve : curves) {
    io::Curve drawn{to_string(curve.kind), {}, {}, true};
    for (const SolvePoint& p : curve.points) {
      drawn.x.push_back(over_time ? 1e3 * p.time_s : p.sweeps);
      drawn.y.push_back(p.residual_relative);
    }
    panel.curves.push_back(std::move(drawn));
  }
  return panel;
}

[[noreturn]] void refuse(const SolveOptions& options, const std::string& option, const std::string& problem,
                         const std::string& suggestion) {
  throw InputError({{{options.problem.string(), 0, 0}, option, problem, "", "", "", suggestion}});
}

/// The solvers asked for, or all that can solve the problem.
std::vector<SolverKind> chosen_solvers(const SolveOptions& options, const io::StoredProblem& stored) {
  std::vector<SolverKind> kinds;
  for (const std::string& name : options.solvers) kinds.push_back(solver_kind(name));
  const bool sampled = options.cone_samples > 0;
  const auto can = [&](SolverKind kind) {
    return (kind != SolverKind::one_pass || has_bodies(stored)) &&
           (kind != SolverKind::consensus || !sampled);
  };
  for (const SolverKind kind : kinds) {
    if (can(kind)) continue;
    if (kind == SolverKind::one_pass)
      refuse(options, "--solver", "'one_pass' needs bodies, and the file holds W and q only", "use per_body");
    refuse(options, "--solver", "'consensus' knows the exact cone only", "use per_body or per_contact");
  }
  if (!kinds.empty()) return kinds;
  std::copy_if(std::begin(solver_kinds), std::end(solver_kinds), std::back_inserter(kinds), can);
  return kinds;
}

void set_cone(const SolveOptions& options, io::StoredProblem& stored) {
  if (options.cone_samples == 0) return;
  auto* bodies = std::get_if<ContactProblem>(&stored.problem);
  if (!bodies)
    refuse(options, "--cone-samples",
           "sampled cones need a problem with bodies, and the file holds W and q only", "");
  bodies->friction_corners = options.cone_samples;
}

/// Velocities of all bodies, per_contact, cone with so many corners (0: exact).
std::vector<BodyVelocity> velocities_on_cone(ContactProblem problem, int corners,
                                             const SolverSettings& settings) {
  problem.friction_corners = corners;
  SolverWorkspace workspace;
  ContactSolution solution;
  const SolveReport report = solve(problem, settings, workspace, solution);
  if (report.status != SolveStatus::converged)
    spdlog::warn("cone of {} tangents: the residual is {:.2e} m/s after {} sweeps", corners,
                 report.residual.rms_m_s, report.sweeps);
  return solution.velocity;
}

/// sqrt(sum (v - w).M (v - w) / sum w.M w), M of the bodies' masses and inertias.
double kinetic_distance(const ContactProblem& p, const std::vector<BodyVelocity>& v,
                        const std::vector<BodyVelocity>& w) {
  double difference = 0.0, whole = 0.0;
  for (std::size_t i = 0; i < p.bodies(); ++i) {
    if (!p.is_moved(i)) continue;
    const Mat3 inertia = p.inverse_inertia(i).inverse();
    const Twist a = twist(v[i]), b = twist(w[i]);
    const Vec3 dv = a.linear - b.linear, dw = a.angular - b.angular;
    difference += dv.squaredNorm() / p.inverse_mass(i) + dw.dot(inertia * dw);
    whole += b.linear.squaredNorm() / p.inverse_mass(i) + b.angular.dot(inertia * b.angular);
  }
  return whole > 0.0 ? std::sqrt(difference / whole) : 0.0;
}

/// How far sampled cones lead from the exact one, against the number of their tangents.
void study_cones(const SolveOptions& options, const io::StoredProblem& stored, SolverSettings settings) {
  const auto* problem = std::get_if<ContactProblem>(&stored.problem);
  if (!problem) refuse(options, "--cone-study", "sampled cones need a problem with bodies", "");
  settings.kind = SolverKind::per_contact;
  const std::vector<BodyVelocity> exact = velocities_on_cone(*problem, 0, settings);
  io::Curve measured{"solution (kinetic norm)", {}, {}, true}, cone{"cone: 1 - cos(pi / k)", {}, {}, false};
  show(fmt::format("\n{:>8}{:>24}{:>20}\n", "tangents", "velocities differ by", "1 - cos(pi / k)"));
  for (int k = 4; k <= 128; k *= 2) {
    const double distance = kinetic_distance(*problem, velocities_on_cone(*problem, k, settings), exact);
    measured.x.push_back(k);
    measured.y.push_back(distance);
    cone.x.push_back(k);
    cone.y.push_back(1.0 - std::cos(std::numbers::pi / k));
    show(fmt::format("{:>8}{:>24.3e}{:>20.3e}\n", k, distance, cone.y.back()));
  }
  io::write_plot(options.cone_study, stored.origin,
                 {{"",
                   "tangents of the sampled cone",
                   "relative difference from the exact cone",
                   io::Axis::logarithmic,
                   io::Axis::logarithmic,
                   {measured, cone}}});
}

int solve_stored(const SolveOptions& options) {
  set_thread_count(options.threads);
  io::StoredProblem stored = io::read_problem(options.problem);
  set_cone(options, stored);
  show(fmt::format("{}: {}\n", stored.origin, describe(stored)));
  SolverSettings settings;
  settings.tolerance = options.tolerance;
  settings.max_sweeps = options.max_sweeps;
  settings.warm_start = options.warm;
  if (!options.cone_study.empty()) {
    study_cones(options, stored, settings);
    return exit_ok;
  }
  std::vector<SolveCurve> curves;
  for (const SolverKind kind : chosen_solvers(options, stored)) {
    settings.kind = kind;
    curves.push_back(solve_curve(stored, settings));
  }
  show(table_text(curves, has_bodies(stored)));
  if (!options.csv.empty()) write_csv(options.csv, curves);
  if (!options.plot.empty())
    io::write_plot(options.plot, stored.origin + ": " + describe(stored),
                   {panel(curves, false), panel(curves, true)});
  const bool any = std::any_of(curves.begin(), curves.end(), [](const SolveCurve& c) { return c.converged; });
  return any ? exit_ok : exit_not_converged;
}

}  // namespace

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

void add_solve(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<SolveOptions>();
  CLI::App* command =
      app.add_subcommand("solve", "Solve a stored contact problem and show residual against sweeps and time");
  command
      ->add_option("problem", options->problem,
                   "Problem: HDF5 of `scree run --dump-problem`, or text (W, q, mu)")
      ->required()
      ->type_name("PROBLEM");
  const auto is_drawable = [](const std::string& path) {
    return io::is_plot_file(path) ? std::string() : "'" + path + "' must end in .svg, .png or .pdf";
  };
  std::vector<std::string> names;
  for (const SolverKind kind : solver_kinds) names.emplace_back(to_string(kind));
  command->add_option("--solver", options->solvers, "Solver; may be repeated; all that can if not given")
      ->check(CLI::IsMember(names))
      ->allow_extra_args(false);
  command->add_option("--tolerance", options->tolerance, "Relative residual to stop at")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--max-sweeps", options->max_sweeps, "Most sweeps")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads; 0 takes all there are")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command
      ->add_option("--cone-samples", options->cone_samples,
                   "Solve on a cone sampled by so many tangents; 0: exact")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_flag("--warm", options->warm, "Begin with the stored start impulses, if there are any");
  command->add_option("--csv", options->csv, "Write the table as CSV")->type_name("FILE");
  command->add_option("--plot", options->plot, "Draw residual against sweeps and time")
      ->type_name("FILE.svg|png|pdf")
      ->check(is_drawable);
  command
      ->add_option("--cone-study", options->cone_study,
                   "Instead, draw how solutions on sampled cones approach the exact one")
      ->type_name("FILE.svg|png|pdf")
      ->check(is_drawable);
  command->callback([options, &action] { action = [options] { return solve_stored(*options); }; });
}

}  // namespace scree
