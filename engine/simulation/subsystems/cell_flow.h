// What a periodic cell that flows does to the bodies, and what it shows of them.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Where the flow of the cell begins, changes or ends, from one step to the next, all bodies get that of
/// their places: v += (rate now - rate before)(x - centre), rates in the mean of a step; and what held
/// stresses have given it in the last step. Its momentum and energy are booked as those of boundaries. `h`:
/// of the step that begins.
void follow_flow(const Model& model, double h, State& state, StepReport& report);

/// Fills problem.image_velocity from bodies and contacts, where the workspace's cell flows; before forces
/// act.
void set_image_velocities(const Model& model, const State& state, Workspace& workspace);

/// Lets the rates along which a cell holds a stress be unknowns of the problem, from contacts and bonds. With
/// M the inertia of a rate e, V the volume and s the stress to hold, M e changes by -h V s and by what
/// contacts give it, (S7). To be called when all rows are there. (A12)
void free_cell(const Model& model, const State& state, double h, Workspace& workspace);
/// What the stresses to hold may add in h to the speed of an image, m/s.
double speed_across_cell(const Model& model, const Bodies& bodies, double h, const Workspace& workspace);
/// What the stresses to hold would give a body in h, m/s, if they acted on one side of its part of the cell
/// alone: part of what residuals are compared with (A4).
double cell_speed(const Model& model, const Bodies& bodies, double h, const Workspace& workspace);

/// Lets images move with the rates that came out, or with the mean of those before and after the step.
enum class CellRate { after, mean };
void set_cell_rate(CellRate which, Workspace& workspace);
/// Takes the rates into the state, whose cell goes on to the end of a (sub)step of h from `begin_s`.
void take_cell(const Model& model, double begin_s, double h, const Workspace& workspace, State& state);

/// Of the bodies after a step of `h`, with the impulses that it had. Does nothing without a periodic cell.
void report_cell(const Model& model, const State& state, double h, const Workspace& workspace,
                 CellReport& report);

}  // namespace scree
