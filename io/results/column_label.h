// Labels of columns for users.
#pragma once

#include <string>

namespace scree::io {

/// "mass flow, glass" and "kg/s" of "mass_flow_kg_s.glass"; the unit is empty if the name has none.
struct ColumnLabel {
  std::string quantity, unit;
  /// "mass flow (kg/s)"
  std::string text() const { return unit.empty() ? quantity : quantity + " (" + unit + ")"; }
};
ColumnLabel label_of(const std::string& column);

}  // namespace scree::io
