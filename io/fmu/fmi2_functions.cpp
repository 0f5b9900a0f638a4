// The functions of C that a Functional Mock-up Unit exports (FMI 2.0, co-simulation). Nothing is thrown
// across them: errors are reported to the logger.
#include <cctype>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "engine/core/errors.h"
#include "io/fmu/fmi2.h"
#include "io/fmu/instance.h"

#define SCREE_EXPORT __attribute__((visibility("default")))

extern "C" {
SCREE_EXPORT fmi2GetTypesPlatformTYPE fmi2GetTypesPlatform;
SCREE_EXPORT fmi2GetVersionTYPE fmi2GetVersion;
SCREE_EXPORT fmi2SetDebugLoggingTYPE fmi2SetDebugLogging;
SCREE_EXPORT fmi2InstantiateTYPE fmi2Instantiate;
SCREE_EXPORT fmi2FreeInstanceTYPE fmi2FreeInstance;
SCREE_EXPORT fmi2SetupExperimentTYPE fmi2SetupExperiment;
SCREE_EXPORT fmi2EnterInitializationModeTYPE fmi2EnterInitializationMode;
SCREE_EXPORT fmi2ExitInitializationModeTYPE fmi2ExitInitializationMode;
SCREE_EXPORT fmi2TerminateTYPE fmi2Terminate;
SCREE_EXPORT fmi2ResetTYPE fmi2Reset;
SCREE_EXPORT fmi2GetRealTYPE fmi2GetReal;
SCREE_EXPORT fmi2GetIntegerTYPE fmi2GetInteger;
SCREE_EXPORT fmi2GetBooleanTYPE fmi2GetBoolean;
SCREE_EXPORT fmi2GetStringTYPE fmi2GetString;
SCREE_EXPORT fmi2SetRealTYPE fmi2SetReal;
SCREE_EXPORT fmi2SetIntegerTYPE fmi2SetInteger;
SCREE_EXPORT fmi2SetBooleanTYPE fmi2SetBoolean;
SCREE_EXPORT fmi2SetStringTYPE fmi2SetString;
SCREE_EXPORT fmi2GetFMUstateTYPE fmi2GetFMUstate;
SCREE_EXPORT fmi2SetFMUstateTYPE fmi2SetFMUstate;
SCREE_EXPORT fmi2FreeFMUstateTYPE fmi2FreeFMUstate;
SCREE_EXPORT fmi2SerializedFMUstateSizeTYPE fmi2SerializedFMUstateSize;
SCREE_EXPORT fmi2SerializeFMUstateTYPE fmi2SerializeFMUstate;
SCREE_EXPORT fmi2DeSerializeFMUstateTYPE fmi2DeSerializeFMUstate;
SCREE_EXPORT fmi2GetDirectionalDerivativeTYPE fmi2GetDirectionalDerivative;
SCREE_EXPORT fmi2SetRealInputDerivativesTYPE fmi2SetRealInputDerivatives;
SCREE_EXPORT fmi2GetRealOutputDerivativesTYPE fmi2GetRealOutputDerivatives;
SCREE_EXPORT fmi2DoStepTYPE fmi2DoStep;
SCREE_EXPORT fmi2CancelStepTYPE fmi2CancelStep;
SCREE_EXPORT fmi2GetStatusTYPE fmi2GetStatus;
SCREE_EXPORT fmi2GetRealStatusTYPE fmi2GetRealStatus;
SCREE_EXPORT fmi2GetIntegerStatusTYPE fmi2GetIntegerStatus;
SCREE_EXPORT fmi2GetBooleanStatusTYPE fmi2GetBooleanStatus;
SCREE_EXPORT fmi2GetStringStatusTYPE fmi2GetStringStatus;
}

namespace {

using scree::io::Instance;
using scree::io::Outcome;
using scree::io::Snapshot;
using scree::io::Variable;

enum class Mode { instantiated, initialization, stepping, terminated };

/// State of a unit, including the state of its calls.
struct SavedState {
  Snapshot snapshot;
  Mode mode;
  bool ended;
};

struct Unit {
  std::unique_ptr<Instance> instance;
  std::string name;
  fmi2CallbackFunctions callbacks;
  bool logs_all = false;
  Mode mode = Mode::instantiated;
  bool ended = false;              // an event of the scene ended the run
  std::vector<std::string> texts;  // returned by fmi2GetString
};

/// Escapes characters with a meaning in texts of loggers: of printf and of FMI (#r12#).
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '%' || c == '#' ? std::string(2, c) : std::string(1, c);
  return result;
}

