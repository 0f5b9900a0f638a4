#include "engine/modules/integration/hermite.h"

#include <cassert>

#include "engine/modules/integration/brent.h"

namespace scree {

double Hermite::crossing() const {
  assert(begin == 0.0 || end == 0.0 || (begin < 0.0) != (end < 0.0));
  if (end == 0.0 && begin != 0.0) return 1.0;  // where the cubic is zero except for rounding
  return brent_root(polynomial(), 0.0, 1.0, 1e-15);
}

double Hermite::crossing_after_begin() const {
  assert(begin == 0.0 && (begin_slope < 0.0) != (end < 0.0));
  const double c2 = 3.0 * end - 2.0 * begin_slope - end_slope, c3 = begin_slope + end_slope - 2.0 * end;
  const auto over_theta = [&](double theta) { return begin_slope + theta * (c2 + theta * c3); };
  return brent_root(over_theta, 0.0, 1.0, 1e-15);
}

}  // namespace scree
