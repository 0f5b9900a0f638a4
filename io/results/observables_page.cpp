#include "io/results/observables_page.h"

#include <fmt/format.h>

#include "engine/simulation/observables.h"

namespace scree::io {

namespace {

constexpr const char* introduction = R"(# What can be observed

This page lists all quantities that a step has, of the run and of its parts. Each is declared once, in
`engine/simulation/observables.cpp`. This page is generated from that list (`scree observables`), and a test keeps the two
the same. The same names are used for

- columns of the run's tables: `steps.csv` has a row for each step, the other tables a row for each step and part;
- conditions of [events](scene_reference.md) (`quantity`), together with the key of the part: `boundary = "lid"`;
- `inputs` of declarative [models](models.md): quantities of joints, boundaries and parts;
- outputs of a [unit](cosimulation.md), except those of single bodies and regions: `lid.force_z_N`.

*Over steps* is the way in which the values of several steps are combined, for example between two communication points of
a unit. `last` is the value after the last step; `sum` and `largest` are over all steps; `mean` is the mean over time. A table
has the value of each step. In a unit `m|rad` the first applies to motion along an axis, and the second to rotation about an
axis. Forces and torques are means over the step. Totals of energy and momentum are those of the bodies.
)";

std::string unit_text(std::string unit) {
  if (unit == "1") return "";
  if (const std::size_t bar = unit.find('|'); bar != std::string::npos) unit.replace(bar, 1, " or ");
  return unit;
}

/// For a cell of a table.
std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string heading(const ObservedKindWords& of) {
  std::string text =
      fmt::format("\n## {}{}\n\n", std::string(1, static_cast<char>(std::toupper(of.noun[0]))), of.noun + 1);
  if (*of.table != '\0') text += fmt::format("Table `{}.csv`. ", of.table);
  if (*of.key != '\0') text += fmt::format("In events: `{}`. ", of.key);
  if (of.kind == ObservedKind::machine) text += "In events: `machine.` before the name. ";
  if (text.ends_with(' ')) text.back() = '\n';
  return text + "\n| Quantity | Unit | Over steps | |\n|---|---|---|---|\n";
}

}  // namespace

std::string observables_page() {
  std::string text = introduction;
  for (const ObservedKindWords& of : observed_kinds()) {
    text += heading(of);
    for (const Observable& quantity : observables(of.kind))
      text += fmt::format(
          "| `{}` | {} | {} | {}{} |\n", quantity.name, unit_text(quantity.unit), to_string(quantity.over),
          escaped(quantity.description),
          quantity.is_reproducible() ? "" : " Wall-clock time: not available in events and units.");
  }
  return text +
         "\nIn addition, `steps.csv` has `solver_status` (`converged`, `iteration_limit` or `diverged`; the "
         "worst of\n"
         "the substeps) and `state_hash`. All inputs, outputs and recorded variables of a declarative model "
         "can be\n"
         "observed: in the table `models.csv`, and in events by `model`.\n";
}

}  // namespace scree::io
