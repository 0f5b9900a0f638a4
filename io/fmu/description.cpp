#include "io/fmu/description.h"

#include <cctype>
#include <fmt/format.h>
#include <set>

#include "engine/core/state_hash.h"
#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/results/provenance.h"

namespace scree::io {

namespace {

namespace fs = std::filesystem;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// A unit in FMI's base units (2.0, section 2.2.2).
struct Base {
  const char* symbol;
  int kg, m, s, rad;
};
constexpr Base bases[] = {{"kg", 1, 0, 0, 0}, {"m", 0, 1, 0, 0},  {"s", 0, 0, 1, 0},  {"rad", 0, 0, 0, 1},
                          {"N", 1, 1, -2, 0}, {"J", 1, 2, -2, 0}, {"W", 1, 2, -3, 0}, {"Pa", 1, -1, -2, 0}};

/// For "kg.m2/s": factors with their powers; those after the slash are negative.
std::string base_attributes(const std::string& unit) {
  Base sum{"", 0, 0, 0, 0};
  int sign = 1;
  for (std::size_t at = 0; at < unit.size();) {
    std::size_t end = at;
    while (end < unit.size() && std::isalpha(static_cast<unsigned char>(unit[end])) != 0) ++end;
    const bool has_power = end < unit.size() && std::isdigit(static_cast<unsigned char>(unit[end])) != 0;
    const int power = sign * (has_power ? unit[end] - '0' : 1);
    for (const Base& base : bases) {
      if (unit.compare(at, end - at, base.symbol) != 0) continue;
      sum.kg += power * base.kg;
      sum.m += power * base.m;
      sum.s += power * base.s;
      sum.rad += power * base.rad;
    }
    at = end + (has_power ? 1 : 0);
    if (at < unit.size() && unit[at] == '/') sign = -1;
    ++at;
  }
  std::string text;
  for (const auto& [name, power] : {std::pair("kg", sum.kg), {"m", sum.m}, {"s", sum.s}, {"rad", sum.rad}})
    if (power != 0) text += fmt::format("{}=\"{}\" ", name, power);
  return text;
}

std::string unit_definitions(const std::vector<Variable>& variables) {
  std::set<std::string> used;
  for (const Variable& variable : variables) used.insert(variable.unit);
  used.erase("");
  std::string text = "  <UnitDefinitions>\n";
  for (const std::string& unit : used)
    text += fmt::format("    <Unit name=\"{}\"><BaseUnit {}/></Unit>\n", unit, base_attributes(unit));
  return text + "  </UnitDefinitions>\n";
}

std::string type_element(const Variable& variable) {
  const bool given = variable.causality != Variable::Causality::output;
  const std::string start = given ? fmt::format(" start=\"{}\"", variable.start) : "";
  const std::string unit = variable.unit.empty() ? "" : fmt::format(" unit=\"{}\"", variable.unit);
  switch (variable.type) {
    case Variable::Type::real:
      return fmt::format("<Real{}{}/>", unit, start);
    case Variable::Type::integer:
      return fmt::format("<Integer min=\"0\"{}/>", start);
    case Variable::Type::boolean:
      return "<Boolean/>";
    case Variable::Type::string:
      return "<String/>";
  }
  return "";
}

std::string kind_attributes(const Variable& variable) {
  switch (variable.causality) {
    case Variable::Causality::input:
      return R"(causality="input" variability="continuous")";
    case Variable::Causality::parameter:
      return R"(causality="parameter" variability="fixed")";
    case Variable::Causality::output:
      return variable.type == Variable::Type::real ? R"(causality="output" variability="continuous")"
                                                   : R"(causality="output" variability="discrete")";
  }
  return "";
}

std::string model_variables(const std::vector<Variable>& variables) {
  std::string text = "  <ModelVariables>\n";
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const Variable& v = variables[k];
    text += fmt::format(
        "    <ScalarVariable name=\"{}\" valueReference=\"{}\" {} description=\"{}\">{}</ScalarVariable>\n",
        escaped(v.name), k, kind_attributes(v), escaped(v.description), type_element(v));
  }
  return text + "  </ModelVariables>\n";
}

/// Outputs are those of the last step: inputs affect them only from the next step on.
std::string model_structure(const std::vector<Variable>& variables) {
  std::string unknowns;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (variables[k].causality == Variable::Causality::output)
      unknowns += fmt::format("      <Unknown index=\"{}\" dependencies=\"\"/>\n", k + 1);
  }
  return fmt::format(
      "  <ModelStructure>\n    <Outputs>\n{0}    </Outputs>\n    <InitialUnknowns>\n{0}    "
      "</InitialUnknowns>\n  </ModelStructure>\n",
      unknowns);
}

