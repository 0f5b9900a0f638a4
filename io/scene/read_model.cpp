// Settings, materials, boundaries.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "io/scene/faults.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

std::vector<std::string> material_names(const Materials& materials) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < materials.size(); ++i)
    names.push_back(materials.name(MaterialIndex(static_cast<int>(i))));
  return names;
}

/// The material of this name, or a fault at `node`.
std::optional<MaterialIndex> named_material(const Node& node, const std::string& path, Reading& reading) {
  const std::vector<std::string> names = material_names(reading.scene.model.materials);
  const auto found = std::find(names.begin(), names.end(), node.text);
  if (found != names.end()) return MaterialIndex(found - names.begin());
  Fault fault = fault_at(node, path, "is not the name of a material");
  fault.suggestion = did_you_mean(node.text, names);
  reading.faults.push_back(std::move(fault));
  return std::nullopt;
}

PairLaw own_law(const Section& material) {
  return {.friction = material.number("friction"),
          .torsional_friction_m = material.number("torsional_friction"),
          .rolling_friction_m = material.number("rolling_friction"),
          .restitution = material.number("restitution")};
}

/// What two materials without a law of their own pair do: see SectionInfo of material_pairs for the reason.
PairLaw mixed_law(const PairLaw& a, const PairLaw& b) {
  const auto mean = [](double x, double y) { return std::sqrt(x * y); };
  return {.friction = mean(a.friction, b.friction),
          .torsional_friction_m = mean(a.torsional_friction_m, b.torsional_friction_m),
          .rolling_friction_m = mean(a.rolling_friction_m, b.rolling_friction_m),
          .restitution = std::min(a.restitution, b.restitution)};
}

void read_pair(const Section& pair, std::set<std::pair<int, int>>& seen, Reading& reading) {
  if (!pair.has("materials")) return;
  const Node& names = pair.given("materials");
  const auto a = named_material(names.items[0], pair.path_of("materials[0]"), reading);
  const auto b = named_material(names.items[1], pair.path_of("materials[1]"), reading);
  if (!a || !b) return;
  if (!seen.insert(std::minmax(a->value, b->value)).second) {
    reading.faults.push_back(fault_at(names, pair.path_of("materials"), "this pair was given before"));
  }
  Materials& materials = reading.scene.model.materials;
  PairLaw law = materials.law(*a, *b);
  if (pair.has("friction")) law.friction = pair.number("friction");
  if (pair.has("torsional_friction")) law.torsional_friction_m = pair.number("torsional_friction");
  if (pair.has("rolling_friction")) law.rolling_friction_m = pair.number("rolling_friction");
  if (pair.has("restitution")) law.restitution = pair.number("restitution");
  materials.set_law(*a, *b, law);
}

void read_patch(const Section& patch, Reading& reading) {
  if (!patch.has("material") || !patch.has("centre") || !patch.has("radius") || !patch.has("factor")) return;
  const auto material = named_material(patch.given("material"), patch.path_of("material"), reading);
  if (!material) return;
  Materials& materials = reading.scene.model.materials;
  Surface surface = materials.surface(*material);
  surface.patches.push_back({.centre = patch.vector("centre"),
                             .radius_m = patch.number("radius"),
                             .edge_m = patch.number("edge"),
                             .factor = patch.number("factor")});
  materials.set_surface(*material, std::move(surface));
}

