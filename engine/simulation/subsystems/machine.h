// Joints as rows of the contact problem, with motors, stops and friction.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Appends the rows of each joint whose bodies exist, after all others. For constraints of a joint, with the
/// deviation phi and J v + ... = dphi/dt (engine/modules/mechanisms/joints.h),
///   J v + phi / h + h/2 (terms of d^2 phi/dt^2 other than J a) = 0 (R1)
/// so that phi is 0 at the next detection, to second order, as in (A2) for gaps. Along the joint's
/// coordinate q: stops, q + h q' + ... >= low; friction, |p| <= h (F + mu N r) with N of the last step;
/// springs and dampers by (A11); motors, which reach their speed or position, or exert a force, within their
/// limits. Velocities and places are those of the workspace's problem. Returns the rms of the velocity
/// changes that the rows require, m/s.
double add_joints(const Model& model, State& state, double h, double middle_s, Workspace& workspace);

/// Combines them to a block, with few bonds, once the problem's rows are complete, and finds redundant rows.
void block_joints(const State& state, Workspace& workspace);

/// From the workspace's solution: joint states, loads, and works on free parts.
void take_joints(const Model& model, double h, const Workspace& workspace, State& state, StepResult& result);

/// Kinetic and potential energy of free parts, J.
PartEnergy machine_energy(const Model& model, const State& state);
/// Closes the machine's balance over a step that began with this energy, J.
void close_machine(const Model& model, const State& state, double energy_before, StepResult& result);

}  // namespace scree
