// Piecewise steps: each impact at its exact time; contacts carry only bodies that rest on others.
//
// A body is ballistic or resting (bodies.resting). In a step,
//   1. a ballistic body that may come to a resting one is caught, and is resting for this step;
//   2. the others fly from impact to impact (engine/modules/flight/clusters.h) to the end of the step, or
//      to the time at which one comes to rest: its impact is slower than the restitution threshold, or
//      its impacts accumulate (Zeno). The step ends there, but not before a minimum share of it: a body that
//      comes to rest earlier is resting from its beginning;
//   3. resting bodies are advanced by contacts through the same time, as in other steps, but kept a clearance
//      apart (Settings::clearance()), so that none overlaps;
//   4. a resting body that nothing pushes and that overlaps no other is ballistic again.
// A step with too many impacts (Settings::most_impacts) is made by contacts from its beginning, for all
// bodies. Impulses of impacts and of contacts act on both sides, and the ledger contains the works of both.
#pragma once

#include <functional>

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Advances only the resting bodies through a step in which contacts carry them.
using ContactSteps = std::function<void(const StepPlan& plan, State& resting)>;

/// One step, or its part before a body comes to rest; returns the plan as executed.
StepPlan fly_and_lie(const Model& model, const StepPlan& plan, State& state, Workspace& workspace,
                     StepResult& result, const ContactSteps& contact_steps);

}  // namespace scree
