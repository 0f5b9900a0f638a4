// Contacts that sweeps are late with, solved together with those around them.
//
// A sweep makes the impulses that a light body hands on between heavy ones right by a share of about the
// ratio of the masses. What a few contacts lack then falls, as slowly as that, for thousands of sweeps, when
// nothing else is left of the residual. Such a contact and those of the lightest bodies around it are a small
// problem of their own: all other impulses stay, and what bodies do by them are free velocities. Proximal
// Newton steps (N1) solve it whatever the masses, with the whole of its W. It is one more block updated by a
// Gauss-Seidel method, so what it ends at is what sweeps end at.
#pragma once

#include <span>

#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// When sweeps of one solution ask for it, and how much they may spend.
class LocalNewton {
 public:
  bool are_due(int sweeps) const { return sweeps == next_; }
  /// Were there a few contacts that hold most of the residual, and did it not solve them? Something rigid may be
  /// pinched.
  bool is_stuck() const { return is_stuck_; }
  static bool have_been_due(int sweeps) { return sweeps >= first_look; }

  /// Solves around the worst contacts to a part of `goal_m_s` each, if a few hold most of the residual; their
  /// impulses and velocities change, which must belong to each other. Rows keep their impulses, as far as
  /// their bounds let them; there may be no cell that holds stresses. `squared`: [contact] (S5) squared,
  /// (m/s)^2, 0 where nothing is active. Returns whether any was solved.
  bool solve(const ContactProblem& problem, int sweeps, double goal_m_s, std::span<const float> squared,
             ContactCompliances compliance, ContactSolution& solution);

 private:
  static constexpr int first_look = 64;
  int next_ = first_look;
  double spacing_ = 16.0;  // sweeps from a time when there were some to the next look
  std::size_t most_ = 8;   // contacts solved together: more every time
  double spent_ = 0.0;
  bool is_stuck_ = false;
};

}  // namespace scree