void tell(const fmi2CallbackFunctions& callbacks, const std::string& name, fmi2Status status,
          const char* category, const std::string& text) {
  if (callbacks.logger != nullptr)
    callbacks.logger(callbacks.componentEnvironment, name.c_str(), status, category, plain(text).c_str());
}

fmi2Status fail(const Unit& unit, const std::string& text, fmi2Status status = fmi2Error) {
  tell(unit.callbacks, unit.name, status, status == fmi2Discard ? "logStatusWarning" : "logStatusError",
       text);
  return status;
}

std::string text_of(const std::exception& error) {
  const auto* input = dynamic_cast<const scree::InputError*>(&error);
  if (input == nullptr) return error.what();
  std::string text;
  for (const scree::Fault& fault : input->faults()) text += (text.empty() ? "" : "\n") + to_string(fault);
  return text;
}

/// Calls f(unit) -> fmi2Status.
template <class F>
fmi2Status guarded(fmi2Component component, F&& f) {
  if (component == nullptr) return fmi2Error;
  Unit& unit = *static_cast<Unit*>(component);
  try {
    try {
      return f(unit);
    } catch (const std::exception& error) {
      return fail(unit, text_of(error), dynamic_cast<const std::bad_alloc*>(&error) ? fmi2Fatal : fmi2Error);
    }
  } catch (...) {  // reporting failed too
    return fmi2Fatal;
  }
}

/// Functions that this unit does not support, as stated in its description.
fmi2Status left_out(fmi2Component component, const char* function) {
  return guarded(component, [&](const Unit& unit) {
    return fail(unit, fmt::format("{}: not supported by this unit, see modelDescription.xml", function));
  });
}

const char* name_of(Variable::Type type) {
  switch (type) {
    case Variable::Type::real:
      return "Real";
    case Variable::Type::integer:
      return "Integer";
    case Variable::Type::boolean:
      return "Boolean";
    case Variable::Type::string:
      return "String";
  }
  return "";
}

/// The reason why there is no such variable, or empty.
std::string reference_problem(const Unit& unit, fmi2ValueReference reference, Variable::Type type) {
  const std::vector<Variable>& variables = unit.instance->variables();
  if (reference >= variables.size())
    return fmt::format("there is no value reference {} (allowed 0 to {})", reference, variables.size() - 1);
  const Variable& variable = variables[reference];
  if (variable.type != type)
    return fmt::format("'{}' (value reference {}) is a {}, not a {}", variable.name, reference,
                       name_of(variable.type), name_of(type));
  return "";
}

template <class T>
fmi2Status get_numbers(fmi2Component component, const fmi2ValueReference references[], std::size_t count,
                       T values[], Variable::Type type) {
  return guarded(component, [&](const Unit& unit) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::string problem = reference_problem(unit, references[k], type);
      if (!problem.empty()) return fail(unit, problem);
      values[k] = static_cast<T>(unit.instance->value(references[k]));
    }
    return fmi2OK;
  });
}

/// The reason why it may not be set to this value now, or empty.
std::string setting_problem(const Unit& unit, fmi2ValueReference reference, double value,
                            Variable::Type type) {
  std::string problem = reference_problem(unit, reference, type);
  if (!problem.empty()) return problem;
  const Variable& variable = unit.instance->variables()[reference];
  if (variable.causality == Variable::Causality::output)
    return fmt::format("'{}' is an output", variable.name);
  if (!std::isfinite(value)) return fmt::format("'{}' must be finite (value {})", variable.name, value);
  if (variable.causality != Variable::Causality::parameter) return "";
  if (unit.mode != Mode::instantiated && unit.mode != Mode::initialization)
    return fmt::format("'{}' can be set only before fmi2ExitInitializationMode", variable.name);
  constexpr double most_threads = 4096.0;
  if (value < 0.0 || value > most_threads)
    return fmt::format("'{}' is out of range (value {}, allowed 0 to {})", variable.name, value,
                       most_threads);
  return "";
}

/// Sets all values or none.
template <class T>
fmi2Status set_numbers(fmi2Component component, const fmi2ValueReference references[], std::size_t count,
                       const T values[], Variable::Type type) {
  return guarded(component, [&](Unit& unit) {
    if (unit.mode == Mode::terminated) return fail(unit, "the unit is terminated");
    for (std::size_t k = 0; k < count; ++k) {
      const std::string problem = setting_problem(unit, references[k], static_cast<double>(values[k]), type);
      if (!problem.empty()) return fail(unit, problem);
    }
    for (std::size_t k = 0; k < count; ++k) unit.instance->set(references[k], static_cast<double>(values[k]));
    return fmi2OK;
  });
}

