// Functions of time and place in scenes: expressions that may use the scene's parameters.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "io/scene/expressions.h"
#include "io/scene/faults.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

// Where functions are tried when they are read: a time, s, and a place, m.
constexpr std::array<std::array<double, 4>, 3> trials{
    {{0.0, 0.0, 0.0, 0.0}, {0.1, 0.1, -0.2, 0.3}, {1.0, -1.0, 2.0, 0.5}}};  // t, x, y, z

std::map<std::string, double> number_parameters(const Reading& reading) {
  std::map<std::string, double> parameters;
  if (const Node* given = reading.top->find("parameters")) {
    for (const Node& p : given->items)
      if (p.is_number()) parameters[p.key] = p.number;
  }
  return parameters;
}

}  // namespace

std::optional<Formula> read_formula(const Node& node, const std::string& path, bool of_place,
                                    Reading& reading) {
  const auto refuse = [&](const std::string& problem, const std::string& suggestion) {
    reading.faults.push_back(fault_at(node, path, problem));
    reading.faults.back().suggestion = suggestion;
    return std::nullopt;
  };
  const std::map<std::string, double> parameters = number_parameters(reading);
  const std::vector<std::string> variables =
      of_place ? std::vector<std::string>{"t", "x", "y", "z"} : std::vector<std::string>{"t"};
  const auto lookup = [&](const std::string& name) {
    const auto found = parameters.find(name);
    if (found == parameters.end())
      throw ExpressionError{
          fmt::format("uses '{}', which is neither {} nor a parameter", name,
                      of_place ? "t (the time, s) nor x, y, z (the place, m)" : "t (the time, s)"),
          ""};
    reading.used_parameters.insert(name);
    return found->second;
  };
  try {
    Formula formula(node.is_number() ? fmt::format("{}", node.number) : node.text, variables, lookup);
    for (const auto& at : trials) {
      // A field may have its pole in the origin.
      if (std::isfinite(formula(at)) || (of_place && at == trials[0])) continue;
      return refuse(fmt::format("is not finite at t = {} s", at[0]), "");
    }
    return formula;
  } catch (const ExpressionError& e) {
    return refuse(e.problem, e.suggestion);
  }
}

std::optional<std::array<Formula, 3>> read_formulas(const Section& section, std::string_view key,
                                                    bool of_place, Reading& reading) {
  const std::vector<Node>& items = section.given(key).items;
  std::vector<Formula> read;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string path =
        fmt::format("{}{}{}[{}]", section.path(), section.path().empty() ? "" : ".", key, k);
    if (std::optional<Formula> formula = read_formula(items[k], path, of_place, reading))
      read.push_back(std::move(*formula));
  }
  if (read.size() < 3) return std::nullopt;
  return std::array{read[0], read[1], read[2]};
}

}  // namespace scree::io
