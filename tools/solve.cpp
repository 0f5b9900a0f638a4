#include "tools/solve.h"

#include <algorithm>
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
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/output_files.h"
#include "tools/progress.h"
#include "tools/solve/comparison.h"

namespace scree {

namespace {

struct SolveOptions {
  std::vector<std::filesystem::path> problems;  // files and folders
  std::filesystem::path csv, plot, cone_study, profile, fclib;
  std::vector<std::string> solvers;
  double tolerance = 1e-8;
  int max_sweeps = 1000, threads = 1, cone_samples = 0;
  bool warm = false, overwrite = false;

  /// Many problems, each solved to the tolerance, instead of one in full detail.
  bool is_comparison() const {
    return problems.size() > 1 || !profile.empty() || std::filesystem::is_directory(problems.front());
  }
};

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
    io::Curve drawn{to_string(curve.kind), {}, {}};
    for (const SolvePoint& p : curve.points) {
      drawn.x.push_back(over_time ? 1e3 * p.time_s : p.sweeps);
      drawn.y.push_back(p.residual_relative);
    }
    panel.curves.push_back(std::move(drawn));
  }
  return panel;
}

[[noreturn]] void refuse(const std::filesystem::path& problem, const std::string& option,
                         const std::string& reason, const std::string& suggestion = "") {
  throw InputError({{{problem.string(), 0, 0}, option, reason, "", "", "", suggestion}});
}

/// Abilities which a problem, or one of several, needs and some solvers lack.
struct Demands {
  bool bodies = true;       // every problem has bodies, not only W and q
  bool compliance = false;  // contacts of one give way
};

bool has_compliance(const io::StoredProblem& stored) {
  const auto* bodies = std::get_if<ContactProblem>(&stored.problem);
  return bodies && std::ranges::any_of(bodies->compliance, &ContactCompliance::is_compliant);
}

Demands demands(const io::StoredProblem& stored) { return {has_bodies(stored), has_compliance(stored)}; }

bool can_solve(SolverKind kind, const SolveOptions& options, const Demands& demands) {
  const bool knows_compliance = kind != SolverKind::one_pass && kind != SolverKind::admm;
  return (kind != SolverKind::one_pass || demands.bodies) &&
         (kind != SolverKind::admm || options.cone_samples == 0) && (knows_compliance || !demands.compliance);
}

/// The requested solvers, or all that can solve the problem.
std::vector<SolverKind> chosen_solvers(const SolveOptions& options, const std::filesystem::path& problem,
                                       const Demands& demands) {
  std::vector<SolverKind> kinds;
  for (const std::string& name : options.solvers) kinds.push_back(solver_kind(name));
  for (const SolverKind kind : kinds) {
    if (can_solve(kind, options, demands)) continue;
    if (demands.compliance)
      refuse(problem, "--solver",
             fmt::format("'{}' supports only rigid contacts, but contacts of this problem are elastic",
                         to_string(kind)),
             "use gauss_seidel or nsgs");
    if (kind == SolverKind::one_pass)
      refuse(problem, "--solver", "'one_pass' needs bodies, but the file holds only W and q",
             "use gauss_seidel");
    refuse(problem, "--solver", "'admm' supports only the exact cone", "use gauss_seidel or nsgs");
  }
  if (!kinds.empty()) return kinds;
  std::copy_if(std::begin(solver_kinds), std::end(solver_kinds), std::back_inserter(kinds),
               [&](SolverKind kind) { return can_solve(kind, options, demands); });
  return kinds;
}

/// Reads a problem and sets the requested cone.
io::StoredProblem read_problem(const SolveOptions& options, const std::filesystem::path& path) {
  io::StoredProblem stored = io::read_problem(path);
  if (options.cone_samples == 0) return stored;
  auto* bodies = std::get_if<ContactProblem>(&stored.problem);
  if (!bodies)
    refuse(path, "--cone-samples",
           "sampled cones need a problem with bodies, but the file holds only W and q");
  bodies->friction_corners = options.cone_samples;
  return stored;
}

SolverSettings solver_settings(const SolveOptions& options) {
  SolverSettings settings;
  settings.give_way = false;  // the residual must be that of the stored problem
  settings.tolerance = options.tolerance;
  settings.max_sweeps = options.max_sweeps;
  settings.warm_start = options.warm;
  return settings;
}

/// Velocities of all bodies, by nsgs, on a cone with this number of corners (0: exact).
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
    if (!(p.inverse_mass(i) > 0.0)) continue;
    const Mat3 inertia = p.response[i].inverse_inertia().inverse();
    const Twist a = twist(v[i]), b = twist(w[i]);
    const Vec3 dv = a.linear - b.linear, dw = a.angular - b.angular;
    difference += dv.squaredNorm() / p.inverse_mass(i) + dw.dot(inertia * dw);
    whole += b.linear.squaredNorm() / p.inverse_mass(i) + b.angular.dot(inertia * b.angular);
  }
  return whole > 0.0 ? std::sqrt(difference / whole) : 0.0;
}

