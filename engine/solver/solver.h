// The common interface of the solvers.
#pragma once

#include "engine/core/parallel.h"
#include "engine/solver/problem/contact_problem.h"
#include "engine/solver/problem/residual.h"
#include "engine/solver/problem/solve_report.h"
#include "engine/solver/problem/solver_settings.h"
#include "engine/solver/sweeps/batches.h"
#include "engine/solver/sweeps/colouring.h"

namespace scree {

/// Scratch of `admm`, see there.
struct AdmmWorkspace {
  /// Targets for both sides of a contact, or of a row: desired velocities, in its frame,
  /// and the scaled multiplier, m/s (rad/s).
  template <class Velocity>
  struct Sides {
    double rho = 0.0;  // penalty, kg (kg m^2)
    Velocity z_a, z_b, y;
  };
  std::vector<Sides<Vec3>> contact;
  std::vector<Sides<double>> row;
  std::vector<std::int32_t> row_first,
      body_rows;  // [body + 1]: the rows of a body are the entries of body_rows
  std::vector<Eigen::Matrix<double, 6, 6>> inverse;  // [body] of M + sum rho J^T J
};

/// A conjugate direction of sweeps (P3): the last impulse, and the step, N s.
template <int count>
struct ConjugateDirection {
  double last[count] = {}, step[count] = {};
};

/// Scratch of the conjugate directions.
struct ConjugateWorkspace {
  struct alignas(64) Body {
    Padded3 linear, last_linear, angular, last_angular;
  };
  std::vector<ConjugateDirection<3>> impulse;  // [contact]
  std::vector<ConjugateDirection<1>> row;      // [row]
  std::vector<Body> bodies;                    // [body]
};

struct SolverWorkspace {
  // [contact], of the last wide solution: compliance of contacts, and the part of it added by (P5). Empty:
  // all were rigid.
  std::vector<ContactCompliance> compliance, given_way;
  bool gave_way = false;  // was any added? Needed for ranks without contacts
  ConjugateWorkspace conjugate;
  AdmmWorkspace admm;
  Colouring colouring;
  Batches batches;
  std::vector<ResidualSum> residual_sums;  // [chunk of batches]
  std::vector<double> update_change;       // [update] sum of squared velocity changes in this sweep
  std::vector<double> push;                // [contact], position correction: impulses, N s
  // [contact], m/s, of the solution, with the offset, from the last residual of sweeps; empty if there
  // was none. The position correction replaces them by its target speeds.
  std::vector<double> normal_velocity;
  ContactProblem biased;  // a copy with the offsets of solve_with_bias()
  ContactProblem celled;  // a copy whose images move with the resulting rate of the cell
};

/// Solves (S1)-(S4) with the chosen solver; the problem must be complete unless is_wide(settings).
/// Fills velocity and impulses of the solution. `diverged` means numbers that are not finite; the solution
/// then holds the free velocities.
[[nodiscard]] SolveReport solve(const ContactProblem& problem, const SolverSettings& settings,
                                SolverWorkspace& workspace, ContactSolution& solution);

/// solution.velocity = free velocity + M^-1 sum J^T p (S2), gathered body by body, so that no two threads
/// write to the same one.
void velocities_from_impulses(const ContactProblem& problem, ContactSolution& solution);

/// Prepares sweeps over single contacts: colours. Called by solve().
void colour_blocks(const ContactProblem& problem, SolverWorkspace& workspace);

/// Calls update(v, begin, end) for each update of the colouring with its range of edges, colour by colour,
/// with the updates of one colour in parallel.
template <class F>
void sweep(const Colouring& colouring, F&& update) {
  for (std::size_t k = 0; k < colouring.colours(); ++k) {
    const auto first = static_cast<std::size_t>(colouring.colour_row[k]);
    const auto count = static_cast<std::size_t>(colouring.colour_row[k + 1]) - first;
    const bool serial = colouring.last_colour_is_serial && k + 1 == colouring.colours();
    for_each_index(
        count, serial ? count : 1,
        [&](std::size_t i) {
          const auto v = static_cast<std::size_t>(colouring.update[first + i]);
          update(v, static_cast<std::size_t>(colouring.edge_row[v]),
                 static_cast<std::size_t>(colouring.edge_row[v + 1]));
        },
        Sharing::even);
  }
}

// The single solvers; see their files.
[[nodiscard]] SolveReport solve_gauss_seidel(const ContactProblem& problem, const SolverSettings& settings,
                                             SolverWorkspace& workspace, ContactSolution& solution);
/// On batches of sixteen contacts, in single precision; see wide.cpp.
[[nodiscard]] SolveReport solve_wide(const ContactProblem& problem, const SolverSettings& settings,
                                     SolverWorkspace& workspace, ContactSolution& solution);
[[nodiscard]] SolveReport solve_admm(const ContactProblem& problem, const SolverSettings& settings,
                                     SolverWorkspace& workspace, ContactSolution& solution);
[[nodiscard]] SolveReport solve_one_pass(const ContactProblem& problem, ContactSolution& solution);

/// Solves twice from the same start: with offsets that shrink overlaps (offset = bias, at most
/// correction_speed), then without. The second solution gives velocity and impulses; half the difference of
/// the two is the correction. Positions move by the mean of the velocities before and after a step, so the
/// bodies reach the places of the biased solution. Its impulses are not carried over: with few sweeps they
/// would throw heavy bodies off light ones.
[[nodiscard]] SolveReport solve_with_bias(const ContactProblem& problem, const SolverSettings& settings,
                                          double time_step_s, SolverWorkspace& workspace,
                                          ContactSolution& solution);

/// The correction that gives contacts the speeds in workspace.normal_velocity, by sweeps over the batches of
/// the last solution.
void correct_wide(const ContactProblem& problem, int sweeps, SolverWorkspace& workspace,
                  ContactSolution& solution);

/// Split impulses: pseudo-velocities that shrink overlaps beyond the slop by correction_fraction per step,
/// and that push no other contact deeper. They move bodies but have no momentum. Fills solution.correction;
/// zero for bodies without overlap.
bool correct_positions(const ContactProblem& problem, const SolverSettings& settings, double time_step_s,
                       SolverWorkspace& workspace, ContactSolution& solution);

}  // namespace scree
