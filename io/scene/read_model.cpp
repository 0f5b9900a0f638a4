// Settings and materials.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

#include "io/scene/faults.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

/// The scene's name becomes the name of the results folder, so it must not be a path.
bool is_file_name(const std::string& name) {
  constexpr std::size_t longest = 200;  // file systems allow 255
  const bool plain = std::none_of(name.begin(), name.end(),
                                  [](unsigned char c) { return c == '/' || c == '\\' || std::iscntrl(c); });
  return plain && !name.empty() && name.size() <= longest && name != "." && name != "..";
}

std::vector<std::string> material_names(const Materials& materials) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < materials.size(); ++i)
    names.push_back(materials.name(MaterialIndex(static_cast<int>(i))));
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

}  // namespace

std::optional<std::size_t> find_name(const std::vector<std::string>& names, const char* of_what,
                                     const Section& section, std::string_view key, Reading& reading) {
  const auto found = std::ranges::find(names, section.text(key));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  reading.faults.push_back(about(section, key, fmt::format("is not the name {}", of_what)));
  reading.faults.back().suggestion = did_you_mean(section.text(key), names);
  return std::nullopt;
}

std::vector<std::size_t> boundaries_named(const std::vector<std::string>& all, const std::string& name) {
  const auto those = [&](auto&& fits) {
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (fits(all[k])) found.push_back(k);
    return found;
  };
  const std::vector<std::size_t> found = those([&](const std::string& of) { return of == name; });
  return !found.empty() ? found : those([&](const std::string& of) { return of.starts_with(name + '.'); });
}

std::vector<std::size_t> find_boundaries(const std::vector<std::string>& all, const Section& section,
                                         std::string_view key, Reading& reading) {
  const std::string name = section.text(key);
  std::vector<std::string> names;
  const std::vector<std::size_t> found = boundaries_named(all, name);
  for (std::size_t k = 0; k < all.size(); ++k) {
    names.push_back(all[k]);
    if (const std::size_t dot = all[k].rfind('.'); dot != std::string::npos)
      names.push_back(all[k].substr(0, dot));
  }
  if (!found.empty()) return found;
  reading.faults.push_back(about(section, key, "is not the name of a boundary"));
  reading.faults.back().suggestion = did_you_mean(name, names);
  return {};
}

std::optional<MaterialIndex> named_material(const Node& node, const std::string& path, Reading& reading) {
  const Materials& materials = reading.scene.model.materials;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    const MaterialIndex m(static_cast<std::int64_t>(i));
    if (materials.name(m) == node.text) return m;
  }
  if (reading.faults.size() >= most_faults) return std::nullopt;
  const std::vector<std::string> names = material_names(materials);
  Fault fault = fault_at(node, path, "is not the name of a material");
  fault.allowed = listed(names);
  fault.suggestion = did_you_mean(node.text, names);
  reading.faults.push_back(std::move(fault));
  return std::nullopt;
}

