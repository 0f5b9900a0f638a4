#include "io/fmu/variables.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace scree::io {

namespace {

using Causality = Variable::Causality;
using Type = Variable::Type;

bool turns(const MachineJoint& joint) { return joint.coordinate == JointCoordinate::Kind::angle; }

const char* unit_of_motor(const MachineJoint& joint) {
  switch (joint.motor.kind) {
    case JointMotor::Kind::speed:
      return turns(joint) ? "rad/s" : "m/s";
    case JointMotor::Kind::position:
      return turns(joint) ? "rad" : "m";
    case JointMotor::Kind::force:
      return turns(joint) ? "N.m" : "N";
    case JointMotor::Kind::none:
      break;
  }
  return "";
}

/// Unit in FMI's notation: "N m" is "N.m", and no unit is an empty text.
std::string unit_text(std::string unit) {
  std::ranges::replace(unit, ' ', '.');
  return unit == "1" ? "" : unit;
}

/// Text with only characters allowed in XML.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

class List {
 public:
  explicit List(const Scene& scene) : model_(scene.model) {}

  std::vector<Variable> make() {
    list_.push_back({threads_name, "Number of threads; 0: all of the machine", "", Type::integer,
                     Causality::parameter, 1.0});
    list_.push_back({state_hash_name,
                     "Hash of the state of the bodies; equal hashes mean bitwise equal states", "",
                     Type::string, Causality::output});
    for (const ObservedKind kind :
         {ObservedKind::run, ObservedKind::cell, ObservedKind::machine, ObservedKind::joint,
          ObservedKind::boundary, ObservedKind::part, ObservedKind::opening, ObservedKind::bonds}) {
      const std::vector<std::string> names = part_names(kind, model_);
      for (std::size_t k = 0; k < names.size(); ++k) add_part(kind, names[k], static_cast<std::int64_t>(k));
    }
    for (std::size_t k = 0; k < model_.actuators.size(); ++k) add_actuator(k);
    return std::move(list_);
  }

 private:
  void add_part(ObservedKind kind, const std::string& name, std::int64_t part) {
    const ObservedKindWords& words = words_of(kind);
    if (kind != ObservedKind::run)
      begin(*words.key == '\0' ? words.table : words.key, name.empty() ? words.table : name);
    add_inputs(kind, part);
    for (const Observable& quantity : observables(kind)) {
      if (!quantity.is_reproducible() || quantity.form == ObservedForm::clock ||
          !quantity.is_known_of(model_, part))
        continue;
      list_.push_back(
          {part_ + quantity.name, quantity.description, unit_text(unit_of(quantity, kind, model_, part)),
           quantity.form == ObservedForm::count ? Type::integer : Type::real, Causality::output, 0.0,
           [&quantity, part](const Observed& now) {
             return amount(quantity, now, {&part, 1});
           },
           quantity.over});
    }
  }

  void add_inputs(ObservedKind kind, std::int64_t part) {
    if (kind == ObservedKind::joint && model_.joints[part].motor.kind != JointMotor::Kind::none) {
      const MachineJoint& joint = model_.joints[part];
      input("motor", "Value that is added to that of the joint's motor", unit_of_motor(joint),
            joint.motor.value, [part](Model& model) { return &model.joints[part].motor.value; });
    }
    if (kind == ObservedKind::part && model_.parts[part].has_axis()) {
      const Part& moved = model_.parts[part];
      const bool turns = moved.freedom == Freedom::about;
      input("force", turns ? "Torque on the part about its axis" : "Force on the part along its axis",
            turns ? "N.m" : "N", moved.force, [part](Model& model) { return &model.parts[part].force; });
    }
  }

  void add_actuator(std::size_t k) {
    const Actuator& actuator = model_.actuators[k];
    begin("model", actuator.name);
    const std::vector<std::string> variables = variables_of(actuator);
    for (std::size_t v = actuator.inputs.size(); v < variables.size(); ++v)
      list_.push_back({part_ + printable(variables[v]), "Variable of the declarative model", "", Type::real,
                       Causality::output, 0.0,
                       [k, v](const Observed& now) { return variable_value(now.model, now.state, k, v); }});
  }

  /// The following variables belong to this part. If parts of two kinds have the same name, the kind is put
  /// before the later one.
  void begin(const std::string& kind, const std::string& name) {
    part_ = printable(name);
    for (int k = 1; !taken_.insert(part_).second; ++k)
      part_ = k == 1 ? fmt::format("{}.{}", kind, printable(name)) : fmt::format("{}.{}#{}", kind, name, k);
    part_ += '.';
  }

  void input(const char* name, const char* description, const char* unit, double start,
             std::function<double*(Model&)> place) {
    list_.push_back({part_ + name,
                     description,
                     unit,
                     Type::real,
                     Causality::input,
                     start,
                     {},
                     OverSteps::last,
                     std::move(place)});
  }

  const Model& model_;
  std::vector<Variable> list_;
  std::string part_;  // "crank."
  std::set<std::string> taken_;
};

}  // namespace

CommunicationStep::CommunicationStep(const std::vector<Variable>& variables, const Observed& start)
    : amounts_(variables.size(), 0.0) {
  for (std::size_t k = 0; k < variables.size(); ++k)
    if (variables[k].amount) amounts_[k] = variables[k].amount(start);
}

void CommunicationStep::add(const std::vector<Variable>& variables, const Observed& step) {
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const Variable& variable = variables[k];
    if (!variable.amount) continue;
    const double now = variable.amount(step);
    amounts_[k] = duration_s_ == 0.0 ? now : merged(variable.over, amounts_[k], now);
  }
  duration_s_ += step.result.report.time_step_s;
}

double CommunicationStep::value(const std::vector<Variable>& variables, std::size_t reference) const {
  if (variables[reference].over != OverSteps::mean) return amounts_[reference];
  return duration_s_ > 0.0 ? 1.0 / duration_s_ * amounts_[reference] : 0.0;
}

std::vector<Variable> variables_of(const Scene& scene) { return List(scene).make(); }

}  // namespace scree::io
