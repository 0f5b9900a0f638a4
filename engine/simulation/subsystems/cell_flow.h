// Effects of a flowing periodic cell on the bodies, and its report.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// If the flow of the cell begins, changes or ends between two steps, all bodies get the flow at
/// their places: v += (rate now - rate before)(x - centre), with mean rates of the steps; and the rates from
/// held stresses in the last step. Momentum and energy of this are booked as those of boundaries. `h`:
/// of the step that begins.
void follow_flow(const Model& model, double h, State& state, StepReport& report);

/// Fills problem.image_velocity from bodies and contacts, if the workspace's cell flows; before forces
/// act.
void set_image_velocities(const Model& model, const State& state, Workspace& workspace);

/// Makes the strain rates along axes with held stress unknowns of the problem, from contacts and bonds. With
/// M the inertia of a rate e, V the volume and s the held stress, M e changes by -h V s and by the
/// contribution of contacts, (S7). To be called when all rows exist. (A12)
void free_cell(const Model& model, const State& state, double h, Workspace& workspace);
/// Change in h of the speed of an image by held stresses, m/s.
double speed_across_cell(const Model& model, const Bodies& bodies, double h, const Workspace& workspace);
/// Speed that the held stresses would give a body in h, m/s, if they acted only on one side of its part of
/// the cell: a contribution to the reference of residuals (A4).
double cell_speed(const Model& model, const Bodies& bodies, double h, const Workspace& workspace);

/// Sets the velocities of images to the resulting rates, or to the mean of those before and after the step.
enum class CellRate { after, mean };
void set_cell_rate(CellRate which, Workspace& workspace);
/// The same of contacts and rows alone, for any rate; no effect if the cell does not hold stresses.
void set_image_rate(const Vec3& rate, ContactProblem& problem);
/// Stores the rates in the state and advances its cell to the end of a (sub)step of h from `begin_s`.
void take_cell(const Model& model, double begin_s, double h, const Workspace& workspace, State& state);

/// Adds the impulses of contacts and bonds in a (sub)step, times their branch vectors, to those of the step.
/// Does nothing without a periodic cell.
void add_contact_moment(const Model& model, const State& state, const Workspace& workspace,
                        StepResult& result);
/// The same for the impacts of a piecewise step.
void add_moment_of_impacts(const Model& model, StepResult& result);

/// Reports on the cell after a step of `h`: stresses are means over the step. Does nothing without a periodic
/// cell.
void report_cell(const Model& model, const State& state, double h, StepResult& result);

}  // namespace scree
