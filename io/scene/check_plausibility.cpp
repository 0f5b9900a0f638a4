// Warns about values that are possible but very rare in granular scenes: often a unit is wrong.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <regex>

#include "io/results/frame.h"
#include "io/scene/faults.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

constexpr Range usual_density{.low = 10.0, .high = 23000.0};  // kg/m^3: from foam to osmium
constexpr Range usual_friction{.low = 0.0, .high = 2.0};      // rubber on rock: about 1.5
constexpr Range usual_length{.low = 1e-6, .high = 2.0};       // m, semi-axes from dust to boulders
constexpr Range usual_adhesion{.low = 0.0, .high = 10.0};     // J/m^2; clean metals: about 2
constexpr double least_modulus = 1e6;                         // Pa: soft rubber
/// Rolling and torsional friction over a body's radius; no grain has more.
constexpr double largest_arm = 0.2;
/// Longest side of a mesh over the diameter of the largest body. One layer of such grains across this width
/// has a quarter of a million grains; a mesh in millimetres is a thousand times too large.
constexpr double widest_mesh = 500.0;
/// Steps in which a body falls from rest by its smallest semi-axis: with fewer steps, impacts overlap deeply.
constexpr double fewest_steps_a_fall = 3.0;

Fault unusual(const Section& section, std::string_view key, const Range& usual, const std::string& what) {
  Fault warning = fault_at(section.given(key), section.path_of(key), "is unusual: " + what);
  warning.unit = find_key(section.name(), key)->unit;
  warning.suggestion =
      fmt::format("usual values: {}{}{}", to_string(usual), warning.unit.empty() ? "" : " ", warning.unit);
  return warning;
}

void look_at_materials(const Section& top, std::vector<Fault>& warnings) {
  for (const Section& material : elements(top, "materials")) {
    if (material.has("density") && !usual_density.holds(material.number("density"))) {
      warnings.push_back(unusual(material, "density", usual_density, "grains are not so light or heavy"));
      const double grams = material.number("density");
      if (grams >= 0.5 && grams < usual_density.low)
        warnings.back().suggestion += fmt::format("; {:g} g/cm^3 are {:g} kg/m^3", grams, 1e3 * grams);
    }
  }
  for (const char* heading : {"materials", "material_pairs"}) {
    for (const Section& law : elements(top, heading)) {
      if (law.has("friction") && !usual_friction.holds(law.number("friction"))) {
        warnings.push_back(unusual(law, "friction", usual_friction, "real materials are rarely so rough"));
        if (const double x = law.number("friction"); x >= 5.0 && x <= 100.0)
          warnings.back().suggestion += fmt::format(
              "; {0:g} % are {1:g}, an angle of {0:g} degrees is \"= tan({0:g} * degree)\"", x, x / 100.0);
      }
      if (law.has("adhesion_energy") && !usual_adhesion.holds(law.number("adhesion_energy")))
        warnings.push_back(unusual(law, "adhesion_energy", usual_adhesion,
                                   "it is an energy per area, not per volume (J/m^3)"));
      if (law.has("youngs_modulus") && law.number("youngs_modulus") > 0.0 &&
          law.number("youngs_modulus") < least_modulus) {
        warnings.push_back(
            unusual(law, "youngs_modulus", {.low = least_modulus}, "it is softer than rubber"));
        warnings.back().suggestion +=
            "; steps do not depend on it: write that of the real solid, or remove it";
      }
    }
  }
}

void look_at_sizes(Reading& reading) {
  const Model& model = reading.scene.model;
  const Bodies& bodies = reading.scene.initial.bodies;
  for (const BodyGroup& group : reading.groups) {
    double least = infinity, most = 0.0;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      least = std::min(least, model.shapes.smallest_length(bodies.shape[i]));
      most = std::max(most, model.shapes.bounding_radius(bodies.shape[i]));
    }
    if (group.begin == group.end || (usual_length.holds(least) && usual_length.holds(most))) continue;
    Fault warning;
    warning.where = group.where;
    warning.key_path = group.path;
    warning.problem = "has an unusual size; lengths are in metres";
    warning.value = fmt::format("{:.3g}", usual_length.holds(least) ? most : least);
    warning.unit = "m";
    warning.suggestion =
        fmt::format("usual distances from the centre to the surface: {} m", to_string(usual_length));
    reading.scene.warnings.push_back(std::move(warning));
  }
}