/// "file:///a%20b" -> "/a b"; a text that is no URI is used without change.
std::filesystem::path path_of(std::string uri) {
  for (const char* scheme : {"file://localhost", "file://", "file:"}) {
    if (!uri.starts_with(scheme)) continue;
    uri.erase(0, std::string_view(scheme).size());
    break;
  }
  std::string path;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    const auto is_digit = [&](std::size_t at) {
      return at < uri.size() && std::isxdigit(static_cast<unsigned char>(uri[at])) != 0;
    };
    if (uri[k] == '%' && is_digit(k + 1) && is_digit(k + 2)) {
      path += static_cast<char>(std::stoi(uri.substr(k + 1, 2), nullptr, 16));
      k += 2;
    } else {
      path += uri[k];
    }
  }
  return path;
}

/// Changes the mode if the call is allowed in the present one.
fmi2Status change(fmi2Component component, const char* function, Mode from, Mode to) {
  return guarded(component, [&](Unit& unit) {
    if (unit.mode != from)
      return fail(unit, fmt::format("{}: this call is not allowed in the current state", function));
    unit.mode = to;
    return fmi2OK;
  });
}

}  // namespace

const char* fmi2GetTypesPlatform() { return fmi2TypesPlatform; }
const char* fmi2GetVersion() { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean logging_on, size_t count,
                               const fmi2String categories[]) {
  return guarded(component, [&](Unit& unit) {
    unit.logs_all = logging_on != 0 && count == 0;
    for (std::size_t k = 0; k < count; ++k)
      unit.logs_all = unit.logs_all || (logging_on != 0 && std::string(categories[k]) == "logEvents");
    return fmi2OK;
  });
}

// NOLINTNEXTLINE(readability-function-size): the standard has seven parameters
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean, fmi2Boolean logging_on) {
  if (callbacks == nullptr) return nullptr;
  try {
    auto unit = std::make_unique<Unit>();
    unit->name = name != nullptr ? name : "";
    unit->callbacks = *callbacks;
    unit->logs_all = logging_on != 0;
    const auto refuse = [&](const std::string& text) {
      fail(*unit, text);
      return nullptr;
    };
    if (type != fmi2CoSimulation) return refuse("this unit supports only co-simulation");
    if (guid == nullptr || resources == nullptr) return refuse("guid and resourceLocation are needed");
    try {
      unit->instance = std::make_unique<Instance>(path_of(resources), guid);
    } catch (const std::exception& error) {
      return refuse(text_of(error));
    }
    return unit.release();
  } catch (...) {  // out of memory, or reporting failed
    return nullptr;
  }
}

void fmi2FreeInstance(fmi2Component component) { delete static_cast<Unit*>(component); }

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean,
                               fmi2Real) {
  return guarded(component, [&](const Unit& unit) {
    if (unit.mode != Mode::instantiated)
      return fail(unit, "fmi2SetupExperiment: this call is not allowed in the current state");
    if (!std::isfinite(start)) return fail(unit, fmt::format("startTime must be finite (value {})", start));
    unit.instance->set_start(start);
    return fmi2OK;
  });
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return change(component, "fmi2EnterInitializationMode", Mode::instantiated, Mode::initialization);
}
fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return change(component, "fmi2ExitInitializationMode", Mode::initialization, Mode::stepping);
}
fmi2Status fmi2Terminate(fmi2Component component) {
  return change(component, "fmi2Terminate", Mode::stepping, Mode::terminated);
}

