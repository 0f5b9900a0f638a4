#include "engine/bodies/materials.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace scree {

PairLaw mixed_law(const PairLaw& a, const PairLaw& b) {
  const auto mean = [](double x, double y) { return std::sqrt(x * y); };
  return {.friction = mean(a.friction, b.friction),
          .torsional_friction_m = mean(a.torsional_friction_m, b.torsional_friction_m),
          .rolling_friction_m = mean(a.rolling_friction_m, b.rolling_friction_m),
          .restitution = std::min(a.restitution, b.restitution)};
}

MaterialIndex Materials::add(std::string name, double density) {
  const std::size_t n = size();
  std::vector<PairLaw> grown((n + 1) * (n + 1));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) grown[a * (n + 1) + b] = laws_[a * n + b];
  }
  laws_ = std::move(grown);
  names_.push_back(std::move(name));
  densities_.push_back(density);
  surfaces_.emplace_back();
  return MaterialIndex(static_cast<std::int64_t>(n));
}

void Materials::set_law(MaterialIndex a, MaterialIndex b, const PairLaw& law) {
  assert(a < size() && b < size());
  laws_[a * size() + b] = law;
  laws_[b * size() + a] = law;
}

bool Materials::has_surfaces() const {
  return std::any_of(surfaces_.begin(), surfaces_.end(),
                     [](const Surface& s) { return !s.is_isotropic() || !s.patches.empty(); });
}

void Materials::set_surface(MaterialIndex m, Surface surface) { surfaces_[m] = std::move(surface); }

}  // namespace scree
