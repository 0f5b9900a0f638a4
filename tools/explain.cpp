#include "tools/explain.h"

#include <fmt/format.h>
#include <memory>

#include "engine/simulation/observables.h"
#include "io/scene/faults.h"
#include "io/scene/keys.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"

namespace scree {

namespace {

/// Quantities of this name, one for each kind of object that has it.
std::string quantities_called(const std::string& name) {
  std::string text;
  for (const ObservedKindWords& of : observed_kinds())
    if (const Observable* const found = find_observable(of.kind, name); found != nullptr)
      text += fmt::format("{} is a quantity of {}, over steps: {}\n  {}\n\n", name, of.noun,
                          to_string(found->over), found->description);
  return text;
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (const io::SectionInfo& section : io::sections()) words.emplace_back(section.name);
  for (const io::Key& key : io::keys()) words.emplace_back(key.name);
  for (const ObservedKindWords& of : observed_kinds())
    for (const Observable& quantity : observables(of.kind)) words.emplace_back(quantity.name);
  return words;
}

int explain(const std::string& name) {
  const std::string text = io::explanation(name) + quantities_called(name);
  if (text.empty()) {
    const std::string nearest = io::did_you_mean(name, all_words());
    throw CLI::ValidationError(
        "NAME", fmt::format("'{}' is neither a key or section of scene files nor a quantity{}{}", name,
                            nearest.empty() ? "" : "; ", nearest));
  }
  show(text.substr(0, text.size() - 1));
  return exit_ok;
}

}  // namespace

void add_explain(CLI::App& app, std::function<int()>& action) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "explain",
      "Explain a key or section of scene files, or a quantity: meaning, unit, allowed values, default");
  command
      ->add_option("name", *name,
                   "Name, as in `friction`, `materials.friction`, `solver` or `kinetic_energy_J`")
      ->type_name("NAME")
      ->required();
  command->callback([name, &action] { action = [name] { return explain(*name); }; });
}

}  // namespace scree