void read_boundary(const Section& section, const std::string& name, Reading& reading) {
  const std::optional<MaterialIndex> material = find_material(section, reading);
  if (section.node()->faulty || !material) return;
  Boundaries& boundaries = reading.scene.model.boundaries;
  const std::string type = section.text("type");
  if (type == "plane") {
    const Vec3 normal = section.vector("normal");
    if (normal.norm() == 0.0) {
      reading.faults.push_back(
          fault_at(section.given("normal"), section.path_of("normal"), "must not be zero"));
      return;
    }
    boundaries.push_back({name, *material, Plane{section.vector("point"), normal.normalized()}});
  } else if (type == "box") {
    if (!is_box(section, reading)) return;
    const Boundaries walls =
        box_walls(name, *material, section.vector("low"), section.vector("high"), section.texts("open"));
    boundaries.insert(boundaries.end(), walls.begin(), walls.end());
  } else {
    const Tube tube{section.vector("start"), section.vector("end"), section.number("inner_radius"),
                    section.number("thickness")};
    if (tube.start == tube.end) {
      reading.faults.push_back(
          fault_at(section.given("end"), section.path_of("end"), "must differ from start"));
      return;
    }
    boundaries.push_back({name, *material, tube});
  }
}

}  // namespace

bool is_box(const Section& section, Reading& reading) {
  const Vec3 low = section.vector("low"), high = section.vector("high");
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    if (low[i] < high[i]) continue;
    const Node& node = section.given("high").items[static_cast<std::size_t>(i)];
    Fault fault =
        fault_at(node, fmt::format("{}[{}]", section.path_of("high"), i), "must lie above the low corner");
    fault.unit = std::string("m");
    fault.allowed = fmt::format("> {}", low[i]);
    reading.faults.push_back(std::move(fault));
    good = false;
  }
  return good;
}

std::vector<Section> elements(const Section& top, std::string_view key) {
  std::vector<Section> sections;
  const Node* list = top.node()->find(key);
  if (list == nullptr || list->kind != NodeKind::list) return sections;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    if (list->items[i].kind != NodeKind::table) continue;
    sections.emplace_back(&list->items[i], key, fmt::format("{}[{}]", key, i));
  }
  return sections;
}

std::optional<MaterialIndex> find_material(const Section& section, Reading& reading) {
  if (section.has("material")) {
    return named_material(section.given("material"), section.path_of("material"), reading);
  }
  if (section.node()->find("material") != nullptr) return std::nullopt;  // faulty, said already
  const std::vector<std::string> names = material_names(reading.scene.model.materials);
  if (names.size() == 1) return MaterialIndex(0);
  if (names.empty()) return std::nullopt;  // missing materials were reported once
  Fault fault;
  fault.where = section.node()->where;
  fault.key_path = section.path_of("material");
  fault.problem = "is missing, and there is more than one material to choose from";
  for (const std::string& name : names)
    fault.allowed += fmt::format("{}\"{}\"", fault.allowed.empty() ? "" : ", ", name);
  reading.faults.push_back(std::move(fault));
  return std::nullopt;
}

