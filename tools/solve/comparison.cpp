#include "tools/solve/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

#include "engine/core/errors.h"
#include "io/files/file_errors.h"

namespace scree {

namespace {

constexpr std::size_t cell_width = 20;  // "12345.6789 ms   1000"

std::string cell(const SolverComparison& comparison, std::size_t solver, const ComparedProblem& problem) {
  const SolvePoint& p = problem.point[solver];
  if (!comparison.is_solved(solver, problem)) return fmt::format("not below {:.1e}", p.residual_relative);
  return fmt::format("{:.4f} ms {:>6}", 1e3 * p.time_s, p.sweeps);
}

using Widths = std::vector<std::size_t>;

/// "| a | b |": the first left-aligned, the others right-aligned.
std::string row(const std::vector<std::string>& cells, const Widths& widths) {
  std::string text = fmt::format("| {:<{}} |", cells[0], widths[0]);
  for (std::size_t k = 1; k < cells.size(); ++k) text += fmt::format(" {:>{}} |", cells[k], widths[k]);
  return text + "\n";
}

std::string head(const std::vector<std::string>& cells, const Widths& widths) {
  std::string text = row(cells, widths) + "|" + std::string(widths[0] + 2, '-') + "|";
  for (std::size_t k = 1; k < cells.size(); ++k) text += std::string(widths[k] + 1, '-') + ":|";
  return text + "\n";
}

Widths widths_of_problems(std::size_t name_width, std::size_t solvers) {
  Widths widths{name_width, 8};
  widths.resize(2 + solvers, cell_width);
  return widths;
}

/// A name as a field of CSV.
std::string field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::size_t solved(const SolverComparison& comparison, std::size_t solver) {
  return static_cast<std::size_t>(
      std::count_if(comparison.problems.begin(), comparison.problems.end(),
                    [&](const ComparedProblem& p) { return comparison.is_solved(solver, p); }));
}

io::Panel profile_panel(const SolverComparison& comparison, Cost cost) {
  constexpr double margin = 1.15, least_end = 2.0;
  const Costs ratios = performance_ratios(costs(comparison, cost));
  const double end = std::max(least_end, margin * largest_ratio(ratios));
  io::Panel panel;
  panel.x_label = cost == Cost::time ? "time divided by that of the fastest" : "sweeps divided by the fewest";
  panel.y_label = "fraction of problems solved";
  panel.x_axis = io::Axis::doubling;
  panel.x_range = io::AxisRange{1.0, end};
  panel.y_range = io::AxisRange{-0.02, 1.02};  // lines at 0 and 1 do not coincide with the frame
  for (std::size_t s = 0; s < ratios.size(); ++s) {
    const Stairs stairs = profile(ratios[s], end);
    panel.curves.push_back({fmt::format("{} ({} of {})", to_string(comparison.solvers[s]),
                                        solved(comparison, s), comparison.problems.size()),
                            stairs.tau, stairs.share, io::Line::nested});
  }
  return panel;
}

}  // namespace

std::vector<NamedProblem> find_problems(const std::vector<std::filesystem::path>& paths) {
  std::vector<NamedProblem> found;
  for (const auto& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      found.push_back({path, path.filename().string()});
      continue;
    }
    const auto files = io::problems_in(path);
    if (files.empty())
      throw InputError({{{path.string(), 0, 0}, "folder", "has no contact problems", "", "", "", ""}});
    for (const auto& file : files) found.push_back({file, file.lexically_relative(path).string()});
  }
  return found;
}

ComparedProblem compare_solvers(const io::StoredProblem& stored, const std::string& name,
                                const std::vector<SolverKind>& solvers, const SolverSettings& settings) {
  ComparedProblem problem{name, contacts(stored), {}};
  SolverSettings of_solver = settings;
  for (const SolverKind kind : solvers) {
    of_solver.kind = kind;
    SolveReport report;
    problem.point.push_back(solve_timed(stored, of_solver, report));
  }
  return problem;
}

Costs costs(const SolverComparison& comparison, Cost cost) {
  Costs all(comparison.solvers.size());
  for (std::size_t s = 0; s < all.size(); ++s) {
    for (const ComparedProblem& problem : comparison.problems) {
      const SolvePoint& p = problem.point[s];
      const double value = cost == Cost::time ? p.time_s : p.sweeps;
      all[s].push_back(comparison.is_solved(s, problem) ? value : infinity);
    }
  }
  return all;
}

std::string table_head(const std::vector<SolverKind>& solvers, std::size_t name_width) {
  std::vector<std::string> heads{"problem", "contacts"};
  for (const SolverKind kind : solvers) heads.push_back(fmt::format("{}, sweeps", to_string(kind)));
  return head(heads, widths_of_problems(name_width, solvers.size()));
}

std::string table_row(const SolverComparison& comparison, const ComparedProblem& problem,
                      std::size_t name_width) {
  std::vector<std::string> cells{problem.name, std::to_string(problem.contacts)};
  for (std::size_t s = 0; s < comparison.solvers.size(); ++s) cells.push_back(cell(comparison, s, problem));
  return row(cells, widths_of_problems(name_width, comparison.solvers.size()));
}

std::string summary_table(const SolverComparison& comparison) {
  const Widths widths{12, 14, 14, 14, 14};
  const Costs ratios = performance_ratios(costs(comparison, Cost::time));
  std::string text = head({"solver", "solved", "fastest", "in 2 x time", "in 10 x time"}, widths);
  for (std::size_t s = 0; s < ratios.size(); ++s) {
    std::vector<std::string> cells{
        to_string(comparison.solvers[s]),
        fmt::format("{} of {}", solved(comparison, s), comparison.problems.size())};
    for (const double tau : {1.0, 2.0, 10.0})
      cells.push_back(fmt::format("{:.0f} %", 100.0 * share_within(ratios[s], tau)));
    text += row(cells, widths);
  }
  return text;
}

void write_csv(const std::filesystem::path& path, const SolverComparison& comparison) {
  std::ofstream file(path);
  file
      << "problem,contacts,solver,solved,time_s,sweeps,residual_rms_m_s,residual_relative,collection_error\n";
  for (const ComparedProblem& problem : comparison.problems) {
    for (std::size_t s = 0; s < comparison.solvers.size(); ++s) {
      const SolvePoint& p = problem.point[s];
      file << fmt::format("{},{},{},{},{:.6e},{},{:.6e},{:.6e},{:.6e}\n", field(problem.name),
                          problem.contacts, to_string(comparison.solvers[s]),
                          comparison.is_solved(s, problem) ? 1 : 0, p.time_s, p.sweeps, p.residual_rms_m_s,
                          p.residual_relative, p.collection_error);
    }
  }
  file.flush();
  if (!file) throw io::WriteError(fmt::format("{}: cannot be written", path.string()));
}

void draw_profiles(const std::filesystem::path& path, const SolverComparison& comparison) {
  io::write_plot(path,
                 fmt::format("{} contact problems, relative residual {:g}, at most {} sweeps",
                             comparison.problems.size(), comparison.tolerance, comparison.max_sweeps),
                 {profile_panel(comparison, Cost::time), profile_panel(comparison, Cost::sweeps)});
}

}  // namespace scree
