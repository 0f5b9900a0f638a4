// Actuator models: equations that drive joints, a declarative model or any other.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

namespace scree {

/// The equations of an actuator have no solution: the message gives their names and the time.
class ActuatorFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Equations with inputs and outputs, advanced from one time to the next. All state is in `memory`, so that
/// steps can be tried. Members may be called from several threads, and throw ActuatorFailure.
class ActuatorModel {
 public:
  virtual ~ActuatorModel() = default;
  /// The memory at the start. `inputs`: those at that time.
  virtual std::vector<double> start(double time_s, std::span<const double> inputs) const = 0;
  /// The outputs at the time of a memory.
  virtual void look(std::span<const double> memory, std::span<double> outputs) const = 0;
  /// Advances a memory to `end_s`; inputs change linearly until then.
  virtual void step(double end_s, std::span<const double> inputs, std::vector<double>& memory) const = 0;
};

}  // namespace scree
