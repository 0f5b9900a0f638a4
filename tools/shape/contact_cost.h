// What a contact of a shape takes against one of an ellipsoid, on this machine, now.
#pragma once

#include "engine/geometry/implicit/implicit_shape.h"

namespace scree {

/// Wall time a pair, microseconds: of the shape with its like, and of two ellipsoids of its principal
/// moments.
struct ContactCost {
  double searched_us = 0.0, remembered_us = 0.0;  // without and with what the step before has left
  double ellipsoid_searched_us = 0.0, ellipsoid_remembered_us = 0.0;
  double contacts = 0.0;  // a pair, mean
};

/// Of some random pairs that touch. The same pairs every time; the times are this machine's.
ContactCost contact_cost(const ImplicitShape& shape);

}  // namespace scree