namespace {

/// Replaces values of the cohesion by those of a section.
void read_cohesion(const Section& section, Cohesion& cohesion, Reading& reading) {
  constexpr double degree = std::numbers::pi / 180.0;
  if (section.has("adhesion_energy")) cohesion.adhesion_energy = section.number("adhesion_energy");
  if (section.has("surface_tension")) cohesion.surface_tension = section.number("surface_tension");
  if (section.has("wetting_angle")) cohesion.wetting_angle = degree * section.number("wetting_angle");
  if (section.has("bridge_volume")) cohesion.bridge_volume = section.number("bridge_volume");
  if (section.has("surface_tension") && cohesion.surface_tension > 0.0 && cohesion.bridge_volume == 0.0)
    reading.faults.push_back(
        about(section, "surface_tension", "needs bridge_volume, the volume of liquid in a contact"));
}

/// Replaces values of the elasticity by those of a section.
void read_elasticity(const Section& section, Elasticity& elasticity, Reading& reading) {
  constexpr double usual_ratio = 0.3;
  const double nu = section.has("poisson_ratio") ? section.number("poisson_ratio") : usual_ratio;
  if (section.has("youngs_modulus") && section.has("stiffness"))
    reading.faults.push_back(
        about(section, "stiffness", "cannot be combined with youngs_modulus; remove one of them"));
  else if (section.has("youngs_modulus"))
    elasticity = elasticity_of(section.number("youngs_modulus"), nu);
  else if (section.has("stiffness"))
    elasticity = linear_elasticity(section.number("stiffness"), nu);
  else if (section.has("poisson_ratio"))
    reading.faults.push_back(about(section, "poisson_ratio", "needs youngs_modulus or stiffness"));
}

/// Two ways to give a coefficient. They cannot be mixed.
struct Alternative {
  const char *one, *other;
};
constexpr Alternative elastic_forms{"youngs_modulus", "stiffness"},
    rolling_forms{"rolling_friction", "rolling_friction_ratio"},
    torsional_forms{"torsional_friction", "torsional_friction_ratio"};

bool gives(const Section& section, const Alternative& forms) {
  return section.has(forms.one) || section.has(forms.other);
}

/// A heading can have a length or a ratio, not both.
void refuse_both(const Section& section, Reading& reading) {
  for (const Alternative& forms : {rolling_forms, torsional_forms})
    if (section.has(forms.one) && section.has(forms.other))
      reading.faults.push_back(about(
          section, forms.other, fmt::format("cannot be combined with {}; remove one of them", forms.one)));
}

void read_pair(const Section& pair, std::set<std::pair<int, int>>& seen, Reading& reading) {
  if (!pair.has("materials")) return;
  const Node& names = pair.given("materials");
  const auto a = named_material(names.items[0], pair.path_of("materials[0]"), reading);
  const auto b = named_material(names.items[1], pair.path_of("materials[1]"), reading);
  if (!a || !b) return;
  if (!seen.insert(std::minmax(a->value, b->value)).second) {
    reading.faults.push_back(fault_at(names, pair.path_of("materials"), "is a pair that is already defined"));
  }
  Materials& materials = reading.scene.model.materials;
  PairLaw law = materials.law(*a, *b);
  if (pair.has("friction")) law.friction = pair.number("friction");
  // The form that the pair's own heading has replaces both forms.
  if (pair.has("torsional_friction") || pair.has("torsional_friction_ratio"))
    law.torsional_friction_m = law.torsional_friction_ratio = 0.0;
  if (pair.has("rolling_friction") || pair.has("rolling_friction_ratio"))
    law.rolling_friction_m = law.rolling_friction_ratio = 0.0;
  if (pair.has("torsional_friction")) law.torsional_friction_m = pair.number("torsional_friction");
  if (pair.has("rolling_friction")) law.rolling_friction_m = pair.number("rolling_friction");
  if (pair.has("rolling_friction_ratio")) law.rolling_friction_ratio = pair.number("rolling_friction_ratio");
  if (pair.has("torsional_friction_ratio"))
    law.torsional_friction_ratio = pair.number("torsional_friction_ratio");
  if (pair.has("restitution")) law.restitution = pair.number("restitution");
  read_cohesion(pair, law.cohesion, reading);
  read_elasticity(pair, law.elasticity, reading);
  refuse_both(pair, reading);
  materials.set_law(*a, *b, law);
}

void read_patch(const Section& patch, Reading& reading) {
  if (!patch.has("material") || !patch.has("centre") || !patch.has("radius") || !patch.has("factor")) return;
  const auto material = named_material(patch.given("material"), patch.path_of("material"), reading);
  if (!material) return;
  Materials& materials = reading.scene.model.materials;
  Surface surface = materials.surface(*material);
  surface.patches.push_back(settings_of<FrictionPatch>(patch));
  materials.set_surface(*material, std::move(surface));
}

}  // namespace

Fault about(const Section& section, std::string_view key, std::string problem) {
  return fault_at(section.given(key), section.path_of(key), std::move(problem));
}

Fault missing_key(const Section& section, std::string_view key) {
  const Key& info = *find_key(section.name(), key);
  Fault fault;
  fault.where = section.node()->where;
  fault.key_path = section.path_of(key);
  fault.problem = "is missing";
  fault.unit = std::string(info.unit);
  fault.allowed = to_string(info.range);
  return fault;
}

namespace {

/// Euler angles (degrees) about the axes of `order`: capital letters are the body's axes, which rotate with
/// it, small letters the world's. The convention of scipy.spatial.transform.Rotation.from_euler.
Quat euler_rotation(const Vec3& degrees, const std::string& order) {
  Quat rotation = Quat::Identity();
  for (int k = 0; k < 3; ++k) {
    const char letter = order[static_cast<std::size_t>(k)];
    const bool own = std::isupper(static_cast<unsigned char>(letter)) != 0;
    const int axis = std::tolower(static_cast<unsigned char>(letter)) - 'x';
    const Quat turn(Eigen::AngleAxisd(degrees[k] * std::numbers::pi / 180.0, Vec3::Unit(axis)));
    rotation = own ? rotation * turn : turn * rotation;
  }
  return rotation;
}

Quat rotation_of(const Section& table) {
  if (table.has("euler"))
    return euler_rotation(table.vector("euler"), table.has("order") ? table.text("order") : "XYZ");
  return Quat(
      Eigen::AngleAxisd(table.number("angle") * std::numbers::pi / 180.0, table.vector("axis").normalized()));
}

}  // namespace

