// Fields over time.
#pragma once

#include "engine/modules/fields/coarse_graining.h"

namespace scree {

/// The mean of fields of several moments on grids of the same cells: of density, solid fraction and stress by
/// time, of the velocity by mass, and the temperature about that mean, with what the velocity of a place
/// changes in time.
class MeanFields {
 public:
  /// Precondition: as many cells as those before.
  void add(const CoarseFields& fields);
  std::size_t moments() const { return moments_; }
  CoarseFields mean() const;

 private:
  std::size_t moments_ = 0;
  CoarseFields sums_;            // velocity: of density times velocity
  std::vector<double> squares_;  // density times (3 temperature + velocity^2)
};

}  // namespace scree
