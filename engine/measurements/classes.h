// Kinds of bodies that a measurement tells apart.
#pragma once

#include <string>
#include <vector>

#include "engine/measurements/moment.h"

namespace scree {

struct Classes {
  enum class By : std::uint8_t { none, material, size };
  By by = By::none;
  std::vector<std::string> materials;  // names, by their numbers
  std::vector<double> sizes;           // m, diameters() where one class ends and the next begins, rising

  /// Of columns: of none one empty name, of a material its name, of sizes "below_0.004", "0.004_to_0.006",
  /// "above_0.006".
  std::vector<std::string> names() const;
  std::size_t of(const MeasuredMoment& moment, std::size_t body) const;
};

}  // namespace scree
