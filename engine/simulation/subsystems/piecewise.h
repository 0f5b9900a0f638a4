// Piecewise steps: every impact at its instant; contacts carry only bodies that rest on others.
//
// A body is ballistic or rests (bodies.resting). In a step,
//   1. a ballistic body that may come to a resting one is caught, and rests for this step;
//   2. the others fly from impact to impact (engine/modules/flight/clusters.h) to the end of the step, or to
//   the
//      instant at which one comes to rest: its impact is slower than the restitution threshold, or its
//      impacts pile up (Zeno). The step ends there, but not sooner than a part of it: a body that comes to
//      rest sooner rests from its beginning;
//   3. resting bodies are advanced by contacts through the same time, as in other steps, but held a clearance
//      apart (Settings::clearance()), so that none overlaps;
//   4. a resting body that nothing pushes and that overlaps none is ballistic again.
// A step with too many impacts (Settings::most_impacts) is made by contacts from its beginning, for all.
// Impulses of impacts and of contacts act on both sides, and their works are in the ledger alike.
#pragma once

#include <functional>

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Takes those who lie, and nobody else, through a step in which contacts carry them.
using ContactSteps = std::function<void(const StepPlan& plan, State& resting)>;

/// One step, or what of it comes before somebody rests: the plan as it was carried out.
StepPlan fly_and_lie(const Model& model, const StepPlan& plan, State& state, Workspace& workspace,
                     StepResult& result, const ContactSteps& contact_steps);

}  // namespace scree
