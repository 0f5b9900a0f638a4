#include "engine/bodies/materials.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace scree {

PairLaw mixed_law(const PairLaw& a, const PairLaw& b) {
  const auto mean = [](double x, double y) { return std::sqrt(x * y); };
  return {.friction = mean(a.friction, b.friction),
          .torsional_friction_m = mean(a.torsional_friction_m, b.torsional_friction_m),
          .rolling_friction_m = mean(a.rolling_friction_m, b.rolling_friction_m),
          .torsional_friction_ratio = mean(a.torsional_friction_ratio, b.torsional_friction_ratio),
          .rolling_friction_ratio = mean(a.rolling_friction_ratio, b.rolling_friction_ratio),
          .restitution = std::min(a.restitution, b.restitution),
          .cohesion = {.adhesion_energy = mean(a.cohesion.adhesion_energy, b.cohesion.adhesion_energy),
                       .surface_tension = mean(a.cohesion.surface_tension, b.cohesion.surface_tension),
                       .wetting_angle = 0.5 * (a.cohesion.wetting_angle + b.cohesion.wetting_angle),
                       .bridge_volume = mean(a.cohesion.bridge_volume, b.cohesion.bridge_volume)},
          .elasticity = mixed_elasticity(a.elasticity, b.elasticity)};
}

double Cohesion::rupture_distance() const {
  return surface_tension > 0.0 ? (1.0 + 0.5 * wetting_angle) * std::cbrt(bridge_volume) : 0.0;
}

double attraction(const Cohesion& c, double radius, double length, double gap) {
  constexpr double touching = 1e-3;  // over the length
  double force = gap <= touching * length ? 1.5 * std::numbers::pi * c.adhesion_energy * radius : 0.0;
  if (c.surface_tension > 0.0 && gap <= c.rupture_distance()) {
    const double d = std::max(0.0, gap);
    const double height = std::sqrt(d * d + c.bridge_volume / (std::numbers::pi * radius));
    force +=
        4.0 * std::numbers::pi * radius * c.surface_tension * std::cos(c.wetting_angle) * (1.0 - d / height);
  }
  return force;
}

MaterialIndex Materials::add(std::string name, double density) {
  const std::size_t n = size();
  laws_.resize(laws_.size() + n + 1);
  names_.push_back(std::move(name));
  densities_.push_back(density);
  surfaces_.emplace_back();
  wear_.emplace_back();
  return MaterialIndex(static_cast<std::int64_t>(n));
}

void Materials::set_law(MaterialIndex a, MaterialIndex b, const PairLaw& law) {
  assert(a < size() && b < size());
  PairLaw& stored = laws_[place(a, b)] = law;
  stored.damping_ratio = law.elasticity.is_elastic() ? damping_ratio(law.restitution) : 0.0;
}

bool Materials::has_surfaces() const {
  return std::any_of(surfaces_.begin(), surfaces_.end(),
                     [](const Surface& s) { return !s.is_isotropic() || !s.patches.empty(); });
}

bool Materials::cohere() const {
  return std::ranges::any_of(laws_, [](const PairLaw& law) { return law.cohesion.acts(); });
}

bool Materials::are_elastic() const {
  return std::ranges::any_of(laws_, [](const PairLaw& law) { return law.elasticity.is_elastic(); });
}

double Materials::farthest_bridge() const {
  double farthest = 0.0;
  for (const PairLaw& law : laws_) farthest = std::max(farthest, law.cohesion.rupture_distance());
  return farthest;
}

void Materials::set_surface(MaterialIndex m, Surface surface) { surfaces_[m] = std::move(surface); }

}  // namespace scree
