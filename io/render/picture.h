// A picture in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "io/results/colour_map.h"

namespace scree::io {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixel;  // [row from the top, column] 0xffRRGGBB

  Picture(int w, int h)
      : width(w), height(h), pixel(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  std::uint32_t& at(int row, int column) {
    return pixel[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(column)];
  }
};

/// The part of a picture that shows the scene, pixels.
struct Viewport {
  int left = 0, top = 0, width = 0, height = 0;
};

inline std::uint32_t pack(const Colour& screen) {
  const auto channel = [](float x) {
    return static_cast<std::uint32_t>(std::lround(255.0f * (x > 0.0f ? std::min(x, 1.0f) : 0.0f)));
  };
  return 0xff000000u | channel(screen[0]) << 16 | channel(screen[1]) << 8 | channel(screen[2]);
}

}  // namespace scree::io
