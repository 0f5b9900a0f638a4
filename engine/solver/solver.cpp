#include "engine/solver/solver.h"

#include <algorithm>
#include <cassert>

#include "engine/core/parallel.h"
#include "engine/solver/problem/residual.h"
#include "engine/solver/problem/row_block.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

const char* to_string(SolverKind kind) {
  switch (kind) {
    case SolverKind::gauss_seidel:
      return "gauss_seidel";
    case SolverKind::nsgs:
      return "nsgs";
    case SolverKind::admm:
      return "admm";
    case SolverKind::one_pass:
      return "one_pass";
  }
  return "";
}

SolverKind solver_kind(std::string_view name) {
  for (const SolverKind kind : solver_kinds) {
    if (name == to_string(kind)) return kind;
  }
  assert(false && "not the name of a solver");
  return SolverKind::gauss_seidel;
}

const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::diverged:
      return "diverged";
  }
  return "";
}

void velocities_from_impulses(const ContactProblem& p, ContactSolution& s) {
  for_each_index(p.bodies(), grain_medium, [&](std::size_t i) {
    Vec3 impulse = Vec3::Zero(), moment = Vec3::Zero();
    for (auto k = static_cast<std::size_t>(p.body_row[i]); k < static_cast<std::size_t>(p.body_row[i + 1]);
         ++k) {
      const auto c = static_cast<std::size_t>(p.body_contact[k]);
      const bool is_a = p.a(c) == i;
      const Vec3 world = (is_a ? 1.0 : -1.0) * p.in_world(c, s.impulse[c]);
      impulse += world;
      moment += (is_a ? p.arm_a(c) : p.arm_b(c)).cross(world);
    }
    const Twist change = answer(p.response[i], impulse, moment);
    s.velocity[i] = body_velocity(
        {p.free_velocity[i].linear + change.linear, p.free_velocity[i].angular + change.angular});
  });
  const SweptBodies bodies{p.response.data(), s.velocity.data()};
  for (std::size_t r = 0; r < p.rows.size(); ++r) apply(p.rows[r], s.row_impulse[r], bodies);
}

void meet_block(const ContactProblem& p, ContactSolution& s) {
  const SolvedRows rows{p, s};
  for (int k = 0; k < 2; ++k)  // once more for the rounding of the factors
    p.block->meet(
        p.rows, [&](std::size_t r) { return rows.velocity(r); },
        [&](std::size_t r, double impulse) { rows.push(r, impulse); });
}

namespace {
void begin_free(const ContactProblem& p, ContactSolution& s) {
  for_each_index(p.bodies(), grain_light,
                 [&](std::size_t i) { s.velocity[i] = body_velocity(p.free_velocity[i]); });
}
}  // namespace

SolveReport solve(const ContactProblem& problem, const SolverSettings& settings, SolverWorkspace& workspace,
                  ContactSolution& solution) {
  assert(problem.is_complete() || is_wide(settings));
  solution.resize(problem);
  workspace.normal_velocity.clear();
  begin_free(problem, solution);
  if (!is_wide(settings)) colour_blocks(problem, workspace);
  SolveReport report;
  switch (settings.kind) {
    case SolverKind::gauss_seidel:
      report = is_wide(settings) ? solve_wide(problem, settings, workspace, solution)
                                 : solve_gauss_seidel(problem, settings, workspace, solution);
      break;
    case SolverKind::nsgs:
      report = solve_gauss_seidel(problem, settings, workspace, solution);
      break;
    case SolverKind::admm:
      report = solve_admm(problem, settings, workspace, solution);
      break;
    case SolverKind::one_pass:
      report = solve_one_pass(problem, solution);
      break;
  }
  if (problem.block && settings.kind != SolverKind::one_pass && report.residual.rms_m_s < infinity) {
    meet_block(problem, solution);
    if (!problem.cell) {
      report.residual = residual(problem, solution.velocity, solution.impulse, solution.row_impulse, {},
                                 is_wide(settings) ? workspace.compliance : problem.compliance);
      const bool is_met = report.residual.rms_m_s <= settings.tolerance * problem.velocity_scale;
      report.status = is_met ? SolveStatus::converged : SolveStatus::iteration_limit;
    }
  }
  if (!(report.residual.rms_m_s < infinity)) {
    report.status = SolveStatus::diverged;
    workspace.normal_velocity.clear();
    begin_free(problem, solution);
    std::fill(solution.impulse.begin(), solution.impulse.end(), Vec3::Zero());
    std::fill(solution.row_impulse.begin(), solution.row_impulse.end(), 0.0);
    solution.impulse_on_b.clear();
    solution.row_impulse_on_b.clear();
    if (problem.cell) solution.cell_rate = problem.cell->rate;
  }
  return report;
}

}  // namespace scree
