// What a scene shows to others who simulate with it: inputs, outputs and parameters, each with a name.
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

  std::string name, description, unit;  // no unit where it is empty
  Type type = Type::real;
  Causality causality = Causality::output;
  double start = 0.0;  // of inputs and parameters

  /// Of outputs that are numbers: of a step, and of several; of a mean the amount.
  std::function<double(const Observed&)> amount = {};
  OverSteps over = OverSteps::last;
  /// Of inputs: the number of the model that it is.
  std::function<double*(Model&)> input = {};
};

/// Of a scene, in an order that follows from the scene alone: outputs are its observables. The reference of a
/// variable is its place here.
std::vector<Variable> variables_of(const Scene& scene);

/// What was done since the last communication point, and where things stand. Before the first step nothing
/// has acted.
class CommunicationStep {
 public:
  CommunicationStep() = default;
  /// As at the start of a scene.
  CommunicationStep(const std::vector<Variable>& variables, const Observed& start);
  /// What comes next is of a new one.
  void begin() { duration_s_ = 0.0; }
  void add(const std::vector<Variable>& variables, const Observed& step);
  /// Of an output that is a number.
  double value(const std::vector<Variable>& variables, std::size_t reference) const;

 private:
  double duration_s_ = 0.0;
  std::vector<double> amounts_;  // [variable]
};

// The two that are no numbers of the model.
inline constexpr const char* threads_name = "threads";
inline constexpr const char* state_hash_name = "state_hash";

}  // namespace scree::io
