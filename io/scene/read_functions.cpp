// Functions of time and position in scenes: expressions that may use the scene's parameters.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "io/scene/expressions.h"
#include "io/scene/faults.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

// Values of the variables, in SI units, with which functions are tested when they are read.
constexpr std::array<std::array<double, 19>, 3> trials{
    {{},
     {0.1, 0.1, -0.2, 0.3, 0.2, -0.1, 0.4, 0.3, 0.2, 0.1, 0.7, 0.6, 0.5, -0.3, 0.2, 0.5, 0.2, -0.2, 0.8},
     {1.0, -1.0, 2.0, 0.5, 1.5, 0.5, -1.0, 2.0, 1.0, -3.0, 3.0, 1.0, -0.5, 0.4, 1.0, 2.0, 0.3, 0.1, -1.0}}};

struct Variables {
  std::vector<std::string> names;
  const char* meaning;
};
Variables variables_of(FormulaOf what) {
  switch (what) {
    case FormulaOf::time:
      return {{"t"}, "t (the time, s)"};
    case FormulaOf::place:
      return {{"t", "x", "y", "z"}, "t (the time, s) nor x, y, z (the position, m)"};
    case FormulaOf::field:
      return {{"t", "x", "y", "z", "vx", "vy", "vz"},
              "t (the time, s) nor x, y, z (the position, m) nor vx, vy, vz (the body's velocity, m/s)"};
    case FormulaOf::body:
      return {
          {"t", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"},
          "t (the time, s) nor x, y, z (the body's position, m) nor vx, vy, vz (its velocity, m/s) nor wx, "
          "wy, wz "
          "(its angular velocity, rad/s)"};
    case FormulaOf::two_bodies:
      return {
          {"t", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "ox", "oy", "oz", "ovx", "ovy", "ovz",
           "owx", "owy", "owz"},
          "t (the time, s) nor x, y, z (the body's position, m) nor vx, vy, vz (its velocity, m/s) nor wx, "
          "wy, wz (its angular velocity, rad/s) nor one of these with an o before it (for the other body)"};
  }
  return {};
}

std::map<std::string, double> number_parameters(const Reading& reading) {
  std::map<std::string, double> parameters;
  if (const Node* given = reading.top->find("parameters")) {
    for (const Node& p : given->items)
      if (p.is_number()) parameters[p.key] = p.number;
  }
  return parameters;
}

}  // namespace

std::optional<Formula> read_formula(const Node& node, const std::string& path, FormulaOf what,
                                    Reading& reading) {
  const auto refuse = [&](const std::string& problem, const std::string& suggestion) {
    reading.faults.push_back(fault_at(node, path, problem));
    reading.faults.back().suggestion = suggestion;
    return std::nullopt;
  };
  const std::map<std::string, double> parameters = number_parameters(reading);
  const auto [variables, meaning] = variables_of(what);
  const auto lookup = [&, says = meaning](const std::string& name) {
    const auto found = parameters.find(name);
    if (found == parameters.end())
      throw ExpressionError{fmt::format("uses '{}', which is neither {} nor a parameter", name, says), ""};
    reading.used_parameters.insert(name);
    return found->second;
  };
  try {
    Formula formula(node.is_number() ? fmt::format("{}", node.number) : node.text, variables, lookup);
    for (const auto& at : trials) {
      // A field may be infinite at the origin.
      if (std::isfinite(formula(at)) || (what != FormulaOf::time && at == trials[0])) continue;
      return refuse(fmt::format("is not finite at t = {} s", at[0]), "");
    }
    return formula;
  } catch (const ExpressionError& e) {
    return refuse(e.problem, e.suggestion);
  }
}

std::optional<std::array<Formula, 3>> read_formulas(const Section& section, std::string_view key,
                                                    FormulaOf what, Reading& reading) {
  const std::vector<Node>& items = section.given(key).items;
  std::vector<Formula> read;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string path = fmt::format("{}[{}]", section.path_of(key), k);
    if (std::optional<Formula> formula = read_formula(items[k], path, what, reading))
      read.push_back(std::move(*formula));
  }
  if (read.size() < 3) return std::nullopt;
  return std::array{read[0], read[1], read[2]};
}

}  // namespace scree::io
