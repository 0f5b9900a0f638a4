// Declarative models that drive motors of joints.
#include <algorithm>
#include <fmt/format.h>

#include "engine/simulation/observables.h"
#include "io/files/input_file.h"
#include "io/scene/faults.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"
#ifdef SCREE_MODELS
#include "engine/modules/equations/actuator.h"
#endif

namespace scree::io {

#ifdef SCREE_MODELS

struct DeclaredModels {
  std::vector<equations::FlatModel> list;  // [actuator]
};

namespace {

using equations::FlatModel;

/// Faults in the text of the model keep their locations; faults without a location get that of the file's
/// name in the scene.
void take_faults(const Section& section, const InputError& error, Reading& reading) {
  for (Fault fault : error.faults()) {
    if (fault.where.line == 0) fault.where = section.given("file").where;
    reading.faults.push_back(std::move(fault));
  }
}

std::map<std::string, double> parameters_of(const Section& section, const FlatModel& model,
                                            Reading& reading) {
  std::map<std::string, double> given;
  if (!section.has("parameters")) return given;
  std::vector<std::string> known;
  for (const equations::Symbol& symbol : model.symbols)
    if (symbol.kind == equations::Symbol::Kind::parameter) known.push_back(symbol.name);
  for (const Node& item : section.given("parameters").items) {
    if (item.faulty) continue;
    if (std::ranges::find(known, item.key) != known.end()) {
      given[item.key] = item.number;
      continue;
    }
    reading.faults.push_back(fault_at(item, section.path_of("parameters") + '.' + item.key,
                                      fmt::format("is not a parameter of the model {}", model.name)));
    reading.faults.back().suggestion = did_you_mean(item.key, known);
  }
  return given;
}

std::optional<FlatModel> compile(const Section& section, Reading& reading) {
  const std::filesystem::path file = beside_scene(section.text("file"), reading);
  std::string problem;
  const std::optional<std::string> text = read_bytes(file, problem, most_text_bytes);
  if (!text) {
    reading.faults.push_back(about(section, "file", fmt::format("cannot be read: {}", problem)));
    return std::nullopt;
  }
  const std::string main = section.has("model") ? section.text("model") : "";
  const std::size_t before = reading.faults.size();
  try {
    FlatModel model = equations::compile_model({file.string(), *text}, main);
    const auto parameters = parameters_of(section, model, reading);
    if (reading.faults.size() > before) return std::nullopt;
    if (!parameters.empty()) model = equations::compile_model({file.string(), *text}, main, parameters);
    return model;
  } catch (const InputError& error) {
    take_faults(section, error, reading);
    return std::nullopt;
  }
}

/// Names of variables that can be observed: unknowns of the text, and inputs.
std::vector<std::string> variables_of(const FlatModel& model) {
  std::vector<std::string> names;
  for (const equations::Symbol& symbol : model.symbols)
    if (symbol.integral < 0 &&
        (symbol.kind == equations::Symbol::Kind::variable || symbol.kind == equations::Symbol::Kind::input))
      names.push_back(symbol.name);
  return names;
}

/// Kinds whose quantities can be inputs of models: they are known before the models advance.
constexpr ObservedKind seen_by_models[] = {ObservedKind::joint, ObservedKind::boundary, ObservedKind::part};

std::optional<ActuatorInput> read_input(const Section& section, const FlatModel& model, Reading& reading) {
  if (section.node()->faulty) return std::nullopt;
  const auto refuse = [&](std::string_view key, const char* problem, const char* suggestion = "") {
    reading.faults.push_back(about(section, key, problem));
    reading.faults.back().suggestion = suggestion;
    return std::nullopt;
  };
  std::vector<std::string> known;
  for (const int k : model.inputs) known.push_back(model[k].name);
  ActuatorInput input;
  const auto at = find_name(known, "of an input of the model", section, "variable", reading);
  if (!at) return std::nullopt;
  input.variable = known[*at];
  const ObservedKindWords* of = nullptr;
  for (const ObservedKind kind : seen_by_models) {
    const ObservedKindWords& words = words_of(kind);
    if (!section.has(words.key)) continue;
    if (of != nullptr)
      return refuse(words.key, "cannot be combined with another part: a quantity belongs to one part");
    of = &words;
  }
  const std::string name = section.text("quantity");
  if (of == nullptr) {
    for (const ObservedKind kind : seen_by_models)
      if (find_observable(kind, name) != nullptr) {
        reading.faults.push_back(missing_key(section, words_of(kind).key));
        return std::nullopt;
      }
    return refuse("quantity", "is not a quantity that can be an input of models");
  }
  input.quantity = find_observable(of->kind, name);
  if (input.quantity == nullptr) {
    std::vector<std::string> quantities;
    for (const Observable& quantity : observables(of->kind)) quantities.emplace_back(quantity.name);
    refuse("quantity", fmt::format("is not a quantity of {}", of->noun).c_str(),
           did_you_mean(name, quantities).c_str());
    reading.faults.back().allowed = fmt::format("{}", fmt::join(quantities, ", "));
    return std::nullopt;
  }
  const auto part = find_name(part_names(of->kind, reading.scene.model),
                              (std::string("of ") + of->noun).c_str(), section, of->key, reading);
  if (!part) return std::nullopt;
  input.part = static_cast<std::int64_t>(*part);
  if (!input.quantity->is_known_of(reading.scene.model, input.part))
    return of->kind == ObservedKind::joint && !reading.scene.model.joints[*part].has_coordinate
               ? refuse("joint", "has no coordinate",
                        "write the name of a revolute, prismatic, cylindrical, screw or cylinder joint")
               : refuse(of->key, of->kind == ObservedKind::joint ? "has no motor" : "has no such quantity");
  if (of->kind == ObservedKind::joint && name == "coordinate") input.kind = ActuatorInput::Kind::coordinate;
  if (of->kind == ObservedKind::joint && name == "rate") input.kind = ActuatorInput::Kind::rate;
  return input;
}

void read_inputs(const Section& section, const FlatModel& model, Actuator& actuator, Reading& reading) {
  std::vector<std::optional<ActuatorInput>> of(model.inputs.size());
  const std::size_t before = reading.faults.size();
  for (const Section& given : elements(section, "inputs")) {
    const std::optional<ActuatorInput> input = read_input(given, model, reading);
    if (!input) continue;
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (model[model.inputs[k]].name != input->variable) continue;
      if (of[k]) reading.faults.push_back(about(given, "variable", "is already in use"));
      of[k] = input;
    }
  }
  if (reading.faults.size() > before) return;
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (of[k]) {
      actuator.inputs.push_back(*of[k]);
      continue;
    }
    reading.faults.push_back(
        fault_at(*section.node(), section.path(),
                 fmt::format("has no value for the input {} of the model", model[model.inputs[k]].name)));
    reading.faults.back().suggestion =
        fmt::format("write inputs = [{{ variable = \"{}\", joint = ..., quantity = \"rate\" }}]",
                    model[model.inputs[k]].name);
  }
}

