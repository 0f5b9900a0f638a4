// Variables of a scene for co-simulation: inputs, outputs and parameters, each with a name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/simulation/observables.h"
#include "io/scene/scene.h"

namespace scree::io {

struct Variable {
  enum class Type { real, integer, boolean, string };
  enum class Causality { input, output, parameter };

  std::string name, description, unit;  // empty: no unit
  Type type = Type::real;
  Causality causality = Causality::output;
  double start = 0.0;  // of inputs and parameters

  /// For numerical outputs: the amount in a step (for a mean to be divided by time), and its merging over
  /// steps.
  std::function<double(const Observed&)> amount = {};
  OverSteps over = OverSteps::last;
  /// For inputs: the number of the model that it sets.
  std::function<double*(Model&)> input = {};
};

/// The variables of a scene, in an order that depends on the scene alone; outputs are its observables. The
/// reference of a variable is its index here.
std::vector<Variable> variables_of(const Scene& scene);

/// Values since the last communication point, and present values. Before the first step no forces
/// have acted.
class CommunicationStep {
 public:
  CommunicationStep() = default;
  /// At the start of a scene.
  CommunicationStep(const std::vector<Variable>& variables, const Observed& start);
  /// Starts a new communication step.
  void begin() { duration_s_ = 0.0; }
  void add(const std::vector<Variable>& variables, const Observed& step);
  /// Value of a numerical output.
  double value(const std::vector<Variable>& variables, std::size_t reference) const;

 private:
  double duration_s_ = 0.0;
  std::vector<double> amounts_;  // [variable]
};

// The two variables that are no numbers of the model.
inline constexpr const char* threads_name = "threads";
inline constexpr const char* state_hash_name = "state_hash";

}  // namespace scree::io
