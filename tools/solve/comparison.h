// Several solvers on a set of stored problems, each to the same tolerance: tables and performance profiles.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/plots/plot.h"
#include "tools/solve/measure.h"
#include "tools/solve/profile.h"

namespace scree {

/// The results of all solvers for one problem.
struct ComparedProblem {
  std::string name;
  std::size_t contacts = 0;
  std::vector<SolvePoint> point;  // [solver]
};

struct SolverComparison {
  std::vector<SolverKind> solvers;
  double tolerance = 0.0;  // of the relative residual
  int max_sweeps = 0;
  std::vector<ComparedProblem> problems;

  bool is_solved(std::size_t solver, const ComparedProblem& problem) const {
    return problem.point[solver].residual_relative <= tolerance;
  }
};

/// A problem file and its name in tables.
struct NamedProblem {
  std::filesystem::path path;
  std::string name;
};

/// The files themselves, and the problem files in the folders among `paths`. Throws
/// InputError if a folder has none.
std::vector<NamedProblem> find_problems(const std::vector<std::filesystem::path>& paths);

/// Solves one problem with each solver.
ComparedProblem compare_solvers(const io::StoredProblem& stored, const std::string& name,
                                const std::vector<SolverKind>& solvers, const SolverSettings& settings);

enum class Cost { time, sweeps };
/// [solver][problem]; infinity if the tolerance was not reached.
Costs costs(const SolverComparison& comparison, Cost cost);

/// Markdown tables that are readable as text: head and rows of the problems, and a summary.
std::string table_head(const std::vector<SolverKind>& solvers, std::size_t name_width);
std::string table_row(const SolverComparison& comparison, const ComparedProblem& problem,
                      std::size_t name_width);
std::string summary_table(const SolverComparison& comparison);

/// A row for each problem and solver. Throws WriteError.
void write_csv(const std::filesystem::path& path, const SolverComparison& comparison);

/// The profiles over time and over sweeps.
void draw_profiles(const std::filesystem::path& path, const SolverComparison& comparison);

}  // namespace scree
