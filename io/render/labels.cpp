#include "io/render/labels.h"

#include <cairo/cairo.h>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "io/files/file_errors.h"

namespace scree::io {

namespace {

struct Release {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Release>;
using Context = std::unique_ptr<cairo_t, Release>;

/// The picture's own memory, seen by cairo.
Surface surface_of(Picture& picture) {
  return Surface(cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(picture.pixel.data()),
                                                     CAIRO_FORMAT_RGB24, picture.width, picture.height,
                                                     4 * picture.width));
}

constexpr double ink = 0.12;       // grey of the letters
constexpr double line = 1.0 / 36;  // height of a line of text over that of the picture

void write(cairo_t* context, double x, double y, const std::string& text) {
  // A pale rim keeps letters readable in front of anything.
  cairo_move_to(context, x, y);
  cairo_text_path(context, text.c_str());
  cairo_set_source_rgba(context, 1.0, 1.0, 1.0, 0.8);
  cairo_set_line_width(context, 3.0);
  cairo_stroke_preserve(context);
  cairo_set_source_rgb(context, ink, ink, ink);
  cairo_fill(context);
}

double text_width(cairo_t* context, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(context, text.c_str(), &extents);
  return extents.x_advance;
}

/// At the right edge, half the picture high.
void draw_bar(cairo_t* context, const Picture& picture, const ColourBar& bar) {
  const double size = line * picture.height, height = 0.5 * picture.height, width = 0.8 * size;
  const double top = 0.5 * (picture.height - height) + size, left = picture.width - bar_width(picture.height);
  const ColourMap map(bar.map);
  const int bands = static_cast<int>(height);
  for (int k = 0; k < bands; ++k) {
    const Colour colour = map(1.0f - (static_cast<float>(k) + 0.5f) / static_cast<float>(bands));
    cairo_set_source_rgb(context, colour[0], colour[1], colour[2]);
    cairo_rectangle(context, left, top + height * k / bands, width, height / bands + 0.5);
    cairo_fill(context);
  }
  cairo_set_source_rgb(context, ink, ink, ink);
  cairo_set_line_width(context, 1.0);
  cairo_rectangle(context, left, top, width, height);
  cairo_stroke(context);
  const double span = bar.high - bar.low;
  for (const double value : tick_values(bar.low, bar.high, 6)) {
    const double y = top + height * (span > 0.0 ? (bar.high - value) / span : 0.5);
    cairo_move_to(context, left + width, y);
    cairo_line_to(context, left + 1.3 * width, y);
    cairo_set_source_rgb(context, ink, ink, ink);
    cairo_set_line_width(context, 1.0);
    cairo_stroke(context);
    write(context, left + 1.6 * width, y + 0.33 * size, fmt::format("{:.6g}", value));
  }
  const double title = text_width(context, bar.title);
  const double right = picture.width - 0.8 * size;
  write(context, std::min(left, right - title), top - 0.8 * size, bar.title);
}

}  // namespace

std::vector<double> tick_values(double low, double high, int wanted) {
  if (!(high > low)) return {low};
  const double raw = (high - low) / wanted, decade = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * decade;
  for (const double round : {5.0, 2.0, 1.0}) {
    if (round * decade >= raw) step = round * decade;
  }
  std::vector<double> values;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0) {
    values.push_back(k == 0.0 ? 0.0 : k * step);
  }
  return values;
}

double bar_width(int height) { return 5.2 * line * height; }

void draw_labels(Picture& picture, const Labels& labels) {
  const Surface surface = surface_of(picture);
  const Context context(cairo_create(surface.get()));
  const double size = line * picture.height;
  cairo_select_font_face(context.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context.get(), size);
  write(context.get(), size, 1.8 * size, labels.caption);
  write(context.get(), size, 3.2 * size, labels.time);
  cairo_set_font_size(context.get(), 0.85 * size);
  if (!labels.bar.title.empty()) draw_bar(context.get(), picture, labels.bar);
}

void write_png(const std::filesystem::path& path, Picture& picture) {
  const Surface surface = surface_of(picture);
  const cairo_status_t status = cairo_surface_write_to_png(surface.get(), path.c_str());
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw WriteError(fmt::format("cannot write {}: {}", path.string(), cairo_status_to_string(status)));
}

}  // namespace scree::io
