#include "io/results/column_label.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace scree::io {

namespace {

/// Ends of columns' names and their units, longer ones first.
constexpr std::pair<std::string_view, const char*> unit_endings[] = {{"_kg_m2_s", "kg m²/s"},
                                                                     {"_kg_m_s", "kg m/s"},
                                                                     {"_kg_m3", "kg/m³"},
                                                                     {"_m2_s2", "m²/s²"},
                                                                     {"_N_m_s", "N m s"},
                                                                     {"_rad_s", "rad/s"},
                                                                     {"_kg_s", "kg/s"},
                                                                     {"_N_s", "N s"},
                                                                     {"_N_m", "N m"},
                                                                     {"_m_s", "m/s"},
                                                                     {"_1_s", "1/s"},
                                                                     {"_deg", "°"},
                                                                     {"_m3", "m³"},
                                                                     {"_kg", "kg"},
                                                                     {"_Pa", "Pa"},
                                                                     {"_rad", "rad"},
                                                                     {"_N", "N"},
                                                                     {"_J", "J"},
                                                                     {"_W", "W"},
                                                                     {"_m", "m"},
                                                                     {"_s", "s"}};

}  // namespace

ColumnLabel label_of(const std::string& column) {
  const std::size_t dot = column.find('.');
  std::string name = column.substr(0, dot);
  std::string of = dot == std::string::npos ? "" : ", " + column.substr(dot + 1);
  ColumnLabel label;
  for (const auto& [ending, unit] : unit_endings) {
    if (!name.ends_with(ending) || name.size() == ending.size()) continue;
    name.resize(name.size() - ending.size());
    label.unit = unit;
    break;
  }
  std::ranges::replace(name, '_', ' ');
  std::ranges::replace(of, '_', ' ');
  label.quantity = name + of;
  return label;
}

}  // namespace scree::io
