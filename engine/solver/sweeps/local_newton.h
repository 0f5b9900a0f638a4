// Local Newton steps: contacts on which sweeps are slow are solved together with their neighbours.
//
// A sweep corrects the impulses that a light body transmits between heavy ones by a share of about the
// ratio of the masses. So the errors of a few contacts decrease at this rate for thousands of sweeps, while
// nothing else is left of the residual. Such a contact and those of the lightest bodies around it are a small
// problem: all other impulses are constant, and their effect on bodies is in the free velocities. Proximal
// Newton steps (N1) solve it for any masses, with the full W. It is one more block of a
// Gauss-Seidel method, so its limit is that of the sweeps.
#pragma once

#include <span>

#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// Decides when local Newton steps are used in a solution, and how much time they may take.
class LocalNewton {
 public:
  bool are_due(int sweeps) const { return sweeps == next_; }
  /// Did a few contacts have most of the residual, without being solved? Then something rigid may be
  /// pinched.
  bool is_stuck() const { return is_stuck_; }
  static bool have_been_due(int sweeps) { return sweeps >= first_look; }

  /// If a few contacts have most of the residual, solves around them to a part of `goal_m_s` each. Their
  /// impulses and velocities change; these must belong together. Rows keep their impulses, as far as
  /// their bounds allow; there must be no cell that holds stresses. `squared`: [contact] (S5) squared,
  /// (m/s)^2, 0 if not active. Returns whether any was solved.
  bool solve(const ContactProblem& problem, int sweeps, double goal_m_s, std::span<const float> squared,
             ContactCompliances compliance, ContactSolution& solution);

 private:
  static constexpr int first_look = 64;
  int next_ = first_look;
  double spacing_ = 16.0;  // sweeps between a time with such contacts and the next look
  std::size_t most_ = 8;   // contacts solved together: more each time
  double spent_ = 0.0;
  bool is_stuck_ = false;
};

}  // namespace scree
