// Gravity as a function of time, force fields, and the fluid.
#include <algorithm>

#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

std::optional<VectorField> read_field(const Section& section, std::string_view key, Reading& reading) {
  const auto formulas = read_formulas(section, key, FormulaOf::place, reading);
  if (!formulas) return std::nullopt;
  return [f = *formulas](const Vec3& x, double t) {
    const std::array at{t, x.x(), x.y(), x.z()};
    return Vec3(f[0](at), f[1](at), f[2](at));
  };
}

ForceField force_field(const std::array<Formula, 3>& formulas) {
  ForceField field;
  field.at = [f = formulas](const Vec3& x, const Vec3& v, double t) {
    const std::array at{t, x.x(), x.y(), x.z(), v.x(), v.y(), v.z()};
    return Vec3(f[0](at), f[1](at), f[2](at));
  };
  constexpr std::array<std::size_t, 3> velocity{4, 5, 6};
  field.of_velocity = std::ranges::any_of(formulas, [&](const Formula& f) {
    return std::ranges::any_of(velocity, [&](std::size_t k) { return f.uses(k); });
  });
  return field;
}

}  // namespace

void read_forces(const Section& top, Reading& reading) {
  Model& model = reading.scene.model;
  if (top.has("gravity_function")) {
    if (top.has("gravity"))
      reading.faults.push_back(fault_at(top.given("gravity_function"), "gravity_function",
                                        "cannot be combined with gravity; remove one of them"));
    if (const auto formulas = read_formulas(top, "gravity_function", FormulaOf::time, reading)) {
      model.forces.gravity = [f = *formulas](double t) {
        const std::array at{t};
        return Vec3(f[0](at), f[1](at), f[2](at));
      };
      model.settings.gravity = model.forces.gravity(0.0);
    }
  }
  for (const Section& section : elements(top, "fields")) {
    if (!section.has("force")) continue;
    if (const auto formulas = read_formulas(section, "force", FormulaOf::field, reading))
      model.forces.fields.push_back(force_field(*formulas));
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
