// Compliant contacts: as given by the problem, and slightly if sweeps would not converge.
//
// In a jammed packing contacts determine neither their impulses nor, at the bound of friction, each other's
// slip: sweeps then shift impulses along the null space of W for thousands of sweeps, at a constant
// residual. With a compliance c about the present impulses p0 of the contacts,
//   u + c (p - p0)   instead of u in (S3), (S4) and (S5), (P5)
// the solution is near, and sweeps converge to it. It is a step of the proximal point method (Rockafellar
// 1976), one per time step: where impulses are constant, nothing gives way. c is a share of the mean of the
// contact's own W, and so small that no contact gives way by more than a part of its slop in a step, under
// any load. For compliant contacts it is added to their own compliance.
#pragma once

#include <array>

#include "engine/solver/solver.h"

namespace scree {

/// Decides when contacts give way, and by how much.
class Stall {
 public:
  /// Adds the sum of squared changes of a sweep, (m/s)^2.
  void learn(double change) { changes_[sweeps_++ % changes_.size()] = change; }
  /// Another method has helped: look again later, but not too late.
  void wait();
  /// The share of W by which contacts give way from now on. 0: no change, because the changes of sweeps are
  /// converging to `wanted`, or it is too early to decide.
  double look(double wanted);

 private:
  double recent(std::size_t sweep) const;

  std::array<double, 512> changes_;  // [sweep % size]
  std::size_t sweeps_ = 0, next_look_ = 64;
  double share_ = 0.0;
};

/// May it have no solution, because fixed bodies move, or are held at a speed, towards something?
bool may_have_no_solution(const ContactProblem& problem);

/// Gives rigid contacts of batches this compliance.
void set_compliance(ContactCompliances compliance, Batches& batches);

/// From now on contacts give way by this share of the mean of their W, about their present impulses if they
/// have not given way before. Changes W and velocities of the workspace's batches, and the compliance there.
void make_compliant(const ContactProblem& problem, double share, SolverWorkspace& workspace);

/// Adds -c p0 to velocities of batches that have been read again.
void add_rests(ContactCompliances compliance, Batches& batches);

/// Compliance velocity |c (p - p0)|, rms over contacts with an impulse, m/s.
double given_rms(const ContactProblem& problem, ContactCompliances given_way,
                 const ContactSolution& solution);

}  // namespace scree
