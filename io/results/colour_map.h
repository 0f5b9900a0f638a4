// Colour maps.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string_view>

namespace scree::io {

/// sRGB for screens, each in [0, 1].
using Colour = Eigen::Vector3f;

/// A perceptually uniform map from [0, 1] to colours.
class ColourMap {
 public:
  /// `name` must be one of names().
  explicit ColourMap(std::string_view name);
  Colour operator()(float x) const;  // x outside of [0, 1] gives the nearer end, not finite the low one

  static std::span<const std::string_view> names();

 private:
  std::string_view table_;
  float first_ = 0.0f;
};

/// The default colour map of bodies, in images, pages and ParaView.
inline constexpr std::string_view default_map = "scree";

/// For categories without an order: eight distinct colours, then repeated.
Colour category_colour(std::size_t k);

/// Screen values to light, per channel, and back (sRGB's power law, IEC 61966-2-1).
Colour to_linear(const Colour& screen);
Colour to_screen(const Colour& linear);

}  // namespace scree::io
