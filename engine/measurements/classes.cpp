#include "engine/measurements/classes.h"

#include <algorithm>
#include <charconv>

namespace scree {

namespace {

/// The shortest text that reads back as the same number.
std::string text(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}

}  // namespace

std::vector<std::string> Classes::names() const {
  if (by == By::none) return {""};
  if (by == By::material) return materials;
  std::vector<std::string> list{"below_" + text(sizes.front())};
  for (std::size_t k = 1; k < sizes.size(); ++k) list.push_back(text(sizes[k - 1]) + "_to_" + text(sizes[k]));
  list.push_back("above_" + text(sizes.back()));
  return list;
}

std::size_t Classes::of(const MeasuredMoment& moment, std::size_t body) const {
  if (by == By::none) return 0;
  if (by == By::material) return moment.bodies.material[body];
  const double d = diameter(moment.shapes, moment.bodies.shape[body]);
  return static_cast<std::size_t>(std::ranges::upper_bound(sizes, d) - sizes.begin());
}

}  // namespace scree
