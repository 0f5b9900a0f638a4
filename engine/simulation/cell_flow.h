// What a periodic cell that flows does to the bodies, and what it shows of them.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Where the flow of the cell begins, changes or ends, from one step to the next, all bodies get that of
/// their places: v += (rate now - rate before)(x - centre). Its momentum and energy are booked as those of
/// boundaries. `middle_s`: of the step.
void follow_flow(const Model& model, double middle_s, State& state, StepReport& report);

/// Fills problem.image_velocity from bodies and contacts, where the workspace's cell flows.
void set_image_velocities(const State& state, Workspace& workspace);

/// Of the bodies after a step of `h`, with the impulses that it had. Does nothing without a periodic cell.
void report_cell(const Model& model, const State& state, double h, CellReport& report);

}  // namespace scree
