// What a scene shows to others who simulate with it: inputs, outputs and parameters, each with a name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "io/scene/scene.h"

namespace scree::io {

/// What was done since the last communication point, and where things stand. Forces are means over that time;
/// the rest is that of its end. Before the first step nothing has acted.
struct CommunicationStep {
  double duration_s = 0.0;
  std::vector<BoundaryLoad> boundaries;  // [boundary], impulses summed up
  std::vector<MountLoad> mounts;         // [mount], likewise
  std::vector<JointLoad> joints;         // [joint], likewise
  double kinetic_energy = 0.0;           // J, of bodies
  double residual_m_s = 0.0;             // largest of its steps
  bool solved = true;                    // did all of them converge?

  /// As at the start of a scene.
  static CommunicationStep at_start(const Model& model, const State& state);
  /// Adds a step; the first one replaces what was there.
  void add(const StepResult& result);
};

struct Variable {
  enum class Type { real, integer, boolean, string };
  enum class Causality { input, output, parameter };

  std::string name, description, unit;  // no unit where it is empty
  Type type = Type::real;
  Causality causality = Causality::output;
  double start = 0.0;  // of inputs and parameters

  /// Of outputs that are numbers.
  std::function<double(const CommunicationStep&, const State&)> value = {};
  /// Of inputs: the number of the model that it is.
  std::function<double*(Model&)> input = {};
};

/// Of a scene, in an order that follows from the scene alone. The reference of a variable is its place here.
std::vector<Variable> variables_of(const Scene& scene);

// The two that are no numbers of the model.
inline constexpr const char* threads_name = "threads";
inline constexpr const char* state_hash_name = "state_hash";

}  // namespace scree::io