Fault about_top(const Section& top, const Reading& reading, const char* key, std::string problem) {
  if (top.has(key)) return about(top, key, std::move(problem));
  Fault warning;
  warning.where.file = reading.scene.file.string();
  warning.key_path = key;
  warning.problem = std::move(problem);
  return warning;
}

/// Warns about times that were probably meant as numbers of steps, and about steps as short as soft contacts
/// need.
void look_at_times(const Section& top, Reading& reading) {
  constexpr double many_steps = 2e7, short_fall = 1e4;
  const Scene& scene = reading.scene;
  const Model& model = scene.model;
  const double dt = model.settings.time_step_s, end = scene.end_time_s;
  if (!model.settings.adaptive_step && end / dt > many_steps) {
    Fault warning = about_top(
        top, reading, "end_time",
        fmt::format("means {:.3g} steps of {:g} s; perhaps a number of steps was meant", end / dt, dt));
    warning.unit = "s";
    warning.suggestion = fmt::format("{:g} steps end at {:g} s", end, end * dt);
    reading.scene.warnings.push_back(std::move(warning));
  }
  const Section output = top.child("output");
  if (output.has("interval") && output.number("interval") > end && end > 0.0) {
    Fault warning =
        about(output, "interval",
              fmt::format("is longer than the run of {:g} s; perhaps a number of steps was meant", end));
    warning.unit = "s";
    warning.suggestion =
        fmt::format("{:g} steps are {:g} s", output.number("interval"), output.number("interval") * dt);
    reading.scene.warnings.push_back(std::move(warning));
  }
  const double least = smallest_of_all(model, scene.initial.bodies), gravity = model.settings.gravity.norm();
  const double fall_s = std::sqrt(2.0 * least / gravity);
  if (top.has("time_step") && !model.settings.adaptive_step &&
      model.settings.stepping == Stepping::contacts && !model.materials.are_elastic() && gravity > 0.0 &&
      least < infinity && fall_s > short_fall * dt) {
    Fault warning =
        about(top, "time_step",
              fmt::format("is short: contacts are rigid and do not need such short steps; the smallest "
                          "bodies fall by their smallest semi-axis of {:.3g} m in {:.2g} steps",
                          least, fall_s / dt));
    warning.unit = "s";
    warning.suggestion = fmt::format("time_step = {:.1g} is usual for this size", fall_s / 50.0);
    reading.scene.warnings.push_back(std::move(warning));
  }
}

/// Warns about numbers above 2 pi in sin, cos and tan: they are most likely degrees.
void look_at_angles(const Node& node, const std::string& path, std::vector<Fault>& warnings) {
  static const std::regex angle(R"(\b(sin|cos|tan)\(\s*(\d+(?:\.\d*)?)\s*\))");
  constexpr std::size_t longest = 1000;  // regular expressions take memory with the length
  std::smatch match;
  if (node.expression.size() < longest && std::regex_search(node.expression, match, angle) &&
      std::stod(match[2]) > 2.0 * std::numbers::pi) {
    Fault warning = fault_at(node, path, fmt::format("has {}, but angles are in radians", match[0].str()));
    warning.suggestion = fmt::format("write {}({} * degree) for degrees", match[1].str(), match[2].str());
    warnings.push_back(std::move(warning));
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = node.items[i];
    const std::string name = item.key.empty() ? fmt::format("[{}]", i) : item.key;
    look_at_angles(item, path.empty() || item.key.empty() ? path + name : path + '.' + name, warnings);
  }
}

/// Warns about bodies that fall without end.
void look_for_a_floor(Reading& reading) {
  const Model& model = reading.scene.model;
  if (!model.boundaries.empty() || model.cell.is_periodic() || !model.outlets.empty() ||
      !model.joints.empty() || model.domain.outside != Outside::keep || !model.parts.empty() ||
      model.settings.gravity.isZero(0.0) || reading.scene.initial.bodies.size() < 3)
    return;
  Fault warning;
  warning.where.file = reading.scene.file.string();
  warning.key_path = "boundaries";
  warning.problem = "are missing: the bodies fall without end";
  warning.suggestion = "add [[boundaries]] with type = \"plane\", or [domain]";
  reading.scene.warnings.push_back(std::move(warning));
}

