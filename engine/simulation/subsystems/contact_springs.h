// Elastic contacts: springs, implicit in the contact problem, with the memory of friction.
//
// Along the normal a contact with the overlap s has the force F(s) = dV/ds of Hertz, or a linear one. Let
// s_0, s_1 be the overlaps at the start and the end of the step and s_2 that in the middle of the next one,
// all computed from s in the middle of this one, the velocities u-, u+ and the gap's acceleration. The
// impulse is
//   p = (1 - theta) [h (V(s_1) - V(s_0))/(s_1 - s_0) + G(s_1) - G(s_0)] + theta [h F(s_2) + G(s_2) - G(s)]
//   >= 0,   theta = q^2/(10^4 + q^2),  q = h^2 k W                                                   (A14)
// The discrete gradient does the work V(s_0) - V(s_1) exactly, for any step length. The second part is
// the implicit Euler step, which dissipates energy; it dominates if a step is longer than three impacts. G
// is the integral of the damping that gives the coefficient of restitution: it dissipates in any step.
// Tangentially, a spring of stiffness k_t, proportional to the normal stiffness, starts from its force T_0 at
// the beginning of the step,
//   p_t = h [T_0 - h k_t ((1 - theta_t) (u- + u+)/4 + theta_t (u-/2 + u+))] minus damping, (A15)
// theta_t = q^2/(1 + q^2),
// within the bound of friction. The next step begins with T_1 = T_0 - h k_t (u- + u+)/2, within that bound.
// If k_t has decreased, T_0 decreases with it (Thornton, Yin 1991). Both have the form u + C (p -
// p0), the first after linearisation, as often as needed.
//
// The coefficient c of Hertz's law follows the curvature of the gap. If it changes while the overlap does
// not, the energy E must not change, since nothing does work. So a part of the overlap becomes free of force:
//   s = overlap - free,   free += V_before^-1(E) - V^-1(E)                                           (A17)
// A memory that passes to another contact (a seam of walls) brings its free overlap, and more of it if the
// new overlap would store more energy.
//
// An impact that takes fewer than ten steps and is faster than the restitution threshold is rigid in its
// step, with the law of restitution.
#pragma once

#include "engine/simulation/assemble.h"
#include "engine/simulation/diagnostics.h"

namespace scree {

/// Memories of contact springs, searched in the order of contacts.
class SpringMemories {
 public:
  /// Those of contacts from this key on.
  SpringMemories(const std::vector<SpringMemory>& list, const ContactKey& first);
  /// The memory of a contact after the last requested one, or null.
  const SpringMemory* find(const ContactKey& key);

 private:
  const std::vector<SpringMemory>& list_;
  std::size_t next_;
};

/// Gives memories of contacts that have ended to new ones which continue them, or to those that began beside
/// them, after detection: a grain that passes a seam of walls keeps its overlap and its forces.
void pass_springs_on(State& state);

/// Does the run begin, so that overlaps without a memory are those of its first state? The same on all ranks,
/// which must all call it.
bool springs_begin(const State& state);

/// The past of a contact's spring, before an interval.
struct SpringPast {
  const SpringMemory* memory;  // or null
  bool run_begins;             // see springs_begin()
};
/// Is this contact, number c of the problem, whose terms, approach and start impulse exist, a spring in this
/// interval? If so, fills it and the contact's compliance.
bool begin_spring(const Model& model, const Bodies& bodies, const Contact& contact, const Interval& interval,
                  std::size_t c, const SpringPast& past, Workspace& workspace);

/// Velocity change that a spring with this last impulse may cause in a step, m/s, plus the velocity that
/// corresponds to its impulse's rounding in single precision.
double speed_to_change(const ContactSpring& spring, double last_impulse);

/// Deviation of the solution's impulses from the law of their springs, rms over those that press, as
/// velocities, m/s. If it exceeds the goal, springs are linearised there.
double follow_springs(double goal, const ContactSolution& solution, Workspace& workspace);

/// Adds energies after a (sub)step of h to the ledger, and stores the memory for the next one. Energy stored
/// in contacts that have ended is lost: it is booked as dissipated by impact.
void end_springs(double h, Workspace& workspace, State& state, StepReport& report);

/// 1/s: upper bound of the frequency sqrt(k W) of impacts and contacts of elastic bodies, for all pairs at
/// the bodies' present speeds, and for those of the workspace's last step, if there is one. The same on all
/// ranks, which must all call it.
double fastest_swing(const Model& model, const Bodies& bodies, const Workspace* workspace);

}  // namespace scree
