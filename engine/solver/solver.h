// The solvers, behind one door.
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
  /// What is asked of both sides of a contact, or of a row: velocities that they are to reach, in its frame,
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

/// A conjugate direction of sweeps (P3): where an impulse was, and the way it is on, N s.
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
  // [contact], of the last wide solution: what contacts gave, and of that what they were made to (P5). Empty:
  // all were rigid.
  std::vector<ContactCompliance> compliance, given_way;
  bool gave_way = false;  // were any made to? Of a rank without contacts nothing else tells
  ConjugateWorkspace conjugate;
  AdmmWorkspace admm;
  Colouring colouring;
  Batches batches;
  std::vector<ResidualSum> residual_sums;  // [chunk of batches]
  std::vector<double> update_change;       // [update] sum of squared velocity changes in this sweep
  std::vector<double> push;                // [contact], position correction: impulses, N s
  // [contact], m/s, of the solution, with the offset: what the last residual of sweeps saw; empty if there
  // was none. The position correction puts the speeds that it asks for in their place.
  std::vector<double> normal_velocity;
  ContactProblem biased;  // a copy, with the offsets that solve_with_bias() asks for
  ContactProblem celled;  // a copy, whose images move as the cell's rate comes out
};

/// Solves (S1)-(S4) with the chosen solver; the problem must be complete unless is_wide(settings).
/// Fills velocity and impulses of the solution. `diverged` means numbers that are not finite; the solution
/// then holds the free velocities.
[[nodiscard]] SolveReport solve(const ContactProblem& problem, const SolverSettings& settings,
                                SolverWorkspace& workspace, ContactSolution& solution);

/// solution.velocity = free velocity + M^-1 sum J^T p (S2), gathered body by body, so that no two threads add
/// to one.
void velocities_from_impulses(const ContactProblem& problem, ContactSolution& solution);

/// Gets ready for sweeps one by one: colours. Called by solve().
void colour_blocks(const ContactProblem& problem, SolverWorkspace& workspace);

/// Calls update(v, begin, end) for every update of the colouring with its range of edges, colour by colour,
/// the updates of one colour in parallel.
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

// The solvers one by one; see their files.
[[nodiscard]] SolveReport solve_gauss_seidel(const ContactProblem& problem, const SolverSettings& settings,
                                             SolverWorkspace& workspace, ContactSolution& solution);
/// On batches of sixteen contacts, in single precision; see wide.cpp.
[[nodiscard]] SolveReport solve_wide(const ContactProblem& problem, const SolverSettings& settings,
                                     SolverWorkspace& workspace, ContactSolution& solution);
[[nodiscard]] SolveReport solve_admm(const ContactProblem& problem, const SolverSettings& settings,
                                     SolverWorkspace& workspace, ContactSolution& solution);
[[nodiscard]] SolveReport solve_one_pass(const ContactProblem& problem, ContactSolution& solution);

/// Solves twice from the same start: with overlaps asked to shrink (offset = bias, at most correction_speed),
/// then without. The second solution is the velocity and the impulses; half the difference of the two is the
/// correction, so that with positions that move by the mean of the velocities before and after a step the
/// bodies end up where the biased solution takes them. Its impulses go no further: carried over, at few
/// sweeps they throw heavy bodies off light ones.
[[nodiscard]] SolveReport solve_with_bias(const ContactProblem& problem, const SolverSettings& settings,
                                          double time_step_s, SolverWorkspace& workspace,
                                          ContactSolution& solution);

/// The correction that gives contacts the speeds in workspace.normal_velocity, by sweeps over the batches of
/// the last solution.
void correct_wide(const ContactProblem& problem, int sweeps, SolverWorkspace& workspace,
                  ContactSolution& solution);

/// Split impulses: pseudo-velocities that shrink overlaps beyond the slop by correction_fraction a step, and
/// that push no other contact deeper. They move bodies but are no momentum. Fills solution.correction; zero
/// where nothing overlaps.
bool correct_positions(const ContactProblem& problem, const SolverSettings& settings, double time_step_s,
                       SolverWorkspace& workspace, ContactSolution& solution);

}  // namespace scree
