// Sleep: bodies at rest are left out of steps until something disturbs them. Off unless the settings
// enable it.
//
// A body falls asleep if its contacts carry an impulse and its surface has been slower than a speed for some
// time: its velocity becomes zero. Its contacts with other sleeping bodies and with boundaries rest, with
// their impulses p_c. For awake bodies it is a fixed body (inverse mass 0). In each (sub)step the sum on a
// sleeping body is
//   r = m g h + sum p_c,  s = sum (arm_c x p_c + torque impulse_c)                                      (Z1)
// over its contacts: resting ones with their stored impulses, the others with those of the solution. If it
// could move, its surface would gain a speed of up to
//   |r| / m + radius |I^-1 s|.                                                                          (Z2)
// If that is more than tolerance * |gravity| * h (without gravity: tolerance * speed), the body wakes for the
// next step, with its impulses. If it is more than |gravity| * h for any body, the step is solved again
// with the disturbed bodies and their neighbours awake; each repetition reaches twice as far. So
// impacts act on movable bodies, and bodies wake as far as the forces change. The final (Z1) moves no body.
// The report contains the sum (sleep_impulse), and the kinetic energy of bodies that fell asleep
// (dissipated_by_sleep), so that momentum and energy close to rounding.
//
// By ranks: a rank stores the resting contacts whose body a is its own. Marks and loads of ghosts go to their
// owners, in the order of contacts, so that each body gets the same sums. All ranks must make the same calls.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Wakes sleeping bodies that a moving boundary reaches; true if any: then contacts must be found again.
bool wake_pushed(const Model& model, State& state, StepReport& report);

/// Evaluates (Z1) for the solution of a (sub)step of h, and marks the bodies that must wake
/// (workspace.waking). If any was struck, wakes the marked ones and all within 2^attempt contacts of them,
/// and returns true: their contacts are in the table again, and a rank has left its problem.
bool wake_struck(const Model& model, double h, int attempt, Workspace& workspace, State& state,
                 StepReport& report);

/// Adds the sums (Z1) of the last solution, which is final, to the report.
void book_sleepers(const State& state, const Workspace& workspace, StepReport& report);

/// At the end of a step, of which the last (sub)step had a length of h: wakes marked bodies, counts the time
/// for which bodies have been still, and puts bodies to sleep.
void wake_and_fall_asleep(const Model& model, double h, Workspace& workspace, State& state,
                          StepReport& report);

/// Wakes the marked sleeping bodies ([body]) and those that rest on them.
void wake_neighbours(const std::vector<std::uint8_t>& marked, State& state);

}  // namespace scree
