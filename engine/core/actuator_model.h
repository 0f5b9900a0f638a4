// What drives joints by equations of its own: a declarative model, or any other.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

namespace scree {

/// Where a drive's equations have no solution: names them, and the time.
class ActuatorFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Equations with inputs and outputs that go from one time to the next. All that changes is in `memory`, so
/// that steps can be tried. Members may be called from several threads, and throw ActuatorFailure.
class ActuatorModel {
 public:
  virtual ~ActuatorModel() = default;
  /// What it remembers where it begins. `inputs`: those at that time.
  virtual std::vector<double> start(double time_s, std::span<const double> inputs) const = 0;
  /// Outputs at the time of a memory.
  virtual void look(std::span<const double> memory, std::span<double> outputs) const = 0;
  /// Moves a memory on to `end_s`; inputs go there along straight lines.
  virtual void step(double end_s, std::span<const double> inputs, std::vector<double>& memory) const = 0;
};

}  // namespace scree