void read_recorded(const Section& section, const std::vector<std::string>& variables, Actuator& actuator,
                   Reading& reading) {
  if (!section.has("record")) return;
  for (const Node& item : section.given("record").items) {
    if (std::ranges::find(variables, item.text) == variables.end()) {
      reading.faults.push_back(
          fault_at(item, section.path_of("record"), "is not the name of a variable of the model"));
      reading.faults.back().suggestion = did_you_mean(item.text, variables);
    } else if (std::ranges::find(actuator.outputs, item.text) == actuator.outputs.end()) {
      actuator.outputs.push_back(item.text);
    }
  }
}

}  // namespace

void read_models(const Section& top, Reading& reading) {
  reading.declared = std::make_shared<DeclaredModels>();
  std::vector<Actuator>& actuators = reading.scene.model.actuators;
  for (const Section& section : elements(top, "models")) {
    if (section.node()->faulty) continue;
    const std::string name = section.text("name");
    if (std::ranges::find(actuators, name, &Actuator::name) != actuators.end()) {
      reading.faults.push_back(about(section, "name", "is already in use"));
      continue;
    }
    std::optional<FlatModel> model = compile(section, reading);
    actuators.push_back({name, nullptr, {}, {}});  // even without its equations, so that motors find it
    reading.model_variables.push_back(model ? variables_of(*model) : std::vector<std::string>{});
    reading.declared->list.push_back(model ? std::move(*model) : FlatModel{});
  }
}

void finish_models(const Section& top, Reading& reading) {
  for (const Section& section : elements(top, "models")) {
    if (section.node()->faulty) continue;
    std::vector<Actuator>& actuators = reading.scene.model.actuators;
    const auto actuator = std::ranges::find(actuators, section.text("name"), &Actuator::name);
    const auto d = static_cast<std::size_t>(actuator - actuators.begin());
    if (actuator == actuators.end() || actuator->model || reading.model_variables[d].empty()) continue;
    const std::size_t before = reading.faults.size();
    FlatModel& model = reading.declared->list[d];
    read_inputs(section, model, *actuator, reading);
    read_recorded(section, reading.model_variables[d], *actuator, reading);
    if (reading.faults.size() > before) continue;
    actuator->model = equations::make_actuator(std::move(model), actuator->outputs);
    try {
      actuator->model->start(reading.scene.initial.time_s, {});  // with the inputs of the text
    } catch (const ActuatorFailure& failure) {
      reading.faults.push_back(about(section, "file", failure.what()));
    }
  }
}

#else

struct DeclaredModels {};

void read_models(const Section& top, Reading& reading) {
  for (const Section& section : elements(top, "models")) {
    reading.faults.push_back(
        fault_at(*section.node(), section.path(), "cannot be used: this program was built without models"));
    reading.faults.back().suggestion = "build it with -DSCREE_MODELS=ON (Debian: libginac-dev)";
    if (section.node()->faulty) continue;
    reading.scene.model.actuators.push_back({section.text("name"), nullptr, {}, {}});
    reading.model_variables.emplace_back();
  }
}

void finish_models(const Section&, Reading&) {}

#endif

}  // namespace scree::io
