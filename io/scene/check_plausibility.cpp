// Values that keep no scene from running, and that granular scenes hardly ever have: a unit was mixed up.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "io/scene/faults.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

constexpr Range usual_density{.low = 10.0, .high = 23000.0};  // kg/m^3: foam to osmium
constexpr Range usual_friction{.low = 0.0, .high = 2.0};      // rubber on rock has some 1.5
constexpr Range usual_length{.low = 1e-6, .high = 10.0};      // m, of semi-axes: dust to boulders
/// Steps in which a body that is let go falls by its smallest semi-axis: with fewer, impacts are deep.
constexpr double fewest_steps_a_fall = 3.0;

Fault unusual(const Section& section, std::string_view key, const Range& usual, const std::string& what) {
  Fault warning = fault_at(section.given(key), section.path_of(key), "is unusual: " + what);
  warning.unit = find_key(section.name(), key)->unit;
  warning.suggestion =
      fmt::format("usual is {}{}{}", to_string(usual), warning.unit.empty() ? "" : " ", warning.unit);
  return warning;
}

void look_at_materials(const Section& top, std::vector<Fault>& warnings) {
  for (const Section& material : elements(top, "materials")) {
    if (material.has("density") && !usual_density.holds(material.number("density"))) {
      warnings.push_back(unusual(material, "density", usual_density, "no grains are so light or heavy"));
      const double grams = material.number("density");
      if (grams >= 0.5 && grams < usual_density.low)
        warnings.back().suggestion += fmt::format("; {:g} g/cm^3 are {:g} kg/m^3", grams, 1e3 * grams);
    }
  }
  for (const char* heading : {"materials", "material_pairs"}) {
    for (const Section& law : elements(top, heading)) {
      if (law.has("friction") && !usual_friction.holds(law.number("friction")))
        warnings.push_back(unusual(law, "friction", usual_friction, "hardly anything is so rough"));
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
    warning.problem = "its size is unusual: scenes are in metres";
    warning.value = fmt::format("{:.3g}", usual_length.holds(least) ? most : least);
    warning.unit = "m";
    warning.suggestion = fmt::format("usual is {} m from the centre to the surface", to_string(usual_length));
    reading.scene.warnings.push_back(std::move(warning));
  }
}

void look_at_the_step(Reading& reading) {
  const Model& model = reading.scene.model;
  if (model.settings.stepping == Stepping::piecewise) return;  // impacts are not a matter of the step
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

}  // namespace

void check_plausibility(const Section& top, Reading& reading) {
  look_at_materials(top, reading.scene.warnings);
  look_at_sizes(reading);
  look_at_the_step(reading);
}

}  // namespace scree::io
