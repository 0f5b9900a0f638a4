#include "engine/simulation/subsystems/actuators.h"

#include <cmath>

#include "engine/simulation/observables.h"
#include "engine/simulation/subsystems/parts.h"

namespace scree {

namespace {

using InputKind = ActuatorInput::Kind;

// Step for tangents, over the rate or over 1 m/s or rad/s. Outputs are exact to 1e-12 of their size.
constexpr double rate_change = 1e-5;

bool is_of_joint(const ActuatorInput& input, std::size_t joint) {
  return (input.kind == InputKind::coordinate || input.kind == InputKind::rate) &&
         static_cast<std::size_t>(input.part) == joint;
}

/// Inputs at a time `after_s` after the middle of the step; forces are those of the last step.
std::vector<double> inputs_at(const Actuator& actuator, double after_s, const Workspace& w,
                              const ActuatorState& now) {
  std::vector<double> inputs = now.inputs;
  inputs.resize(actuator.inputs.size(), 0.0);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const ActuatorInput& input = actuator.inputs[k];
    if (input.kind == InputKind::coordinate)
      inputs[k] = w.joints[input.part].coordinate + after_s * w.joints[input.part].rate;
    if (input.kind == InputKind::rate) inputs[k] = w.joints[input.part].rate;
  }
  return inputs;
}

void look(const Actuator& actuator, const std::vector<double>& memory, std::vector<double>& outputs) {
  outputs.resize(actuator.outputs.size());
  actuator.model->look(memory, outputs);
}

}  // namespace

void expect_actuators(const Model& model, double begin_s, double h, State& state, Workspace& w) {
  state.actuators.resize(model.actuators.size());
  std::vector<double> memory, outputs;
  for (std::size_t d = 0; d < model.actuators.size(); ++d) {
    const Actuator& actuator = model.actuators[d];
    ActuatorState& now = state.actuators[d];
    if (now.memory.empty()) {
      now.inputs = inputs_at(actuator, -0.5 * h, w, now);
      const StepResult start = start_result(model, state);
      for (std::size_t k = 0; k < now.inputs.size(); ++k) {
        const ActuatorInput& input = actuator.inputs[k];
        if (input.kind == InputKind::other && input.quantity->over != OverSteps::mean)
          now.inputs[k] = amount(*input.quantity, {model, state, start}, {&input.part, 1});
      }
      now.memory = actuator.model->start(begin_s, now.inputs);
      look(actuator, now.memory, now.outputs);
    }
    const std::vector<double> inputs = inputs_at(actuator, 0.5 * h, w, now);
    const auto outputs_for = [&](const std::vector<double>& given) {
      memory = now.memory;
      actuator.model->step(begin_s + h, given, memory);
      look(actuator, memory, outputs);
    };
    outputs_for(inputs);
    for (std::size_t k = 0; k < model.joints.size(); ++k) {
      const JointMotor& motor = model.joints[k].motor;
      if (motor.actuator != static_cast<std::int32_t>(d)) continue;
      w.joints[k].given = now.outputs[motor.output];
      w.joints[k].aim = outputs[motor.output];
    }
    for (std::size_t k = 0; k < model.joints.size(); ++k) {
      const JointMotor& motor = model.joints[k].motor;
      if (motor.actuator != static_cast<std::int32_t>(d) || motor.kind != JointMotor::Kind::force) continue;
      const double change = rate_change * std::max(1.0, std::abs(w.joints[k].rate));
      std::vector<double> changed = inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (is_of_joint(actuator.inputs[i], k))
          changed[i] += actuator.inputs[i].kind == InputKind::rate ? change : 0.5 * h * change;
      if (changed == inputs) continue;
      outputs_for(changed);
      w.joints[k].slope = (outputs[motor.output] - w.joints[k].aim) / change;
    }
  }
}

void take_actuators(const Model& model, double begin_s, double h, StepResult& result, State& state) {
  if (model.actuators.empty()) return;
  // Parts are at the middle of the (sub)step, and models see its end.
  const std::vector<PartState> at_middle = state.parts;
  drift_parts(model, 0.5 * h, state);
  result.report.time_s = begin_s + h;
  const double over = 1.0 / (begin_s + h - state.time_s);  // sums are over the elapsed part of the step
  for (std::size_t d = 0; d < model.actuators.size(); ++d) {
    const Actuator& actuator = model.actuators[d];
    ActuatorState& now = state.actuators[d];
    for (std::size_t k = 0; k < now.inputs.size(); ++k) {
      const ActuatorInput& input = actuator.inputs[k];
      const double seen = amount(*input.quantity, {model, state, result}, {&input.part, 1});
      now.inputs[k] = input.quantity->over == OverSteps::mean ? over * seen : seen;
    }
    actuator.model->step(begin_s + h, now.inputs, now.memory);
    look(actuator, now.memory, now.outputs);
  }
  state.parts = at_middle;
}

}  // namespace scree
