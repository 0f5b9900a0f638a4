// Gravity that changes, fields of force, and the fluid.
#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

std::optional<VectorField> read_field(const Section& section, std::string_view key, Reading& reading) {
  const auto formulas = read_formulas(section, key, true, reading);
  if (!formulas) return std::nullopt;
  return [f = *formulas](const Vec3& x, double t) {
    const std::array at{t, x.x(), x.y(), x.z()};
    return Vec3(f[0](at), f[1](at), f[2](at));
  };
}

}  // namespace

void read_forces(const Section& top, Reading& reading) {
  Model& model = reading.scene.model;
  if (top.has("gravity_function")) {
    if (top.has("gravity"))
      reading.faults.push_back(fault_at(top.given("gravity_function"), "gravity_function",
                                        "stands beside gravity: give one of them"));
    if (const auto formulas = read_formulas(top, "gravity_function", false, reading)) {
      model.forces.gravity = [f = *formulas](double t) {
        const std::array at{t};
        return Vec3(f[0](at), f[1](at), f[2](at));
      };
      model.settings.gravity = model.forces.gravity(0.0);
    }
  }
  for (const Section& section : elements(top, "fields")) {
    if (!section.has("force")) continue;
    if (const auto field = read_field(section, "force", reading)) model.forces.fields.push_back(*field);
  }
  if (!top.has("fluid")) return;
  const Section section = top.child("fluid");
  Fluid fluid = settings_of<Fluid>(section);
  if (section.has("velocity")) {
    if (const auto velocity = read_field(section, "velocity", reading)) fluid.velocity = *velocity;
  }
  model.forces.fluid = fluid;
}

}  // namespace scree::io
