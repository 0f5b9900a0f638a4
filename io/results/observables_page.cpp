#include "io/results/observables_page.h"

#include <fmt/format.h>

#include "engine/simulation/observables.h"

namespace scree::io {

namespace {

constexpr const char* introduction = R"(# What can be observed

Every quantity that a step has, of the run and of its parts. Each is declared once, in `engine/simulation/observables.cpp`;
this page is made of that list (`scree observables`), and a test keeps the two the same. The same names are

- columns of the run's tables: a row a step in `steps.csv`, a row a step and part in the others;
- what [events](scene_reference.md) look at (`quantity`), with the key of the part: `boundary = "lid"`;
- what declarative [models](models.md) take in (`inputs`): of joints, boundaries and parts;
- outputs of a [unit](cosimulation.md), but for those of single bodies and regions: `lid.force_z_N`.

*Over steps* says how the values of several steps make one, as between two communication points of a unit: `last` is the
value after the last of them, `sum` and `largest` are of all, `mean` is by time. A table has the value of each step. A unit
`m|rad` is the first of what goes along an axis, and the second of what turns about it. Forces and torques are means over
the step. Totals of energy and momentum are of the bodies.
)";

std::string unit_text(std::string unit) {
  if (unit == "1") return "";
  if (const std::size_t bar = unit.find('|'); bar != std::string::npos) unit.replace(bar, 1, " or ");
  return unit;
}

std::string heading(const ObservedKindWords& of) {
  std::string text =
      fmt::format("\n## {}{}\n\n", std::string(1, static_cast<char>(std::toupper(of.noun[0]))), of.noun + 1);
  if (*of.table != '\0') text += fmt::format("Table `{}.csv`. ", of.table);
  if (*of.key != '\0') text += fmt::format("In events: `{}`. ", of.key);
  if (of.kind == ObservedKind::machine) text += "In events with `machine.` before the name. ";
  if (text.ends_with(' ')) text.back() = '\n';
  return text + "\n| Quantity | Unit | Over steps | |\n|---|---|---|---|\n";
}

}  // namespace

std::string observables_page() {
  std::string text = introduction;
  for (const ObservedKindWords& of : observed_kinds()) {
    text += heading(of);
    for (const Observable& quantity : observables(of.kind))
      text += fmt::format("| `{}` | {} | {} | {}{} |\n", quantity.name, unit_text(quantity.unit),
                          to_string(quantity.over), quantity.description,
                          quantity.is_reproducible() ? "" : " Wall time: not for events and units.");
  }
  return text +
         "\nBeside these `steps.csv` has `solver_status` (`converged`, `iteration_limit` or `diverged`, the "
         "worst of the substeps) "
         "and `state_hash`. Of a declarative model all inputs, outputs and recorded variables can be "
         "observed: table `models.csv`, in "
         "events `model`.\n";
}

}  // namespace scree::io
