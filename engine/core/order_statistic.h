// Order statistics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace scree {

/// The value with a share (0 to 1) of the others below it: 0 gives the least, 1 the greatest; `none` without
/// values. It is one of the values, not interpolated. Values must be finite.
template <class T>
T order_statistic(std::vector<T> values, double share, T none = {}) {
  if (values.empty()) return none;
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace scree
