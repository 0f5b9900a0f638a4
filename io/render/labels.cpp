#include "io/render/labels.h"

#include <algorithm>
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

/// Behind letters, so that bodies there do not disturb them.
void draw_plate(cairo_t* context, double left, double top, double width, double height) {
  cairo_set_source_rgba(context, 1.0, 1.0, 1.0, 0.75);
  cairo_rectangle(context, left, top, width, height);
  cairo_fill(context);
}

void draw_frame(cairo_t* context, double left, double top, double width, double height) {
  cairo_set_source_rgb(context, ink, ink, ink);
  cairo_set_line_width(context, 1.0);
  cairo_rectangle(context, left, top, width, height);
  cairo_stroke(context);
}

void draw_categories(cairo_t* context, double left, double top, double size, const ColourBar& bar) {
  for (std::size_t k = 0; k < bar.categories.size(); ++k) {
    const double y = top + 1.5 * size * static_cast<double>(k);
    const Colour colour = category_colour(k);
    cairo_set_source_rgb(context, colour[0], colour[1], colour[2]);
    cairo_rectangle(context, left, y, size, size);
    cairo_fill(context);
    draw_frame(context, left, y, size, size);
    write(context, left + 1.5 * size, y + 0.85 * size, bar.categories[k]);
  }
}

/// Where a value lies between the ends of the bar, 0 to 1.
double place_on(const ColourBar& bar, double value) {
  if (!(bar.high > bar.low)) return 0.5;
  return bar.logarithmic ? std::log(value / bar.low) / std::log(bar.high / bar.low)
                         : (value - bar.low) / (bar.high - bar.low);
}

void draw_scale(cairo_t* context, double left, double top, double width, double height,
                const ColourBar& bar) {
  const ColourMap map(bar.map);
  const int bands = static_cast<int>(height);
  for (int k = 0; k < bands; ++k) {
    const Colour colour = map(1.0f - (static_cast<float>(k) + 0.5f) / static_cast<float>(bands));
    cairo_set_source_rgb(context, colour[0], colour[1], colour[2]);
    cairo_rectangle(context, left, top + height * k / bands, width, height / bands + 0.5);
    cairo_fill(context);
  }
  draw_frame(context, left, top, width, height);
  const auto ticks =
      bar.logarithmic ? logarithmic_ticks(bar.low, bar.high) : tick_values(bar.low, bar.high, 6);
  for (const double value : ticks) {
    const double y = top + height * (1.0 - place_on(bar, value));
    cairo_move_to(context, left + width, y);
    cairo_line_to(context, left + 1.3 * width, y);
    cairo_set_source_rgb(context, ink, ink, ink);
    cairo_set_line_width(context, 1.0);
    cairo_stroke(context);
    write(context, left + 1.6 * width, y + 0.4 * width, fmt::format("{:.6g}", value));
  }
}

/// At the right edge, half the picture high.
void draw_bar(cairo_t* context, const Picture& picture, const ColourBar& bar) {
  const double size = line * picture.height, height = 0.5 * picture.height, width = 0.8 * size;
  const double top = 0.5 * (picture.height - height) + size;
  double room = bar_width(picture.height);
  for (const std::string& name : bar.categories)
    room = std::max(room, text_width(context, name) + 2.8 * size);
  const double left = picture.width - room, right = picture.width - 0.8 * size;
  const double title = std::min(left, right - text_width(context, bar.title));
  const double tall =
      bar.categories.empty() ? height : 1.35 * size * static_cast<double>(bar.categories.size());
  draw_plate(context, title - 0.4 * size, top - 1.8 * size, picture.width - title + 0.4 * size,
             tall + 2.4 * size);
  if (bar.categories.empty()) {
    draw_scale(context, left, top, width, height, bar);
  } else {
    draw_categories(context, left, top, 0.9 * size, bar);
  }
  write(context, title, top - 0.8 * size, bar.title);
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

std::vector<double> logarithmic_ticks(double low, double high) {
  std::vector<double> values;
  const bool few = high < 150.0 * low;
  for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high; decade *= 10.0) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * decade;
      if ((few || factor == 1.0) && value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9))
        values.push_back(value);
    }
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
  const double width =
      std::max(text_width(context.get(), labels.caption), text_width(context.get(), labels.time));
  draw_plate(context.get(), 0.6 * size, 0.7 * size, width + 0.8 * size, 3.0 * size);
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
