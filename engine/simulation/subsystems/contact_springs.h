// Elastic contacts: springs, implicit in the contact problem, with what friction remembers.
//
// Along the normal a contact of the overlap s has the force F(s) = dV/ds of Hertz, or a linear one. With s_0,
// s_1 the overlaps at the start and the end of the step and s_2 that in the middle of the next, all of them
// from s in the middle of this one, the velocities u-, u+ and the bending of the gap, its impulse is
//   p = (1 - theta) [h (V(s_1) - V(s_0))/(s_1 - s_0) + G(s_1) - G(s_0)] + theta [h F(s_2) + G(s_2) - G(s)]
//   >= 0,   theta = q^2/(1 + q^2),  q = h^2 k W                                                      (A14)
// The discrete gradient does the work V(s_0) - V(s_1) exactly, however long the step is. The second part is
// the implicit Euler step, which takes energy; it prevails where steps do not resolve the spring's swing. G
// is the integral of the damping that gives the coefficient of restitution: it takes energy in any step.
// Along the surfaces a spring of k_t, proportional to the normal stiffness, holds the force that it had as
// the step began,
//   p_t = h [T_0 - h k_t ((1 - theta) (u- + u+)/4 + theta (u-/2 + u+))] less damping, (A15)
// within the bound of friction, and T_1 = T_0 - h k_t (u- + u+)/2 within it is what the next step begins
// with; where k_t has become smaller T_0 falls with it (Thornton, Yin 1991). Both are of the form u + C (p -
// p0), the first after linearising, as often as needed.
//
// An impact that takes fewer than ten steps and meets faster than the restitution threshold is rigid in its
// step, under the law of restitution.
#pragma once

#include "engine/simulation/assemble.h"
#include "engine/simulation/diagnostics.h"

namespace scree {

/// Where contacts begin to be springs: what they remember, found in the order of contacts.
class SpringMemories {
 public:
  /// Those of contacts from this key on.
  SpringMemories(const std::vector<SpringMemory>& list, const ContactKey& first);
  /// The memory of a contact that follows the last one asked for, or null.
  const SpringMemory* find(const ContactKey& key);

 private:
  const std::vector<SpringMemory>& list_;
  std::size_t next_;
};

/// Is this contact of the problem, whose terms, approach and start impulse are there, a spring in this
/// interval? Then fills it and the contact's compliance; `before`: velocities before gravity and contacts
/// act.
bool begin_spring(const Model& model, const State& state, const Interval& interval, std::size_t contact,
                  const SpringMemory* memory, Workspace& workspace);

/// What a spring that had this impulse may change in a step of the velocity that it has, m/s; and what its
/// impulse is worth in single precision.
double speed_to_change(const ContactSpring& spring, double last_impulse);

/// By how much impulses of the solution are off the law of their springs, rms over those that press, as
/// velocities, m/s. If that is more than the goal springs are linearised there.
double follow_springs(double goal, const ContactSolution& solution, Workspace& workspace);

/// Energies after a (sub)step of h into the ledger, and what the next one remembers. What was stored in
/// contacts that are no more is lost: impact has taken it.
void end_springs(double h, Workspace& workspace, State& state, StepReport& report);

/// 1/s: no impact or contact of bodies that give swings faster, sqrt(k W), whoever meets at the speeds that
/// bodies have, and none of the workspace's last step did, if there is one.
double fastest_swing(const Model& model, const Bodies& bodies, const Workspace* workspace);

}  // namespace scree
