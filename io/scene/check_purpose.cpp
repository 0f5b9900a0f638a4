// Warns about scenes that are valid, but hardly do what was meant.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "io/scene/faults.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

/// Steps of constant length end at multiples of it: a run ends with the one nearest to its end.
void look_for_steps(const Section& top, Reading& reading) {
  const Scene& scene = reading.scene;
  const double dt = scene.model.settings.time_step_s, end = scene.end_time_s;
  if (steps_land(scene.model.settings) || !(end > 0.0) || end > 0.5 * dt || !top.has("end_time")) return;
  reading.scene.warnings.push_back(
      about(top, "end_time", fmt::format("is shorter than half a time step of {:g} s: no step is made", dt)));
}

/// Bodies which the domain removes in the first step.
void look_at_the_domain(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  const Bodies& bodies = reading.scene.initial.bodies;
  if (model.domain.outside != Outside::remove) return;
  const auto is_outside = [&](const Vec3& x) {
    return (x.array() < model.domain.low.array() || x.array() > model.domain.high.array()).any();
  };
  const auto count = std::ranges::count_if(bodies.position, is_outside);
  if (count == 0) return;
  reading.scene.warnings.push_back(
      about(top, "domain",
            fmt::format("does not hold {} of {} bodies at the start: they are removed at once", count,
                        bodies.size())));
}

/// Planes from all of which gravity points away.
void look_at_gravity(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  const Vec3& gravity = model.settings.gravity;
  if (model.boundaries.empty() || gravity.isZero(0.0) || !top.has("gravity") || model.cell.is_periodic() ||
      !model.outlets.empty() || !model.joints.empty() || model.domain.outside != Outside::keep)
    return;
  bool is_above = false;
  for (const Boundary& boundary : model.boundaries) {
    const auto* const plane = std::get_if<Plane>(&boundary.surface);
    if (plane == nullptr || boundary.part >= 0) return;
    const double along = plane->normal.dot(gravity) / gravity.norm();
    if (along < -1e-9) return;  // it holds bodies
    is_above = is_above || along > 0.5;
  }
  if (!is_above) return;
  Fault warning = about(top, "gravity", "points away from all walls: the bodies fall without end");
  warning.suggestion = "downwards is a negative number if the third axis points up: gravity = [0, 0, -9.81]";
  reading.scene.warnings.push_back(std::move(warning));
}

/// Liquids: surface tensions in mN/m, volumes in microlitres, volumes without a surface tension.
void look_at_liquids(const Section& top, Reading& reading) {
  constexpr double most_tension = 2.0;  // N/m: molten metals
  const double least = smallest_of_all(reading.scene.model, reading.scene.initial.bodies),
               of_grain = 4.0 / 3.0 * std::numbers::pi * least * least * least;
  for (const char* heading : {"materials", "material_pairs"})
    for (const Section& law : elements(top, heading)) {
      const double tension = law.has("surface_tension") ? law.number("surface_tension") : 0.0,
                   volume = law.has("bridge_volume") ? law.number("bridge_volume") : 0.0;
      const auto warn = [&](const char* key, std::string problem, const char* unit, std::string suggestion) {
        Fault warning = about(law, key, std::move(problem));
        warning.unit = unit;
        warning.suggestion = std::move(suggestion);
        reading.scene.warnings.push_back(std::move(warning));
      };
      if (tension > most_tension)
        warn("surface_tension", "is unusual: no liquid has so much", "N/m",
             fmt::format("water has 0.072; {0:g} mN/m are {1:g} N/m", tension, 1e-3 * tension));
      if (volume > of_grain)
        warn("bridge_volume",
             fmt::format("is more than that of the smallest grain, about {:.2g} m^3", of_grain), "m^3",
             fmt::format("a bridge has some percent of a grain; {0:g} microlitres are {1:g} m^3", volume,
                         1e-9 * volume));
      if (volume > 0.0 && law.has("bridge_volume") && tension == 0.0)
        warn("bridge_volume", "has no effect without surface_tension", "m^3",
             "water has surface_tension = 0.072");
    }
}

}  // namespace

void check_purpose(const Section& top, Reading& reading) {
  look_for_steps(top, reading);
  look_at_the_domain(top, reading);
  look_at_gravity(top, reading);
  look_at_liquids(top, reading);
}

}  // namespace scree::io