fmi2Status fmi2Reset(fmi2Component component) {
  return guarded(component, [](Unit& unit) {
    unit.instance->reset();
    unit.mode = Mode::instantiated;
    unit.ended = false;
    return fmi2OK;
  });
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[]) {
  return get_numbers(component, references, count, values, Variable::Type::real);
}
fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          fmi2Integer values[]) {
  return get_numbers(component, references, count, values, Variable::Type::integer);
}
fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          fmi2Boolean values[]) {
  return get_numbers(component, references, count, values, Variable::Type::boolean);
}
fmi2Status fmi2GetString(fmi2Component component, const fmi2ValueReference references[], size_t count,
                         fmi2String values[]) {
  return guarded(component, [&](Unit& unit) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::string problem = reference_problem(unit, references[k], Variable::Type::string);
      if (!problem.empty()) return fail(unit, problem);
    }
    unit.texts.assign(count, unit.instance->state_hash());
    for (std::size_t k = 0; k < count; ++k) values[k] = unit.texts[k].c_str();
    return fmi2OK;
  });
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[]) {
  return set_numbers(component, references, count, values, Variable::Type::real);
}
fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          const fmi2Integer values[]) {
  return set_numbers(component, references, count, values, Variable::Type::integer);
}
fmi2Status fmi2SetBoolean(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          const fmi2Boolean values[]) {
  return set_numbers(component, references, count, values, Variable::Type::boolean);
}
fmi2Status fmi2SetString(fmi2Component component, const fmi2ValueReference[], size_t count,
                         const fmi2String[]) {
  return guarded(component, [&](const Unit& unit) {
    return count == 0 ? fmi2OK : fail(unit, "this unit has no text that can be set");
  });
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return guarded(component, [&](const Unit& unit) {
    SavedState saved{unit.instance->snapshot(), unit.mode, unit.ended};
    if (*state != nullptr)
      *static_cast<SavedState*>(*state) = std::move(saved);
    else
      *state = new SavedState(std::move(saved));
    return fmi2OK;
  });
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return guarded(component, [&](Unit& unit) {
    if (state == nullptr) return fail(unit, "fmi2SetFMUstate: there is no state");
    const auto& saved = *static_cast<const SavedState*>(state);
    unit.instance->restore(saved.snapshot);
    unit.mode = saved.mode;
    unit.ended = saved.ended;
    return fmi2OK;
  });
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return guarded(component, [&](const Unit&) {
    if (state == nullptr) return fmi2OK;
    delete static_cast<SavedState*>(*state);
    *state = nullptr;
    return fmi2OK;
  });
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate, size_t*) {
  return left_out(component, "fmi2SerializedFMUstateSize");
}
fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate, fmi2Byte[], size_t) {
  return left_out(component, "fmi2SerializeFMUstate");
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte[], size_t, fmi2FMUstate*) {
  return left_out(component, "fmi2DeSerializeFMUstate");
}
// NOLINTNEXTLINE(readability-function-size): here too
fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference[], size_t,
                                        const fmi2ValueReference[], size_t, const fmi2Real[], fmi2Real[]) {
  return left_out(component, "fmi2GetDirectionalDerivative");
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference[], size_t,
                                       const fmi2Integer[], const fmi2Real[]) {
  return left_out(component, "fmi2SetRealInputDerivatives");
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference[], size_t,
                                        const fmi2Integer[], fmi2Real[]) {
  return left_out(component, "fmi2GetRealOutputDerivatives");
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real current, fmi2Real step, fmi2Boolean) {
  return guarded(component, [&](Unit& unit) {
    if (unit.mode != Mode::stepping)
      return fail(unit, "fmi2DoStep: this call is not allowed in the current state");
    const Outcome outcome = unit.instance->advance(current, step);
    if (unit.logs_all) {
      for (const std::string& event : unit.instance->happened())
        tell(unit.callbacks, unit.name, fmi2OK, "logEvents", event);
    }
    switch (outcome) {
      case Outcome::done:
        return fmi2OK;
      case Outcome::ended:
        unit.ended = true;
        return fail(unit, unit.instance->message(), fmi2Discard);
      case Outcome::refused:
      case Outcome::failed:
        break;
    }
    return fail(unit, unit.instance->message());
  });
}

fmi2Status fmi2CancelStep(fmi2Component component) { return left_out(component, "fmi2CancelStep"); }

fmi2Status fmi2GetStatus(fmi2Component component, fmi2StatusKind, fmi2Status*) {
  return guarded(component, [](const Unit& unit) {
    return fail(unit, "fmi2GetStatus: no step of this unit is pending", fmi2Discard);
  });
}
fmi2Status fmi2GetRealStatus(fmi2Component component, fmi2StatusKind kind, fmi2Real* value) {
  return guarded(component, [&](const Unit& unit) {
    if (kind != fmi2LastSuccessfulTime)
      return fail(unit, "fmi2GetRealStatus: only fmi2LastSuccessfulTime is supported", fmi2Discard);
    *value = unit.instance->time_s();
    return fmi2OK;
  });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component component, fmi2StatusKind, fmi2Integer*) {
  return guarded(component, [](const Unit& unit) {
    return fail(unit, "fmi2GetIntegerStatus: there is no such status", fmi2Discard);
  });
}
fmi2Status fmi2GetBooleanStatus(fmi2Component component, fmi2StatusKind kind, fmi2Boolean* value) {
  return guarded(component, [&](const Unit& unit) {
    if (kind != fmi2Terminated)
      return fail(unit, "fmi2GetBooleanStatus: only fmi2Terminated is supported", fmi2Discard);
    *value = unit.ended ? fmi2True : fmi2False;
    return fmi2OK;
  });
}
fmi2Status fmi2GetStringStatus(fmi2Component component, fmi2StatusKind, fmi2String*) {
  return guarded(component, [](const Unit& unit) {
    return fail(unit, "fmi2GetStringStatus: no step of this unit is pending", fmi2Discard);
  });
}
