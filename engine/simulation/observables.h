// All observables: quantities of a run, each declared once, for columns of tables, conditions of events,
// inputs of declarative models, outputs of functional mock-up units, docs/observables.md, and users' own
// programs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/modules/generation/region.h"
#include "engine/simulation/diagnostics.h"

namespace scree {

/// The kind of object that a quantity belongs to.
enum class ObservedKind : std::uint8_t {
  run,
  cell,
  boundary,
  part,
  joint,
  machine,  // all joints and free parts together
  opening,  // an inlet, an outlet or, if bodies may leave it, the domain
  bonds,    // of one kind
  body,
  region  // of space, or all of it
};

/// Words for a kind.
struct ObservedKindWords {
  ObservedKind kind;
  const char*
      key;  // in a scene, its value names the part; also the heading of part names in its table; may be empty
  const char* table;  // TABLE.csv with a row per step and part; empty: no table
  const char* noun;
};
std::span<const ObservedKindWords> observed_kinds();
const ObservedKindWords& words_of(ObservedKind kind);

/// The observed data: the end of a step, or a run's start (start_result()).
struct Observed {
  const Model& model;
  const State& state;
  const StepResult& result;
  const Region* region = nullptr;    // for quantities of a region
  double rest_speed_m_s = 0.0;       // bodies whose surface is not faster are at rest
  const PlacedCell* cell = nullptr;  // for a recorded moment; null: that of the model and the state
};

/// Combination of the values of several steps.
enum class OverSteps : std::uint8_t { last, sum, largest, mean };
const char* to_string(OverSteps over);
/// Combines the amounts of two successive steps.
double merged(OverSteps over, double before, double now);

/// The type of a value.
enum class ObservedForm : std::uint8_t {
  number,
  count,  // a whole number
  clock,  // counts steps or time
  wall_time,
  size  // magnitude of the vector whose components are the three entries before it
};

/// Where a body is, and how it moves.
struct BodyMotion {
  Vec3 position;  // m
  Twist twist;
};
/// The body with this id; none if it does not exist. The same on all ranks, which must all call it.
std::optional<BodyMotion> motion_of(const Bodies& bodies, BodyId id);

struct Observable {
  const char* name;  // with its unit, unless that depends on the part
  const char* unit;  // SI; "1" if dimensionless; "m|rad": for a translation | for a rotation
  OverSteps over;
  const char* description;
  /// `part`: its number in the model or, for a body, its id (NaN if it does not exist). For a mean: the
  /// amount in the step, to be divided by its length. Null for a size.
  double (*value)(const Observed& now, std::int64_t part);
  ObservedForm form = ObservedForm::number;
  bool (*is_known)(const Model& model, std::int64_t part) = nullptr;  // for this part; null: for all

  /// May events and units use it? Values that differ between runs of the same scene are excluded.
  bool is_reproducible() const { return form != ObservedForm::wall_time; }
  bool is_known_of(const Model& model, std::int64_t part) const { return !is_known || is_known(model, part); }
};

/// All observables of a kind, in the order of their columns.
std::span<const Observable> observables(ObservedKind kind);
/// Null if the kind has none with this name.
const Observable* find_observable(ObservedKind kind, std::string_view name);

/// Its value in the last step; for a mean the amount. `parts`: the sum over these.
double amount(const Observable& quantity, const Observed& now, std::span<const std::int64_t> parts);
/// The same; for a mean divided by the step's length.
double value(const Observable& quantity, const Observed& now, std::span<const std::int64_t> parts);
double value(const Observable& quantity, const Observed& now, std::int64_t part);

/// The names of a model's parts of a kind, by number; one empty name if the only part has no name,
/// none if the model has none.
std::vector<std::string> part_names(ObservedKind kind, const Model& model);
/// For "m|rad" the unit that applies to the part.
std::string unit_of(const Observable& quantity, ObservedKind kind, const Model& model, std::int64_t part);

/// Throughput of an inlet, an outlet or the domain, by number.
Throughput throughput(const Model& model, const State& state, std::int64_t opening);

/// The recorded variables of a declarative model, inputs first, and their values; 0 before the first
/// step.
std::vector<std::string> variables_of(const Actuator& actuator);
double variable_value(const Model& model, const State& state, std::size_t actuator, std::size_t variable);

/// The result of a state before its first step, without any forces. For a cell only lattice and
/// volume.
StepResult start_result(const Model& model, const State& state);

}  // namespace scree
