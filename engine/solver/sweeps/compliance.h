// Contacts that give: as the problem says, and a little where sweeps would not end.
//
// In a jammed packing contacts determine neither their impulses nor, at the bound of friction, each other's
// slip: sweeps then shift impulses along the null space of W for thousands of times, at a residual that
// stays. With a compliance c about the impulses p0 that the contacts have by then,
//   u + c (p - p0)   in place of u in (S3), (S4) and (S5), (P5)
// the solution is near, and sweeps come to it. It is a step of the proximal point method (Rockafellar 1976),
// one a step in time: where impulses stay as they are nothing gives. c is a share of the mean of the
// contact's own W, and so small that no contact gives more than a part of its slop in a step, whatever it
// bears. Where contacts give anyway, this comes on top.
#pragma once

#include <array>

#include "engine/solver/solver.h"

namespace scree {

/// When contacts are to give, and by how much.
class Stall {
 public:
  /// The sum of squared changes of a sweep, (m/s)^2.
  void learn(double change) { changes_[sweeps_++ % changes_.size()] = change; }
  /// Something else has helped: look again later, but not for ever.
  void wait();
  /// The share of W by which contacts are to give from now on. 0: they go on as they are, for the changes are
  /// on their way to what is wanted, or it is too early to say.
  double look(double wanted);

 private:
  double recent(std::size_t sweep) const;

  std::array<double, 512> changes_;  // [sweep % size]
  std::size_t sweeps_ = 0, next_look_ = 64;
  double share_ = 0.0;
};

/// May it have no solution, for what nothing moves goes, or is held at a speed, towards something?
bool may_have_no_solution(const ContactProblem& problem);

/// Has rigid contacts of batches give so.
void set_compliance(ContactCompliances compliance, Batches& batches);

/// From now on contacts give by such a share of the mean of their W, about the impulses that they have now if
/// they did not do so yet. Changes W and velocities of the workspace's batches, and what contacts give there.
void make_compliant(const ContactProblem& problem, double share, SolverWorkspace& workspace);

/// Adds -c p0 to velocities of batches that have been read anew.
void add_rests(ContactCompliances compliance, Batches& batches);

/// By how much contacts gave, |c (p - p0)|, rms over those that carry an impulse, m/s.
double given_rms(const ContactProblem& problem, ContactCompliances given_way,
                 const ContactSolution& solution);

}  // namespace scree
