#include "engine/modules/fields/mean_fields.h"

#include <algorithm>
#include <cassert>

namespace scree {

void MeanFields::add(const CoarseFields& fields, bool has_contacts) {
  const std::size_t cells = fields.density.size();
  if (moments_ == 0) {
    sums_.density.assign(cells, 0.0);
    sums_.solid_fraction.assign(cells, 0.0);
    sums_.velocity.assign(cells, Vec3::Zero());
    sums_.kinetic_stress.assign(cells, Mat3::Zero());
    sums_.contact_stress.assign(cells, Mat3::Zero());
    squares_.assign(cells, 0.0);
  }
  assert(cells == squares_.size());
  ++moments_;
  if (has_contacts) ++with_contacts_;
  for (std::size_t c = 0; c < cells; ++c) {
    const double density = fields.density[c];
    sums_.density[c] += density;
    sums_.solid_fraction[c] += fields.solid_fraction[c];
    sums_.velocity[c] += density * fields.velocity[c];
    sums_.kinetic_stress[c] += fields.kinetic_stress[c];
    if (has_contacts) sums_.contact_stress[c] += fields.contact_stress[c];
    squares_[c] += density * (3.0 * fields.temperature[c] + fields.velocity[c].squaredNorm());
  }
}

CoarseFields MeanFields::mean() const {
  CoarseFields mean = sums_;
  const auto n = static_cast<double>(moments_),
             contacts = static_cast<double>(std::max<std::size_t>(1, with_contacts_));
  mean.temperature.assign(squares_.size(), 0.0);
  for (std::size_t c = 0; c < squares_.size(); ++c) {
    const double density = sums_.density[c];
    if (density > 0.0) {
      mean.velocity[c] /= density;
      mean.temperature[c] = (squares_[c] / density - mean.velocity[c].squaredNorm()) / 3.0;
    }
    mean.density[c] /= n;
    mean.solid_fraction[c] /= n;
    mean.kinetic_stress[c] /= n;
    mean.contact_stress[c] /= contacts;
  }
  return mean;
}

}  // namespace scree