void look_at_the_step(Reading& reading) {
  const Model& model = reading.scene.model;
  if (model.settings.stepping == Stepping::piecewise) return;  // impacts do not depend on the step
  const Bodies& bodies = reading.scene.initial.bodies;
  const double gravity = model.settings.gravity.norm(), dt = model.settings.time_step_s;
  double least = infinity;
  for (const ShapeIndex shape : bodies.shape) least = std::min(least, model.shapes.smallest_length(shape));
  const double fall_s = std::sqrt(2.0 * least / gravity);
  if (!(fall_s < fewest_steps_a_fall * dt)) return;
  Fault warning;
  warning.where.file = reading.scene.file.string();
  warning.key_path = "time_step";
  warning.problem =
      fmt::format("is long: the smallest bodies fall by their smallest semi-axis of {:.3g} m in {:.2g} steps",
                  least, fall_s / dt);
  warning.value = fmt::format("{:g}", dt);
  warning.unit = "s";
  warning.suggestion = fmt::format("time_step = {:.1g} would be safe", fall_s / (2.0 * fewest_steps_a_fall));
  reading.scene.warnings.push_back(std::move(warning));
}

/// Radii about the centre, m: the smallest of each material's bodies, and the smallest and largest of all;
/// those of inlets too.
struct Radii {
  std::vector<double> smallest_of;  // [material]; infinite without bodies
  double smallest = infinity, largest = 0.0;
};

Radii radii_of_bodies(const Reading& reading) {
  const Model& model = reading.scene.model;
  const Bodies& bodies = reading.scene.initial.bodies;
  Radii radii{std::vector<double>(model.materials.size(), infinity)};
  const auto look_at = [&](ShapeIndex shape, MaterialIndex material) {
    const double radius = model.shapes.bounding_radius(shape);
    double& least = radii.smallest_of[material.value];
    least = std::min(least, radius);
    radii.smallest = std::min(radii.smallest, radius);
    radii.largest = std::max(radii.largest, radius);
  };
  for (std::size_t i = 0; i < bodies.size(); ++i) look_at(bodies.shape[i], bodies.material[i]);
  for (const Inlet& inlet : model.inlets)
    for (const InletGrain& grain : inlet.grains) look_at(grain.shape, grain.material);
  return radii;
}

/// Smallest radius of the bodies of these materials; of all bodies if these materials have none, like that of
/// a wall.
double smallest_radius(const Radii& radii, const Materials& materials,
                       const std::vector<std::string>& names) {
  double least = infinity;
  for (std::size_t m = 0; m < materials.size(); ++m)
    if (std::ranges::find(names, materials.name(MaterialIndex(static_cast<std::int64_t>(m)))) != names.end())
      least = std::min(least, radii.smallest_of[m]);
  return least < infinity ? least : radii.smallest;
}

/// Warns about rolling and torsional friction, which are lengths here and ratios in other codes.
void look_at_arms(const Section& law, const std::vector<std::string>& names, const Radii& radii,
                  Reading& reading) {
  const double radius = smallest_radius(radii, reading.scene.model.materials, names);
  for (const char* key : {"rolling_friction", "torsional_friction"}) {
    if (!law.has(key)) continue;
    const bool is_computed = !law.given(key).expression.empty();  // most likely from lengths
    if (!(law.number(key) > (is_computed ? 1.0 : largest_arm) * radius)) continue;
    Fault warning =
        about(law, key,
              fmt::format("is a length in m, and {:.2g} times the smallest radius of the bodies ({:.3g} "
                          "m); perhaps a ratio to the radius was meant",
                          law.number(key) / radius, radius));
    warning.unit = "m";
    warning.suggestion = fmt::format("{}_ratio = {:g} is the dimensionless form", key, law.number(key));
    reading.scene.warnings.push_back(std::move(warning));
  }
}

void look_at_arms(const Section& top, const Radii& radii, Reading& reading) {
  for (const Section& material : elements(top, "materials"))
    if (material.has("name")) look_at_arms(material, {material.text("name")}, radii, reading);
  for (const Section& pair : elements(top, "material_pairs"))
    if (pair.has("materials")) look_at_arms(pair, pair.texts("materials"), radii, reading);
}

