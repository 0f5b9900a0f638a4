// What bodies and the subsystems of a model do in each phase of an interval: parts, joints, actuators, bonds,
// the cell. Those that the model has not do nothing.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// An interval of a step.
struct IntervalTimes {
  double begin_s, h, next_h;  // next_h: of the one that follows
  double middle_s() const { return begin_s + 0.5 * h; }
  double to_next_s() const { return 0.5 * (h + next_h); }  // between their middles
};

/// Half an interval of free motion, to a time: bodies and parts, with what these carry.
void move_half(const Model& model, const IntervalTimes& times, double to_s, State& state,
               Workspace& workspace);
/// Back to the interval's begin from its middle.
void move_back(const Model& model, const IntervalTimes& times, State& state);

/// What acts in the interval: forces on bodies and parts, and where the cell is.
void prepare(const Model& model, const IntervalTimes& times, const State& state, Workspace& workspace);

/// Takes the solution: impulses, velocities, and what all parts did.
void take(const Model& model, const IntervalTimes& times, State& state, Workspace& workspace,
          StepResult& result);

}  // namespace scree
