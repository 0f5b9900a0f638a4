#include "io/results/observable_table.h"

#include <fmt/format.h>
#include <iterator>

namespace scree::io {

namespace {

std::string header(ObservedKind kind) {
  std::string text = "step,time_s";
  if (const std::string part = words_of(kind).key; !part.empty()) text += ',' + part;
  for (const Observable& quantity : observables(kind)) text += std::string(",") + quantity.name;
  return text;
}

std::string header(const std::vector<Actuator>& models) {
  std::string text = "step,time_s";
  for (const Actuator& model : models)
    for (const std::string& variable : variables_of(model))
      text += ',' + csv_field(model.name + '.' + variable);
  return text;
}

}  // namespace

ObservableTable::ObservableTable(const std::filesystem::path& path, ObservedKind kind, const Model& model,
                                 std::int64_t at)
    : kind_(kind), names_(part_names(kind, model)), rows_(path, header(kind), at) {
  if (*words_of(kind).key == '\0') return;
  for (std::string& name : names_) name = ',' + csv_field(name);
}

void ObservableTable::append(const Observed& now) {
  const StepReport& report = now.result.report;
  auto out = std::back_inserter(rows_.pending());
  for (std::size_t k = 0; k < names_.size(); ++k) {
    fmt::format_to(out, "{},{}{}", report.step, report.time_s, names_[k]);
    for (const Observable& quantity : observables(kind_))
      fmt::format_to(out, ",{}", value(quantity, now, static_cast<std::int64_t>(k)));
    rows_.pending() += '\n';
  }
  rows_.end_row();
}

ModelTable::ModelTable(const std::filesystem::path& path, const std::vector<Actuator>& models,
                       std::int64_t at)
    : rows_(path, header(models), at) {}

void ModelTable::append(const Observed& now) {
  auto out = std::back_inserter(rows_.pending());
  fmt::format_to(out, "{},{}", now.result.report.step, now.result.report.time_s);
  for (const ActuatorState& model : now.state.actuators)
    for (const auto* list : {&model.inputs, &model.outputs})
      for (const double x : *list) fmt::format_to(out, ",{}", x);
  rows_.pending() += '\n';
  rows_.end_row();
}

}  // namespace scree::io
