// Every quantity of a run that can be observed is declared here, once: the columns of tables, conditions of
// events, inputs of declarative models, outputs of units, docs/observables.md and what a program of its own
// reads.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/modules/generation/region.h"
#include "engine/simulation/diagnostics.h"

namespace scree {

/// What a quantity is of.
enum class ObservedKind : std::uint8_t {
  run,
  cell,
  boundary,
  part,
  joint,
  machine,  // all joints and free parts together
  opening,  // an inlet, an outlet or, where bodies may leave it, the domain
  bonds,    // of one kind
  body,
  region  // of space, or all of it
};

/// How kinds are called.
struct ObservedKindWords {
  ObservedKind kind;
  const char*
      key;  // of a scene, whose value names the part; also the heading of names in the table; may be empty
  const char* table;  // with a row a step and part: TABLE.csv; empty if there is none
  const char* noun;
};
std::span<const ObservedKindWords> observed_kinds();
const ObservedKindWords& words_of(ObservedKind kind);

/// What is looked at: the end of a step, or a run's start (start_result()).
struct Observed {
  const Model& model;
  const State& state;
  const StepResult& result;
  const Region* region = nullptr;  // of quantities of one
  double rest_speed_m_s = 0.0;     // whose surface is not faster is at rest
};

/// How the values of several steps make one.
enum class OverSteps : std::uint8_t { last, sum, largest, mean };
const char* to_string(OverSteps over);
/// What several steps make of an amount, one step after the other.
double merged(OverSteps over, double before, double now);

/// What a value is.
enum class ObservedForm : std::uint8_t {
  number,
  count,  // a whole one
  clock,  // what steps are counted by
  wall_time,
  size  // of the vector whose components are the three before it in the list
};

struct Observable {
  const char* name;  // with its unit, unless that depends on the part
  const char* unit;  // of SI; "1" if there is none; "m|rad": of a part that goes | that turns
  OverSteps over;
  const char* description;
  /// Of a part: its number in the model or, of a body, its id (NaN where it is not there). Of a mean: the
  /// amount in the step, to be divided by its length. Null of a size.
  double (*value)(const Observed& now, std::int64_t part);
  ObservedForm form = ObservedForm::number;
  bool (*is_known)(const Model& model, std::int64_t part) = nullptr;  // of this part; null: of all

  /// May events look at it, and units show it? What is not the same in every run of a scene may not.
  bool is_reproducible() const { return form != ObservedForm::wall_time; }
  bool is_known_of(const Model& model, std::int64_t part) const { return !is_known || is_known(model, part); }
};

/// All of a kind, in the order of their columns.
std::span<const Observable> observables(ObservedKind kind);
/// Null if the kind has none of this name.
const Observable* find_observable(ObservedKind kind, std::string_view name);

/// Its value in the last step; of a mean the amount. `parts`: the sum of these.
double amount(const Observable& quantity, const Observed& now, std::span<const std::int64_t> parts);
/// The same, of a mean over the step's length.
double value(const Observable& quantity, const Observed& now, std::span<const std::int64_t> parts);
double value(const Observable& quantity, const Observed& now, std::int64_t part);

/// The names of a model's parts of a kind, by their numbers; one empty name if there is one part without,
/// none if the model has none.
std::vector<std::string> part_names(ObservedKind kind, const Model& model);
/// Of "m|rad" the one that the part has.
std::string unit_of(const Observable& quantity, ObservedKind kind, const Model& model, std::int64_t part);

/// What has passed an inlet, outlet or the domain, by its number.
Throughput throughput(const Model& model, const State& state, std::int64_t opening);

/// The variables of a declarative model that are recorded, inputs first, and their values; 0 before the first
/// step.
std::vector<std::string> variables_of(const Actuator& actuator);
double variable_value(const Model& model, const State& state, std::size_t actuator, std::size_t variable);

/// What there is to tell of a state before its first step: nothing has acted. Of a cell its lattice and
/// volume alone.
StepResult start_result(const Model& model, const State& state);

}  // namespace scree