void read_settings(const Section& top, Reading& reading) {
  Scene& scene = reading.scene;
  scene.name = top.has("name") ? top.text("name") : scene.file.stem().string();
  scene.description = top.text("description");
  scene.end_time_s = top.number("end_time");

  Settings& settings = scene.model.settings;
  settings.gravity = top.vector("gravity");
  settings.time_step_s = top.number("time_step");
  settings.substeps = static_cast<int>(top.integer("substeps"));
  settings.sort_interval = static_cast<int>(top.integer("sort_interval"));
  settings.restitution_threshold_m_s = top.number("restitution_threshold");

  settings.restitution_law =
      top.text("restitution_law") == "energetic" ? RestitutionLaw::energetic : RestitutionLaw::newton;

  const Section solver = top.child("solver");
  settings.solver = {.kind = solver_kind(solver.text("kind")),
                     .max_sweeps = static_cast<int>(solver.integer("max_sweeps")),
                     .tolerance = solver.number("tolerance"),
                     .warm_start = solver.boolean("warm_start"),
                     .friction_cone = solver.text("friction_cone") == "sampled" ? FrictionCone::sampled
                                                                                : FrictionCone::exact,
                     .friction_samples = static_cast<int>(solver.integer("friction_samples")),
                     .position_correction = solver.text("position_correction") == "biased"
                                                ? PositionCorrection::biased
                                                : PositionCorrection::split,
                     .biased_sweeps = static_cast<int>(solver.integer("biased_sweeps")),
                     .unbiased_sweeps = static_cast<int>(solver.integer("unbiased_sweeps")),
                     .correction_fraction = solver.number("correction_fraction"),
                     .correction_slop = solver.number("correction_slop"),
                     .correction_speed_m_s = solver.number("correction_speed"),
                     .correction_sweeps = static_cast<int>(solver.integer("correction_sweeps"))};

  if (settings.solver.kind == SolverKind::consensus &&
      settings.solver.friction_cone == FrictionCone::sampled) {
    Fault fault = fault_at(solver.given("friction_cone"), solver.path_of("friction_cone"),
                           "does not go with the solver 'consensus', which knows the exact cone only");
    fault.suggestion = "choose per_body or per_contact";
    reading.faults.push_back(std::move(fault));
  }

  const Section sleep = top.child("sleep");
  settings.sleep = {.speed_m_s = sleep.number("speed"),
                    .duration_s = sleep.number("duration"),
                    .tolerance = sleep.number("tolerance")};
  if (settings.sleep.is_on() && !may_sleep(settings.solver.kind)) {
    Fault fault = fault_at(solver.given("kind"), solver.path_of("kind"), "does not go with sleep.speed > 0");
    fault.suggestion = "choose per_body or per_contact, or leave sleep.speed out";
    reading.faults.push_back(std::move(fault));
  }

  const Section checks = top.child("checks");
  if (checks.has("ledger_tolerance")) scene.ledger_tolerance = checks.number("ledger_tolerance");

  const Section output = top.child("output");
  scene.output = {.interval_s = output.number("interval"),
                  .fields = output.texts("fields"),
                  .hdf5 = output.boolean("hdf5"),
                  .vtk = output.boolean("vtk"),
                  .significant_bits = static_cast<int>(output.integer("significant_bits")),
                  .contacts = output.boolean("contacts"),
                  .contacts_interval_s = output.number("contacts_interval"),
                  .stage_table = output.boolean("stage_table")};
}

void read_materials(const Section& top, Reading& reading) {
  Materials& materials = reading.scene.model.materials;
  std::vector<PairLaw> laws;
  for (const Section& section : elements(top, "materials")) {
    if (!section.has("name")) continue;
    const std::vector<std::string> names = material_names(materials);
    if (std::find(names.begin(), names.end(), section.text("name")) != names.end()) {
      reading.faults.push_back(fault_at(section.given("name"), section.path_of("name"), "was taken before"));
      continue;
    }
    // A faulty density keeps the scene from running; any value serves to find the other faults.
    const double density = section.has("density") ? section.number("density") : 1.0;
    const MaterialIndex added = materials.add(section.text("name"), density);
    materials.set_surface(added, {.direction_factors = section.vector("friction_factors"), .patches = {}});
    laws.push_back(own_law(section));
    for (std::size_t other = 0; other < laws.size(); ++other) {
      const bool same = other + 1 == laws.size();
      materials.set_law(added, MaterialIndex(static_cast<int>(other)),
                        same ? laws.back() : mixed_law(laws.back(), laws[other]));
    }
  }
  for (const Section& patch : elements(top, "friction_patches")) read_patch(patch, reading);
  std::set<std::pair<int, int>> seen;
  for (const Section& pair : elements(top, "material_pairs")) read_pair(pair, seen, reading);
}

void read_boundaries(const Section& top, Reading& reading) {
  std::set<std::string> taken;
  std::size_t number = 0;
  for (const Section& section : elements(top, "boundaries")) {
    const std::string type = section.has("type") ? section.text("type") : "boundary";
    const std::string name = section.has("name") ? section.text("name") : fmt::format("{}{}", type, number);
    if (!taken.insert(name).second && section.has("name")) {
      reading.faults.push_back(fault_at(section.given("name"), section.path_of("name"), "was taken before"));
    }
    read_boundary(section, name, reading);
    ++number;
  }
}

}  // namespace scree::io
