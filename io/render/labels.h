// What is written over a picture, and the picture as a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/render/picture.h"

namespace scree::io {

/// A colour bar. Nothing is drawn if `title` is empty.
struct ColourBar {
  std::string title;  // "speed, m/s"
  std::string map;    // name of its colour map
  double low = 0.0, high = 1.0;
  bool logarithmic = false;                  // low is above 0 then
  std::vector<std::string> categories = {};  // instead: a patch of its colour and a name for each
};

struct Labels {
  std::string caption;  // upper left
  std::string time;     // below it
  ColourBar bar;
};

/// Round numbers between low and high, about `wanted` of them; `low` alone if there is nothing between.
std::vector<double> tick_values(double low, double high, int wanted);

/// Powers of ten, twos and fives between them where they are few; low must be above 0.
std::vector<double> logarithmic_ticks(double low, double high);

/// Width that the colour bar takes at the right edge, of a picture of this height, pixels.
double bar_width(int height);

/// Draws over the picture, in a size that goes with its height. Needs a font (Debian: fonts-dejavu-core).
void draw_labels(Picture& picture, const Labels& labels);

/// Throws WriteError.
void write_png(const std::filesystem::path& path, Picture& picture);

}  // namespace scree::io
