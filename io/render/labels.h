// Labels of a picture, and the picture as a file.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"
#include "io/render/picture.h"

namespace scree::io {

/// A colour bar. Nothing is drawn if `title` is empty.
struct ColourBar {
  std::string title;  // "speed, m/s"
  std::string map;    // name of its colour map
  double low = 0.0, high = 1.0;
  bool logarithmic = false;                  // low is above 0 then
  std::vector<std::string> categories = {};  // instead: a patch of its colour and a name for each,
  std::vector<std::size_t> shown = {};       // or for some of them, by their numbers
};

/// Marks that describe the camera of a picture.
struct CameraMarks {
  double metres_a_pixel = 0.0;      // in the middle of what is seen: a scale bar; 0: none
  std::array<Vec2, 3> axis{};       // where x, y and z point in the picture, right and up, at most 1
  std::array<double, 3> towards{};  // the eye, of each
};

struct Labels {
  std::string caption;  // on the left above the scene
  std::string time;     // on the right above it
  ColourBar bar;
  std::optional<CameraMarks> marks = {};
};

/// Where the parts of a labelled picture stand: caption and time above the scene, the colour bar, the scale
/// bar and the axes on its right. Nothing overlaps.
struct Layout {
  double size = 12.0;  // pixels, of letters
  int caption_lines = 1;
  Viewport scene;
};
Layout layout_of(int width, int height, const Labels& labels);

/// A round length of at most `most` metres, 1, 2 or 5 times a power of ten, and how it is written: "20 mm".
struct RoundLength {
  double metres = 0.0;
  std::string text;
};
RoundLength round_length(double most);

/// Round numbers between low and high, about `wanted` of them; `low` alone if there is nothing between.
std::vector<double> tick_values(double low, double high, int wanted);

/// Powers of ten, twos and fives between them where they are few; low must be above 0.
std::vector<double> logarithmic_ticks(double low, double high);

/// Draws beside the picture's scene, as layout_of() has it. Needs a font (Debian: fonts-dejavu-core).
void draw_labels(Picture& picture, const Labels& labels, const Layout& layout);

/// Throws WriteError.
void write_png(const std::filesystem::path& path, Picture& picture);

}  // namespace scree::io
