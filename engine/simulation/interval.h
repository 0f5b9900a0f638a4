// An interval of a step in which contacts carry the bodies: the method itself.
#pragma once

#include <chrono>

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Adds the time since the last call to a stage.
class StageClock {
 public:
  void charge(double& stage) {
    const auto now = std::chrono::steady_clock::now();
    stage += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Advances all bodies by a step of the plan in its substeps, each: drift, contacts, solution, balances,
/// drift. A step in which bodies rotate too far or are shot away is repeated as two halves; if it then does
/// not look ahead to the next step as planned, the plan gets `most_next_h`.
void contact_interval(const Model& model, StepPlan& plan, State& state, Workspace& workspace,
                      StepResult& result, StageClock& clock);

}  // namespace scree
