#include <algorithm>

#include "engine/simulation/observables.h"
#include "engine/simulation/subsystems/machine.h"
#include "engine/simulation/subsystems/parts.h"

namespace scree {

namespace {

using Kind = ObservedKind;
using Over = OverSteps;
using Form = ObservedForm;

constexpr ObservedKindWords kinds[] = {
    {Kind::run, "", "steps", "the run"},
    {Kind::cell, "", "cell", "a periodic cell"},
    {Kind::boundary, "boundary", "boundaries", "a boundary"},
    {Kind::part, "part", "parts", "a part"},
    {Kind::joint, "joint", "joints", "a joint"},
    {Kind::machine, "", "machine", "all joints and free parts"},
    {Kind::opening, "opening", "openings", "an inlet or outlet"},
    {Kind::bonds, "bonds", "", "a kind of bonds"},
    {Kind::body, "body", "", "a body"},
    {Kind::region, "region", "", "bodies, all of them or those in a region"},
};

std::string second_part(const std::string& text, bool second) {
  const std::size_t bar = text.find('|');
  if (bar == std::string::npos) return text;
  return second ? text.substr(bar + 1) : text.substr(0, bar);
}

bool turns(ObservedKind kind, const Model& model, std::int64_t part) {
  if (kind == Kind::joint) return model.joints[part].coordinate == JointCoordinate::Kind::angle;
  return kind == Kind::part && model.parts[part].freedom == Freedom::about;
}

std::vector<std::string> names_of(const auto& parts) {
  std::vector<std::string> names;
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

}  // namespace

std::span<const ObservedKindWords> observed_kinds() { return kinds; }

const ObservedKindWords& words_of(ObservedKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

const char* to_string(OverSteps over) {
  switch (over) {
    case OverSteps::last:
      return "last";
    case OverSteps::sum:
      return "sum";
    case OverSteps::largest:
      return "largest";
    case OverSteps::mean:
      return "mean";
  }
  return "";
}

double merged(OverSteps over, double before, double now) {
  switch (over) {
    case Over::last:
      return now;
    case Over::sum:
    case Over::mean:
      return before + now;
    case Over::largest:
      return std::max(before, now);
  }
  return now;
}

const Observable* find_observable(ObservedKind kind, std::string_view name) {
  const std::span<const Observable> list = observables(kind);
  const auto found = std::ranges::find_if(list, [&](const Observable& o) { return name == o.name; });
  return found == list.end() ? nullptr : &*found;
}

double amount(const Observable& quantity, const Observed& now, std::span<const std::int64_t> parts) {
  if (quantity.form == Form::size) {
    const Observable* const components = &quantity - 3;
    return Vec3(amount(components[0], now, parts), amount(components[1], now, parts),
                amount(components[2], now, parts))
        .norm();
  }
  double sum = quantity.value(now, parts.front());  // keeps the sign of zero
  for (const std::int64_t part : parts.subspan(1)) sum += quantity.value(now, part);
  return sum;
}

double value(const Observable& quantity, const Observed& now, std::span<const std::int64_t> parts) {
  if (quantity.over != Over::mean) return amount(quantity, now, parts);
  const double step_s = now.result.report.time_step_s;
  return step_s > 0.0 ? 1.0 / step_s * amount(quantity, now, parts) : 0.0;
}

double value(const Observable& quantity, const Observed& now, std::int64_t part) {
  return value(quantity, now, {&part, 1});
}

std::vector<std::string> part_names(ObservedKind kind, const Model& model) {
  const auto one_if = [](bool is_there) { return std::vector<std::string>(is_there ? 1 : 0); };
  switch (kind) {
    case Kind::run:
    case Kind::region:
      return one_if(true);
    case Kind::cell:
      return one_if(model.cell.is_periodic());
    case Kind::machine:
      return one_if(!model.joints.empty());
    case Kind::boundary:
      return names_of(model.boundaries);
    case Kind::part:
      return names_of(model.parts);
    case Kind::joint:
      return names_of(model.joints);
    case Kind::bonds:
      return names_of(model.bonds);
    case Kind::opening: {
      std::vector<std::string> names = names_of(model.inlets);
      for (const Outlet& outlet : model.outlets) names.push_back(outlet.name);
      if (model.domain.outside == Outside::remove) names.emplace_back("domain");
      return names;
    }
    case Kind::body:
      return {};
  }
  return {};
}

std::string unit_of(const Observable& quantity, ObservedKind kind, const Model& model, std::int64_t part) {
  return second_part(quantity.unit, turns(kind, model, part));
}

Throughput throughput(const Model& model, const State& state, std::int64_t opening) {
  const bool enters = static_cast<std::size_t>(opening) < model.inlets.size();
  const std::vector<Throughput>& list = enters ? state.entered : state.left;
  const std::size_t k = enters ? opening : opening - model.inlets.size();
  return k < list.size() ? list[k] : Throughput{};
}

std::vector<std::string> variables_of(const Actuator& actuator) {
  std::vector<std::string> names;
  for (const ActuatorInput& input : actuator.inputs) names.push_back(input.variable);
  names.insert(names.end(), actuator.outputs.begin(), actuator.outputs.end());
  return names;
}

double variable_value(const Model& model, const State& state, std::size_t actuator, std::size_t variable) {
  if (state.actuators.empty()) return 0.0;
  const ActuatorState& now = state.actuators[actuator];
  const std::size_t inputs = model.actuators[actuator].inputs.size();
  return variable < inputs ? now.inputs[variable] : now.outputs[variable - inputs];
}

StepResult start_result(const Model& model, const State& state) {
  StepResult start;
  StepReport& report = start.report;
  report.step = state.step;
  report.time_s = state.time_s;
  report.bodies = static_cast<std::int64_t>(state.bodies.size());
  const BodySums sums = body_sums(state.bodies, model.settings.gravity);
  report.energy.kinetic = sums.kinetic;
  report.energy.potential = sums.potential;
  report.linear_momentum = sums.linear;
  report.angular_momentum = sums.angular;
  start.boundaries.resize(model.boundaries.size());
  start.joints.resize(model.joints.size());
  start.parts.resize(model.parts.size());
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Part& part = model.parts[m];
    const PartState now = state_of(model.parts, state.parts, m);
    PartLoad& load = start.parts[m];
    load.travel = part.is_free() ? (now.pose.position - part.centre).norm() : now.travel;
    load.rate = part.is_free() ? now.twist.linear.norm() : now.rate;
    load.kinetic_energy = part.is_free() ? energy_of(part, now, model.settings.gravity).kinetic
                                         : 0.5 * part.inertia * now.rate * now.rate;
  }
  const PartEnergy machine = machine_energy(model, state);
  start.machine.kinetic = machine.kinetic;
  start.machine.potential = machine.potential;
  if (model.cell.is_periodic()) {
    start.cell.lattice = cell_at(model, state, state.time_s).lattice;
    start.cell.volume = start.cell.lattice.determinant();
  }
  report.bonds = static_cast<std::int64_t>(state.bonds.size());
  report.asleep = state.sleepers.sums.bodies;
  report.energy.elastic = state.memory.elastic;
  return start;
}

}  // namespace scree
