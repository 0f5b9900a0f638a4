// The phases of an interval for bodies and for the subsystems of a model: parts, joints, actuators, bonds,
// the cell. Subsystems that the model does not have do nothing.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// An interval of a step.
struct IntervalTimes {
  double begin_s, h, next_h;  // next_h: of the following interval
  double middle_s() const { return begin_s + 0.5 * h; }
  double to_next_s() const { return 0.5 * (h + next_h); }  // between their middles
};

/// Free motion for half an interval, up to a time: bodies and parts, with everything that parts carry.
void move_half(const Model& model, const IntervalTimes& times, double to_s, State& state,
               Workspace& workspace);
/// Back from the middle of the interval to its beginning.
void move_back(const Model& model, const IntervalTimes& times, State& state);

/// Prepares the interval: forces on bodies and parts, and the cell.
void prepare(const Model& model, const IntervalTimes& times, const State& state, Workspace& workspace);

/// Applies the solution: impulses, velocities, and the results of all subsystems.
void take(const Model& model, const IntervalTimes& times, State& state, Workspace& workspace,
          StepResult& result);

}  // namespace scree
