// One stored contact problem, solved and measured.
#pragma once

#include <string>
#include <vector>

#include "io/problems/problem_file.h"

namespace scree {

/// The result of a solver after a number of sweeps from its start.
struct SolvePoint {
  int sweeps = 0;
  double time_s = 0.0;            // wall time of the whole solution, the shortest of a few
  double residual_rms_m_s = 0.0;  // (S5)
  double residual_max_m_s = 0.0;
  double residual_relative = 0.0;  // rms over the problem's velocity scale: compared with tolerances
  double collection_error = 0.0;   // see delassus_problem.h; 0 for problems with bodies
};

struct SolveCurve {
  SolverKind kind = SolverKind::gauss_seidel;
  bool converged = false;
  std::vector<SolvePoint> points;
};

/// Solves up to settings.max_sweeps or the tolerance. Short solutions are repeated for the best time.
SolvePoint solve_timed(const io::StoredProblem& stored, const SolverSettings& settings, SolveReport& report);

/// Solves the problem again for 1, 2, 3, 5, 10, 20, 30, 50, ... sweeps until the tolerance or
/// settings.max_sweeps is reached. The iterations of a solver do not depend on the limit, so the points are
/// on one path.
SolveCurve solve_curve(const io::StoredProblem& stored, const SolverSettings& settings);

bool has_bodies(const io::StoredProblem& stored);
std::size_t contacts(const io::StoredProblem& stored);
/// Size and velocity scale as text.
std::string describe(const io::StoredProblem& stored);
/// Residuals of the impulses that are stored with the problem, one line each.
std::string describe_stored_impulses(const io::StoredProblem& stored);

}  // namespace scree
