// Bonds: which bodies they join, when they form, and when they break.
#include <algorithm>
#include <fmt/format.h>

#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

void read_kind(const Section& section, std::size_t number, Reading& reading) {
  Model& model = reading.scene.model;
  BondLaw law = settings_of<BondLaw>(section);
  law.name = section.has("name") ? section.text("name") : fmt::format("bonds{}", number);
  if (std::ranges::find(model.bonds, law.name, &BondLaw::name) != model.bonds.end())
    reading.faults.push_back(about(section, "name", "is already in use"));
  const auto limit = [&](const char* key, double& value) {
    if (section.has(key)) value = section.number(key);
  };
  limit("youngs_modulus", law.youngs_modulus);
  limit("tensile_strength", law.tensile_strength);
  limit("shear_strength", law.shear_strength);
  limit("breaking_force", law.breaking_force);
  limit("breaking_moment", law.breaking_moment);
  if (law.is_rigid()) {
    for (const char* key : {"stiffness_ratio", "damping"})
      if (section.has(key))
        reading.faults.push_back(
            about(section, key, "has no effect on rigid bonds; write youngs_modulus too, or remove it"));
  }
  if (section.has("waits") && section.boolean("waits")) {
    if (section.has("time"))
      reading.faults.push_back(about(section, "time", "cannot be combined with waits"));
    law.time_s = infinity;
    reading.waiting_bonds.push_back({section, model.bonds.size()});
  }
  if (section.has("materials")) {
    law.glues.assign(model.materials.size(), 0);
    for (const Node& given : section.given("materials").items)
      if (const auto material = named_material(given, section.path_of("materials"), reading))
        law.glues[material->value] = 1;
  }
  const Settings& settings = model.settings;
  const auto refuse = [&](const char* problem, const char* suggestion) {
    reading.faults.push_back(fault_at(*section.node(), section.path(), problem));
    reading.faults.back().suggestion = suggestion;
  };
  if (settings.sleep.is_on()) refuse("cannot be combined with sleep", "remove [sleep]");
  if (settings.solver.kind == SolverKind::one_pass)
    refuse("cannot be combined with the solver 'one_pass', which supports only contacts",
           "choose gauss_seidel");
  model.bonds.push_back(std::move(law));
}

}  // namespace

void read_bonds(const Section& top, Reading& reading) {
  std::size_t number = 0;
  for (const Section& section : elements(top, "bonds")) {
    if (!section.node()->faulty) read_kind(section, number, reading);
    ++number;
  }
}

}  // namespace scree::io