/// Differences of sampled cones from the exact one, over the number of their tangents.
void study_cones(const SolveOptions& options, const io::StoredProblem& stored, SolverSettings settings) {
  const auto* problem = std::get_if<ContactProblem>(&stored.problem);
  if (!problem) refuse(options.problems.front(), "--cone-study", "sampled cones need a problem with bodies");
  settings.kind = SolverKind::nsgs;
  const std::vector<BodyVelocity> exact = velocities_on_cone(*problem, 0, settings);
  io::Curve measured{"solution (kinetic norm)", {}, {}},
      cone{"cone: 1 - cos(pi / k)", {}, {}, io::Line::dashed};
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

/// FCLib's files contain W, q and mu: not all problems can be reduced to that.
void expect_reducible(const SolveOptions& options, const io::StoredProblem& stored) {
  const auto* bodies = std::get_if<ContactProblem>(&stored.problem);
  if (!options.fclib.empty() && bodies &&
      (!bodies->rows.empty() || bodies->friction_corners > 0 || has_compliance(stored)))
    refuse(
        options.problems.front(), "--fclib",
        "FCLib's format has neither elastic contacts, nor contacts that resist torques, nor sampled cones");
}

DelassusProblem reduced(const io::StoredProblem& stored) {
  const auto* bodies = std::get_if<ContactProblem>(&stored.problem);
  return bodies ? delassus_problem(*bodies) : std::get<DelassusProblem>(stored.problem);
}

/// Writes the problem with the most accurate solution.
void write_fclib(const SolveOptions& options, const io::StoredProblem& stored,
                 const std::vector<SolveCurve>& curves) {
  const DelassusProblem problem = reduced(stored);
  SolverSettings settings = solver_settings(options);
  settings.kind = SolverKind::admm;  // in case that only one_pass is given
  double least = infinity;
  for (const SolveCurve& curve : curves) {
    if (curve.kind == SolverKind::one_pass || !(curve.points.back().residual_relative < least)) continue;
    least = curve.points.back().residual_relative;
    settings.kind = curve.kind;
  }
  DelassusSolution solution;
  const SolveReport report = solve(problem, settings, solution);
  io::write_fclib_problem(options.fclib, problem, solution, stored.origin);
  show(fmt::format("{}: W, q, mu and the solution of {}, residual {:.2e} m/s\n", options.fclib.string(),
                   to_string(settings.kind), report.residual.rms_m_s));
}

/// Checked before the first sweep.
void expect_outputs(const SolveOptions& options, const std::vector<std::filesystem::path>& problems) {
  const OutputRule rule{problems, options.overwrite};
  for (const std::filesystem::path& output :
       {options.csv, options.plot, options.cone_study, options.profile, options.fclib})
    expect_writable(output, rule);
}

int solve_one(const SolveOptions& options) {
  const std::filesystem::path& path = options.problems.front();
  expect_outputs(options, options.problems);
  const io::StoredProblem stored = read_problem(options, path);
  expect_reducible(options, stored);
  show(fmt::format("{}: {}\n{}", stored.origin, describe(stored), describe_stored_impulses(stored)));
  SolverSettings settings = solver_settings(options);
  if (!options.cone_study.empty()) {
    study_cones(options, stored, settings);
    return exit_ok;
  }
  std::vector<SolveCurve> curves;
  for (const SolverKind kind : chosen_solvers(options, path, demands(stored))) {
    settings.kind = kind;
    curves.push_back(solve_curve(stored, settings));
  }
  show(table_text(curves, has_bodies(stored)));
  if (!options.csv.empty()) write_csv(options.csv, curves);
  if (!options.fclib.empty()) write_fclib(options, stored, curves);
  if (!options.plot.empty())
    io::write_plot(options.plot, stored.origin + ": " + describe(stored),
                   {panel(curves, false), panel(curves, true)});
  const bool any = std::any_of(curves.begin(), curves.end(), [](const SolveCurve& c) { return c.converged; });
  return any ? exit_ok : exit_not_converged;
}

/// The requested solvers, or all that can solve each problem. Reads all problems, so that their errors
/// are reported before the first one is solved.
std::vector<SolverKind> solvers_for_all(const SolveOptions& options,
                                        const std::vector<NamedProblem>& problems) {
  std::vector<Fault> faults;
  Demands all;
  for (const NamedProblem& problem : problems) {
    try {
      const Demands of = demands(read_problem(options, problem.path));
      (void)chosen_solvers(options, problem.path, of);
      all = {all.bodies && of.bodies, all.compliance || of.compliance};
    } catch (const InputError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }
  if (!faults.empty()) throw InputError(faults);
  return chosen_solvers(options, problems.front().path, all);
}

int solve_many(const SolveOptions& options) {
  const std::vector<NamedProblem> problems = find_problems(options.problems);
  std::vector<std::filesystem::path> files;
  files.reserve(problems.size());
  for (const NamedProblem& problem : problems) files.push_back(problem.path);
  expect_outputs(options, files);
  SolverComparison comparison{solvers_for_all(options, problems), options.tolerance, options.max_sweeps, {}};
  std::size_t width = 0;
  for (const NamedProblem& problem : problems) width = std::max(width, problem.name.size());
  show(fmt::format("{} problems, relative residual {:g}, at most {} sweeps\n\n", problems.size(),
                   options.tolerance, options.max_sweeps) +
       table_head(comparison.solvers, width));
  bool all = true;
  for (const NamedProblem& problem : problems) {
    comparison.problems.push_back(compare_solvers(read_problem(options, problem.path), problem.name,
                                                  comparison.solvers, solver_settings(options)));
    const ComparedProblem& done = comparison.problems.back();
    show(table_row(comparison, done, width));
    bool any = false;
    for (std::size_t s = 0; s < comparison.solvers.size(); ++s) any = any || comparison.is_solved(s, done);
    all = all && any;
  }
  show("\n" + summary_table(comparison));
  if (!options.csv.empty()) write_csv(options.csv, comparison);
  if (!options.profile.empty()) draw_profiles(options.profile, comparison);
  return all ? exit_ok : exit_not_converged;
}

int solve_stored(const SolveOptions& options) {
  set_thread_count(options.threads);
  return options.is_comparison() ? solve_many(options) : solve_one(options);
}

void expect_one_problem(const SolveOptions& options) {
  if (!options.is_comparison()) return;
  for (const auto& [name, path] :
       {std::pair("--plot", &options.plot), std::pair("--cone-study", &options.cone_study),
        std::pair("--fclib", &options.fclib)}) {
    if (!path->empty()) throw CLI::ValidationError(name, "needs a single problem; --profile draws several");
  }
}

}  // namespace

void add_solve(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<SolveOptions>();
  CLI::App* command = app.add_subcommand(
      "solve", "Solve stored contact problems: residual over sweeps and time, or performance profiles");
  command
      ->add_option("problem", options->problems,
                   "Problems: HDF5 files of `scree run --dump-problem` or FCLib, text files (W, q and mu: "
                   "docs/solvers.md), or folders")
      ->required()
      ->type_name("PROBLEM");
  const auto is_drawable = [](const std::string& path) {
    return io::is_plot_file(path) ? std::string() : "'" + path + "' must end in .svg, .png or .pdf";
  };
  std::vector<std::string> names;
  for (const SolverKind kind : solver_kinds) names.emplace_back(to_string(kind));
  command
      ->add_option("--solver", options->solvers, "Solver; may be repeated (default: all that are suitable)")
      ->check(one_of(names))
      ->allow_extra_args(false);
  command
      ->add_option(
          "--tolerance", options->tolerance,
          "Target residual: rms over the contacts, divided by the problem's velocity scale (docs/solvers.md)")
      ->check(number_in(positive))
      ->capture_default_str();
  command->add_option("--max-sweeps", options->max_sweeps, "Largest number of sweeps")
      ->check(whole_number_in({.low = 1.0, .high = 1e7}))
      ->capture_default_str();
  add_threads(*command, options->threads);
  command
      ->add_option("--cone-samples", options->cone_samples,
                   "Number of tangents of a sampled friction cone (docs/solvers.md); 0: exact cone")
      ->check(whole_number_in({.low = 0.0, .high = 1024.0}))
      ->capture_default_str();
  command->add_flag("--warm", options->warm, "Start from the stored impulses, if there are any");
  command->add_option("--csv", options->csv, "File for the table as CSV")->type_name("FILE");
  command
      ->add_option("--profile", options->profile,
                   "File for performance profiles: fraction of problems solved within a factor of the best")
      ->type_name("FILE.svg|png|pdf")
      ->check(is_drawable);
  command
      ->add_option("--fclib", options->fclib, "File for the problem and its best solution in FCLib's format")
      ->type_name("FILE.hdf5");
  command->add_option("--plot", options->plot, "File for a plot of the residual over sweeps and time")
      ->type_name("FILE.svg|png|pdf")
      ->check(is_drawable);
  command
      ->add_option("--cone-study", options->cone_study,
                   "File for a plot of how solutions on sampled cones approach the exact one")
      ->type_name("FILE.svg|png|pdf")
      ->check(is_drawable);
  add_overwrite(*command, options->overwrite);
  command->callback([options, &action] {
    expect_one_problem(*options);
    action = [options] { return solve_stored(*options); };
  });
}

}  // namespace scree