/// Hashes the text as whole words, including its length.
std::uint64_t hash_of(std::string text, std::uint64_t seed) {
  constexpr std::size_t word = 8;
  const std::uint64_t length = text.size();
  text.resize((text.size() + word - 1) / word * word, '\0');
  return hash_words(text.data(), text.size(), hash_words(&length, sizeof length, seed));
}

}  // namespace

std::string model_identifier(const std::string& name) {
  std::string identifier;
  for (const char c : name)
    identifier +=
        std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80 ? c : '_';
  if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier.front())) != 0)
    identifier.insert(0, "scene_");
  return identifier;
}

std::vector<std::pair<std::string, InputFile>> files_of(const Scene& scene) {
  const fs::path folder = fs::absolute(scene.file).parent_path().lexically_normal();
  std::vector<std::pair<std::string, InputFile>> files;
  for (const InputFile& input : scene.inputs) {
    const fs::path name = input.path.lexically_normal().lexically_relative(folder);
    const auto refuse = [&](const char* problem) {
      throw ReadError(fmt::format("{}: {} {}: copy it into the folder of the scene, and use a relative path",
                                  scene.file.string(), input.path.string(), problem));
    };
    if (name.empty() || *name.begin() == "..") refuse("is outside the folder of the scene");
    if (scene.text.find(input.path.string()) != std::string::npos)
      refuse("has an absolute path in the scene");
    if (name == fmu_scene_name) refuse("has the same name as the scene inside the unit");
    files.emplace_back(name.generic_string(), input);
  }
  return files;
}

std::string guid_of(const Scene& scene, const std::vector<Variable>& variables) {
  std::string all = model_variables(variables) + '\0' + scene.text;
  for (const auto& [name, input] : files_of(scene))
    all += fmt::format("{}{}{}{}", '\0', name, '\0', crc32_text(input.crc32));
  const std::string digits = hash_text(hash_of(all, 0)) + hash_text(hash_of(all, 1));
  return fmt::format("{{{}-{}-{}-{}-{}}}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                     digits.substr(16, 4), digits.substr(20, 12));
}

std::string model_description(const Scene& scene, const std::vector<Variable>& variables) {
  const Settings& settings = scene.model.settings;
  const double step_s = steps_land(settings) ? scene.output.interval_s : settings.time_step_s;
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" "
             "modelName=\"{}\" "
             "guid=\"{}\"\n  description=\"{}\" generationTool=\"Scree {}\" "
             "variableNamingConvention=\"flat\">\n"
             "  <CoSimulation modelIdentifier=\"{}\" canHandleVariableCommunicationStepSize=\"true\" "
             "canGetAndSetFMUstate=\"true\"\n    canNotUseMemoryManagementFunctions=\"true\"/>\n",
             escaped(scene.name), guid_of(scene, variables), escaped(scene.description),
             escaped(scree_version()), model_identifier(scene.name)) +
         unit_definitions(variables) +
         "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category "
         "name=\"logStatusWarning\"/>\n    <Category name=\"logEvents\" description=\"Events of the "
         "scene\"/>\n  </LogCategories>\n" +
         fmt::format("  <DefaultExperiment startTime=\"{}\" stopTime=\"{}\" stepSize=\"{}\"/>\n",
                     scene.initial.time_s, scene.end_time_s, step_s) +
         model_variables(variables) + model_structure(variables) + "</fmiModelDescription>\n";
}

}  // namespace scree::io