void look_at_meshes(const Radii& radii, Reading& reading) {
  for (const auto& [section, number] : reading.meshes) {
    const Vec3 half = extent_of(std::get<PlacedMesh>(reading.scene.model.boundaries[number].surface))->half;
    const double longest = 2.0 * half.maxCoeff(), ratio = longest / (2.0 * radii.largest);
    if (!(ratio > widest_mesh) || !(radii.largest > 0.0)) continue;
    Fault warning =
        about(section, "file",
              fmt::format(
                  "has a mesh of {:.3g} m, {:.2g} times the largest body; perhaps its unit is the millimetre",
                  longest, ratio));
    const double scale = section.has("scale") ? section.number("scale") : 1.0;
    warning.suggestion = fmt::format("scale = {:g} would make it {:.3g} m", 1e-3 * scale, 1e-3 * longest);
    reading.scene.warnings.push_back(std::move(warning));
  }
}

/// Warns if single precision, in frames and in mesh files, is too coarse for bodies far from zero.
void look_at_coordinates(const Section& top, Reading& reading) {
  Scene& scene = reading.scene;
  const Model& model = scene.model;
  Bodies bodies = scene.initial.bodies;
  for (const Inlet& inlet : model.inlets)  // a grain in the middle of the inlet
    if (bodies.size() == 0 && !inlet.grains.empty()) {
      bodies.position.push_back(bounding_box(inlet.region).first);
      bodies.shape.push_back(inlet.grains.front().shape);
      bodies.mass.push_back(1.0);
      bodies.id.push_back(0);
    }
  const FrameRounding rounding = frame_rounding(model.shapes, bodies, scene.origin);
  if ((scene.output.hdf5 || scene.output.vtk) && rounding.relative > most_frame_rounding) {
    const Vec3 origin = origin_near(bodies);
    Fault warning;
    warning.where.file = scene.file.string();
    if (top.has("origin")) warning = fault_at(top.given("origin"), "origin", "");
    warning.key_path = "origin";
    warning.problem = fmt::format(
        "is far from the bodies: frames, walls and exports are in single precision, with errors of up to "
        "{:.2g} m, {:.2g} of the smallest length of bodies",
        rounding.length, rounding.relative);
    warning.value = fmt::format("[{}, {}, {}]", scene.origin.x(), scene.origin.y(), scene.origin.z());
    warning.unit = "m";
    warning.suggestion =
        fmt::format("write origin = [{}, {}, {}], which is subtracted in frames, walls and exports",
                    origin.x(), origin.y(), origin.z());
    scene.warnings.push_back(std::move(warning));
  }
  const double least = smallest_of_all(model, scene.initial.bodies);
  for (const CoarseMesh& mesh : reading.coarse_meshes) {
    if (!(mesh.rounding > most_frame_rounding * least)) continue;
    Fault warning = fault_at(mesh.section.given("file"), mesh.section.path_of("file"),
                             fmt::format("has corners in single precision far from zero, with errors of up "
                                         "to {:.2g} m, {:.2g} of the smallest length of bodies",
                                         mesh.rounding, mesh.rounding / least));
    warning.suggestion =
        "write the mesh near its own origin and place it with `position`, or use OBJ or PLY with doubles";
    scene.warnings.push_back(std::move(warning));
  }
}

}  // namespace

double smallest_of_all(const Model& model, const Bodies& bodies) {
  double least = infinity;
  for (const ShapeIndex shape : bodies.shape) least = std::min(least, model.shapes.smallest_length(shape));
  for (const Inlet& inlet : model.inlets)
    for (const InletGrain& grain : inlet.grains)
      least = std::min(least, model.shapes.smallest_length(grain.shape));
  return least;
}

void check_plausibility(const Section& top, Reading& reading) {
  look_at_materials(top, reading.scene.warnings);
  look_at_sizes(reading);
  look_at_the_step(reading);
  look_at_times(top, reading);
  look_at_angles(*reading.top, "", reading.scene.warnings);
  look_for_a_floor(reading);
  const Radii radii = radii_of_bodies(reading);
  look_at_arms(top, radii, reading);
  look_at_meshes(radii, reading);
  look_at_coordinates(top, reading);
}

}  // namespace scree::io
