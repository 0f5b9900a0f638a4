// The cost of a contact of a shape relative to that of an ellipsoid, on this machine, now.
#pragma once

#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

/// Wall time per pair, microseconds: for two bodies of the shape, and for two ellipsoids of its principal
/// moments.
struct ContactCost {
  double searched_us = 0.0, remembered_us = 0.0;  // without and with the memory of the step before
  double ellipsoid_searched_us = 0.0, ellipsoid_remembered_us = 0.0;
  double contacts = 0.0;  // per pair, mean
};

/// For some random pairs that touch. The pairs are always the same; the times are this machine's.
ContactCost contact_cost(const ImplicitShape& shape);

}  // namespace scree
