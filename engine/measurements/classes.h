// Classes of bodies that a measurement distinguishes.
#pragma once

#include <string>
#include <vector>

#include "engine/measurements/moment.h"

namespace scree {

struct Classes {
  enum class By : std::uint8_t { none, material, size };
  By by = By::none;
  std::vector<std::string> materials;  // [material] names
  std::vector<double> sizes;           // m, diameters() at the limits between classes, ascending

  /// Names for columns: one empty name if there are no classes; names of materials; or for sizes
  /// "below_0.004", "0.004_to_0.006", "above_0.006".
  std::vector<std::string> names() const;
  std::size_t of(const MeasuredMoment& moment, std::size_t body) const;
};

}  // namespace scree
