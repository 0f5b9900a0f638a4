// Fields averaged over time.
#pragma once

#include "engine/modules/fields/coarse_graining.h"

namespace scree {

/// The mean of fields of several moments on grids with the same cells. Density, solid fraction and stress are
/// averaged over time, the velocity by mass. The temperature is about that mean velocity and includes the
/// changes of the local velocity in time.
class MeanFields {
 public:
  /// Precondition: as many cells as before. `has_contacts`: false if contacts at this moment are not known; its
  /// contact stress does not count then.
  void add(const CoarseFields& fields, bool has_contacts = true);
  std::size_t moments() const { return moments_; }
  CoarseFields mean() const;

 private:
  std::size_t moments_ = 0, with_contacts_ = 0;
  CoarseFields sums_;            // velocity: sum of density times velocity
  std::vector<double> squares_;  // density times (3 temperature + velocity^2)
};

}  // namespace scree
