// Numbers to colours.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string_view>

namespace scree::io {

/// sRGB as screens take it, each in [0, 1].
using Colour = Eigen::Vector3f;

/// A perceptually uniform map from [0, 1] to colours.
class ColourMap {
 public:
  /// `name` must be one of names().
  explicit ColourMap(std::string_view name);
  Colour operator()(float x) const;  // x beyond [0, 1] or not finite: the nearer end, or the low one

  static std::span<const std::string_view> names();

 private:
  std::string_view table_;
  float first_ = 0.0f;
};

/// What bodies are coloured by unless something else is asked for, in pictures, pages and ParaView.
inline constexpr std::string_view default_map = "scree";

/// Of things without an order: distinct for eight, then over again.
Colour category_colour(std::size_t k);

/// Screen values to light, per channel, and back (sRGB's power law, IEC 61966-2-1).
Colour to_linear(const Colour& screen);
Colour to_screen(const Colour& linear);

}  // namespace scree::io