std::optional<Quat> fixed_orientation(const Section& section, std::string_view key) {
  if (!section.has(key)) return std::nullopt;
  const Node& node = section.given(key);
  if (node.kind == NodeKind::text)
    return node.text == "aligned" ? std::optional(Quat::Identity()) : std::nullopt;
  if (node.kind == NodeKind::table) return rotation_of(Section(&node, "orientation", section.path_of(key)));
  return Quat(node.items[0].number, node.items[1].number, node.items[2].number, node.items[3].number)
      .normalized();
}

bool is_box(const Section& section, Reading& reading) {
  const Vec3 low = section.vector("low"), high = section.vector("high");
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    if (low[i] < high[i]) continue;
    const Node& node = section.given("high").items[i];
    Fault fault =
        fault_at(node, fmt::format("{}[{}]", section.path_of("high"), i), "must be above the low corner");
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
    sections.emplace_back(&list->items[i], key, fmt::format("{}[{}]", top.path_of(key), i));
  }
  return sections;
}

std::optional<MaterialIndex> find_material(const Section& section, Reading& reading) {
  if (section.has("material")) {
    return named_material(section.given("material"), section.path_of("material"), reading);
  }
  if (section.node()->find("material") != nullptr) return std::nullopt;  // faulty, already reported
  const std::size_t materials = reading.scene.model.materials.size();
  if (materials == 1) return MaterialIndex(0);
  // Missing materials were already reported.
  if (materials == 0 || reading.faults.size() >= most_faults) return std::nullopt;
  const std::vector<std::string> names = material_names(reading.scene.model.materials);
  Fault fault;
  fault.where = section.node()->where;
  fault.key_path = section.path_of("material");
  fault.problem = "is missing, and the scene has more than one material";
  fault.allowed = listed(names);
  reading.faults.push_back(std::move(fault));
  return std::nullopt;
}

namespace {

/// Reads `time_step` if it is a word, and the bounds of adaptive steps.
void read_adaptive_step(const Section& top, Scene& scene, std::vector<Fault>& faults) {
  Settings& settings = scene.model.settings;
  settings.adaptive_step = top.has("time_step") && !top.given("time_step").is_number();
  const auto refuse = [&](const char* key, const std::string& problem, const std::string& suggestion) {
    Fault fault = fault_at(top.given(key), key, problem);
    fault.unit = find_key("", key)->unit;
    fault.suggestion = suggestion;
    faults.push_back(std::move(fault));
  };
  const Node* const given = top.node()->find("time_step");
  if (given != nullptr && given->faulty) return;
  if (!settings.adaptive_step) {
    for (const char* key : {"largest_time_step", "least_time_step", "time_step_overlap", "steps_per_impact"})
      if (top.has(key))
        refuse(key, "can be used only with adaptive steps", "write time_step = \"adaptive\", or remove it");
    return;
  }
  settings.time_step_s = scene.largest_time_step_s;
  if (settings.least_time_step_s <= settings.time_step_s) return;
  refuse(top.has("least_time_step") ? "least_time_step" : "largest_time_step",
         "must satisfy least_time_step <= largest_time_step",
         fmt::format("they are {} s and {} s", settings.least_time_step_s, settings.time_step_s));
}

/// Sets the defaults of a level of accuracy. Keys of the scene override them.
void set_accuracy(Accuracy accuracy, Settings& settings) {
  if (accuracy == Accuracy::draft) {
    settings.solver.tolerance *= 10.0;
    settings.time_step_overlap *= 4.0;
  } else if (accuracy == Accuracy::reference) {
    settings.solver.tolerance /= 10.0;
    settings.time_step_overlap /= 4.0;
    settings.solver.max_sweeps *= 10;
  }
}

/// The number of steps and frames must not be too large, so that their times differ.
void check_length(const Section& top, const Scene& scene, std::vector<Fault>& faults) {
  const auto refuse = [&](const Section& section, const std::string& key, const std::string& problem,
                          const std::string& allowed) {
    Fault fault = about(section, key, problem);
    fault.unit = "s";
    fault.allowed = allowed;
    faults.push_back(std::move(fault));
  };
  const double step = least_step(scene), end = scene.end_time_s;
  const std::string shortest = fmt::format(">= {:.3g}", end / most_steps);
  const char* const step_key = scene.model.settings.adaptive_step ? "least_time_step" : "time_step";
  if (end / step > most_steps) {  // blame the value that differs more from one second
    if (top.has("end_time") && (end > 1.0 / step || !top.has(step_key)))
      refuse(top, "end_time", fmt::format("cannot be reached with steps of {:g} s", step),
             fmt::format("<= {:g}", most_steps * step));
    else if (top.has(step_key))
      refuse(top, step_key, fmt::format("is too short to reach the end at {:g} s", end), shortest);
  }
  const Section output = top.child("output");
  if (output.has("interval") && end / scene.output.interval_s > most_steps)
    refuse(output, "interval", fmt::format("is too short: the run to {:g} s would have too many frames", end),
           shortest);
}

}  // namespace

