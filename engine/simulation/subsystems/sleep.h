// Sleeping: bodies at rest are left out of steps until something disturbs them. Off unless the settings ask
// for it.
//
// Who has contacts that carry something and whose surface has been slower than a speed for a while, falls
// asleep: its velocity becomes zero, and its contacts with other sleepers and with boundaries rest, with the
// impulses p_c they have. For bodies that are awake a sleeper is a body that nothing moves (inverse mass 0).
// In every (sub)step it feels
//   r = m g h + sum p_c,  s = sum (arm_c x p_c + torque impulse_c)                                      (Z1)
// over its contacts, resting ones with the impulses they had, the others with those of the solution. If it
// could move, its surface would gain up to
//   |r| / m + radius |I^-1 s|.                                                                          (Z2)
// Where that is more than tolerance * |gravity| * h (without gravity: tolerance * speed) it wakes for the
// next step, with the impulses it had. Where it is more than |gravity| * h for anyone, the step is solved
// again with those awake who were disturbed, and their neighbours; each time for twice as far around. So
// impacts meet bodies, and bodies wake as far as the forces change. What (Z1) is in the end moves nobody: the
// report has the sum (sleep_impulse), and the kinetic energy of those who fell asleep (dissipated_by_sleep),
// so that momentum and energy close to rounding.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Wakes sleepers that a moving boundary has come to, and says so: contacts have to be found again.
bool wake_pushed(const Model& model, State& state, StepReport& report);

/// Looks what sleepers feel in the solution of a (sub)step of h, and marks who has to wake
/// (workspace.waking). If anyone was struck, wakes those who are marked and everybody within 2^attempt
/// contacts of them, and says so: their contacts are in the table again. Else adds what the sleepers felt to
/// the report.
bool wake_struck(const Model& model, double h, int attempt, Workspace& workspace, State& state,
                 StepReport& report);

/// At the end of a step: wakes who is marked, counts for how long bodies have been still, and puts to sleep
/// who may.
void wake_and_fall_asleep(const Model& model, double h, Workspace& workspace, State& state,
                          StepReport& report);

/// Wakes the sleepers that are marked ([body]) and those that rest on them.
void wake_neighbours(const std::vector<std::uint8_t>& marked, State& state);

/// Fills what follows from the resting contacts.
void hold_sleepers(const Bodies& bodies, Sleepers& sleepers);

/// Resting contacts and what follows from them, where a step is so many times as long as the last one.
void scale_held(double factor, Sleepers& sleepers);

}  // namespace scree
