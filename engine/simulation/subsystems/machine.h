// Joints as rows of the contact problem, with what drives, stops and brakes them.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Appends the rows of every joint whose bodies are there, after all others. Of what a joint holds, with phi
/// its deviation and J v + ... = dphi/dt (engine/modules/mechanisms/joints.h),
///   J v + phi / h + h/2 (what d^2 phi/dt^2 has beside J a) = 0 (R1)
/// so that phi is 0 at the next detection, to second order, as (A2) has it for gaps. Along the joint's
/// coordinate q: stops, q + h q' + ... >= low; friction, |p| <= h (F + mu N r) with N of the last step;
/// springs and dampers by (A11); motors, which reach their speed or their place, or give a force, within the
/// most that they can do. Velocities and places are those of the workspace's problem. Returns the root of the
/// mean square of what the rows have to change, m/s.
double add_joints(const Model& model, State& state, double h, double middle_s, Workspace& workspace);

/// Makes them a block, once the problem's rows are complete, and notes which follow from others.
void block_joints(Workspace& workspace);

/// From the workspace's solution: what joints remember, loads, and works on free parts.
void take_joints(const Model& model, double h, const Workspace& workspace, State& state, StepResult& result);

/// Kinetic and potential energy of free parts, J.
PartEnergy machine_energy(const Model& model, const State& state);
/// Closes the machine's balance over a step that began with so much energy, J.
void close_machine(const Model& model, const State& state, double energy_before, StepResult& result);

}  // namespace scree