void read_settings(const Section& top, Reading& reading) {
  Scene& scene = reading.scene;
  if (top.has("accuracy")) take(top, "accuracy", scene.accuracy);
  set_accuracy(scene.accuracy, scene.model.settings);
  set_from(top, scene);
  scene.name = top.has("name") ? top.text("name") : scene.file.stem().string();
  if (top.has("name") && !is_file_name(scene.name)) {
    Fault fault = fault_at(top.given("name"), "name", "cannot be used as the name of a folder");
    fault.allowed = "letters, digits, spaces and signs except / and \\";
    fault.suggestion = "use `scree run -o` to set a path";
    reading.faults.push_back(std::move(fault));
  }
  if (top.has("rest_speed")) scene.rest_speed_m_s = top.number("rest_speed");
  read_adaptive_step(top, scene, reading.faults);
  check_length(top, scene, reading.faults);
  const Settings& settings = scene.model.settings;
  const Section solver = top.child("solver");
  if (settings.solver.kind == SolverKind::admm && settings.solver.friction_cone == FrictionCone::sampled) {
    Fault fault = fault_at(solver.given("friction_cone"), solver.path_of("friction_cone"),
                           "cannot be combined with the solver 'admm', which supports only the exact cone");
    fault.suggestion = "choose gauss_seidel or nsgs";
    reading.faults.push_back(std::move(fault));
  }

  if (settings.sleep.is_on() && !may_sleep(settings.solver.kind)) {
    Fault fault =
        fault_at(solver.given("kind"), solver.path_of("kind"), "cannot be combined with sleep.speed > 0");
    fault.suggestion = "choose gauss_seidel or nsgs, or remove sleep.speed";
    reading.faults.push_back(std::move(fault));
  }

  const Section checks = top.child("checks");
  const Section output = top.child("output");
  scene.output.wall_cells_interval_s =
      output.has("wall_cells_interval") ? output.number("wall_cells_interval") : scene.end_time_s / 20.0;
  if (output.has("wall_cells")) scene.output.wall_cells_m = output.number("wall_cells");
  if (checks.has("ledger_tolerance")) scene.ledger_tolerance = checks.number("ledger_tolerance");
}

