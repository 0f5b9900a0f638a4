#include "io/results/actuator_table.h"

#include <fmt/format.h>
#include <iterator>

namespace scree::io {

namespace {

std::string header(const std::vector<Actuator>& actuators) {
  std::string text = "step,time_s";
  for (const Actuator& actuator : actuators) {
    for (const ActuatorInput& input : actuator.inputs)
      text += ',' + csv_field(actuator.name + '.' + input.variable);
    for (const std::string& output : actuator.outputs) text += ',' + csv_field(actuator.name + '.' + output);
  }
  return text;
}

}  // namespace

ActuatorTable::ActuatorTable(const std::filesystem::path& path, const std::vector<Actuator>& actuators,
                             std::int64_t at)
    : rows_(path, header(actuators), at) {}

void ActuatorTable::append(const StepReport& report, const std::vector<ActuatorState>& actuators) {
  auto out = std::back_inserter(rows_.pending());
  fmt::format_to(out, "{},{}", report.step, report.time_s);
  for (const ActuatorState& actuator : actuators)
    for (const auto* list : {&actuator.inputs, &actuator.outputs})
      for (const double x : *list) fmt::format_to(out, ",{}", x);
  rows_.pending() += '\n';
  rows_.end_row();
}

}  // namespace scree::io
