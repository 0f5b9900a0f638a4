#include "engine/bodies/materials.h"

#include <cassert>

namespace scree {

MaterialIndex Materials::add(std::string name, double density) {
  const std::size_t n = size();
  std::vector<PairLaw> grown((n + 1) * (n + 1));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) grown[a * (n + 1) + b] = laws_[a * n + b];
  }
  laws_ = std::move(grown);
  names_.push_back(std::move(name));
  densities_.push_back(density);
  return MaterialIndex(static_cast<std::int64_t>(n));
}

void Materials::set_law(MaterialIndex a, MaterialIndex b, const PairLaw& law) {
  assert(a < size() && b < size());
  laws_[a * size() + b] = law;
  laws_[b * size() + a] = law;
}

}  // namespace scree