namespace {

/// Two materials which define a coefficient in different ways.
struct Clash {
  Alternative forms;
  Section section;  // of the later material
  std::size_t other;
  std::int32_t own;
};

/// False if one material has a positive length and the other a positive ratio to the radius.
bool can_mix(double length_a, double ratio_a, double length_b, double ratio_b) {
  return (length_a == 0.0 || ratio_b == 0.0) && (ratio_a == 0.0 || length_b == 0.0);
}

void find_clashes(const Section& section, std::span<const PairLaw> laws, std::size_t other, std::int32_t own,
                  std::vector<Clash>& clashes) {
  const PairLaw &a = laws.back(), &b = laws[other];
  if (!can_mix(a.elasticity, b.elasticity)) clashes.push_back({elastic_forms, section, other, own});
  if (!can_mix(a.rolling_friction_m, a.rolling_friction_ratio, b.rolling_friction_m,
               b.rolling_friction_ratio))
    clashes.push_back({rolling_forms, section, other, own});
  if (!can_mix(a.torsional_friction_m, a.torsional_friction_ratio, b.torsional_friction_m,
               b.torsional_friction_ratio))
    clashes.push_back({torsional_forms, section, other, own});
}

/// Reports a clash, unless one of [[material_pairs]] resolves it.
void refuse_clash(const Section& top, const Clash& clash, Reading& reading) {
  const Materials& materials = reading.scene.model.materials;
  const MaterialIndex other(static_cast<int>(clash.other)), own(clash.own);
  const auto settles = [&](const Section& pair) {
    if (!pair.has("materials") || !gives(pair, clash.forms)) return false;
    std::vector<std::string> given = pair.texts("materials"),
                             meant{materials.name(other), materials.name(own)};
    std::ranges::sort(given);
    std::ranges::sort(meant);
    return given == meant;
  };
  if (std::ranges::any_of(elements(top, "material_pairs"), settles)) return;
  const auto [one, second] = clash.forms;
  const bool has_one = clash.section.has(one);
  Fault fault = about(
      clash.section, has_one ? one : second,
      fmt::format("cannot be mixed with the {} of \"{}\"", has_one ? second : one, materials.name(other)));
  fault.suggestion = fmt::format(
      "write the same key for both materials, or add [[material_pairs]] for \"{}\" and \"{}\" with one "
      "of the two keys",
      materials.name(other), materials.name(own));
  reading.faults.push_back(std::move(fault));
}

void refuse_what_knows_rigid_contacts(const Section& top, Reading& reading) {
  const Settings& settings = reading.scene.model.settings;
  const SolverKind kind = settings.solver.kind;
  const bool is_unknown = kind == SolverKind::admm || kind == SolverKind::one_pass;
  if (!is_unknown && !settings.sleep.is_on()) return;
  for (const char* heading : {"materials", "material_pairs"}) {
    for (const Section& section : elements(top, heading)) {
      if (!gives(section, elastic_forms)) continue;
      const char* const key = section.has("stiffness") ? "stiffness" : "youngs_modulus";
      if (is_unknown) {
        reading.faults.push_back(
            about(section, key,
                  fmt::format("cannot be combined with the solver '{}', which supports only rigid contacts",
                              to_string(kind))));
        reading.faults.back().suggestion = "choose gauss_seidel or nsgs";
      }
      if (settings.sleep.is_on()) {
        reading.faults.push_back(about(section, key, "cannot be combined with sleep"));
        reading.faults.back().suggestion = "remove [sleep]";
      }
      return;
    }
  }
}

}  // namespace

namespace {

WearLaw read_wear(const Section& section, Reading& reading) {
  WearLaw wear;
  if (section.has("wear_coefficient") != section.has("hardness"))
    reading.faults.push_back(section.has("hardness")
                                 ? about(section, "hardness", "has no effect without wear_coefficient")
                                 : about(section, "wear_coefficient", "needs hardness"));
  else if (section.has("hardness"))
    wear.volume_per_sliding = section.number("wear_coefficient") / section.number("hardness");
  if (section.has("impact_wear")) wear.volume_per_impact_energy = section.number("impact_wear");
  return wear;
}

}  // namespace

void read_materials(const Section& top, Reading& reading) {
  Materials& materials = reading.scene.model.materials;
  constexpr std::size_t most_materials = 1000;  // there is a law for each pair
  std::vector<PairLaw> laws;
  std::vector<Clash> clashes;
  std::set<std::string> names;
  for (const Section& section : elements(top, "materials")) {
    if (!section.has("name")) continue;
    if (laws.size() == most_materials) {
      reading.faults.push_back(
          fault_at(*section.node(), section.path(),
                   fmt::format("is too much: a scene can have at most {} materials", most_materials)));
      break;
    }
    if (!names.insert(section.text("name")).second) {
      reading.faults.push_back(fault_at(section.given("name"), section.path_of("name"), "is already in use"));
      continue;
    }
    // With a faulty density the scene cannot run; any value is good enough to find the other faults.
    const double density = section.has("density") ? section.number("density") : 1.0;
    const MaterialIndex added = materials.add(section.text("name"), density);
    materials.set_surface(added, settings_of<Surface>(section));
    materials.set_wear(added, read_wear(section, reading));
    laws.push_back(settings_of<PairLaw>(section));
    read_cohesion(section, laws.back().cohesion, reading);
    read_elasticity(section, laws.back().elasticity, reading);
    refuse_both(section, reading);
    for (std::size_t other = 0; other < laws.size(); ++other) {
      const bool same = other + 1 == laws.size();
      materials.set_law(added, MaterialIndex(static_cast<int>(other)),
                        same ? laws.back() : mixed_law(laws.back(), laws[other]));
      find_clashes(section, laws, other, added.value, clashes);
    }
  }
  for (const Section& patch : elements(top, "friction_patches")) read_patch(patch, reading);
  std::set<std::pair<int, int>> seen;
  for (const Section& pair : elements(top, "material_pairs")) read_pair(pair, seen, reading);
  for (const Clash& clash : clashes) refuse_clash(top, clash, reading);
  refuse_what_knows_rigid_contacts(top, reading);
}

}  // namespace scree::io
