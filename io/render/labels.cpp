#include "io/render/labels.h"

#include <algorithm>
#include <array>
#include <cairo/cairo.h>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "io/files/file_errors.h"
#include "io/render/cairo_surface.h"

namespace scree::io {

namespace {

constexpr double ink = 0.12;            // grey of the letters
constexpr double letter_share = 0.025;  // height of letters over that of the picture
constexpr double least_letters =
    12.0;  // pixels, that can be read; smaller only in pictures that have no room
constexpr double widest_column = 0.36;  // of the picture, that the labels on the right may take
constexpr double column_gap = 0.7;      // of the size of letters: free beside the column
constexpr double tick_letters = 0.9;    // size of numbers against other letters

void write(cairo_t* context, double x, double y, const std::string& text) {
  cairo_set_source_rgb(context, ink, ink, ink);
  cairo_move_to(context, x, y);
  cairo_show_text(context, text.c_str());
}

double text_width(cairo_t* context, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(context, text.c_str(), &extents);
  return extents.x_advance;
}

/// As much of the text as has room, with an ellipsis if that is not all.
std::string fitted(cairo_t* context, std::string text, double room) {
  if (text_width(context, text) <= room) return text;
  const auto is_inner = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; };
  while (!text.empty() && text_width(context, text + "\u2026") > room) {
    while (is_inner(text.back())) text.pop_back();
    text.pop_back();
  }
  return text + "\u2026";
}

void draw_frame(cairo_t* context, double left, double top, double width, double height) {
  cairo_set_source_rgb(context, ink, ink, ink);
  cairo_set_line_width(context, 1.0);
  cairo_rectangle(context, left, top, width, height);
  cairo_stroke(context);
}

/// "speed, m/s" on two lines, longer names on more.
std::vector<std::string> title_lines(cairo_t* context, const std::string& title, double room) {
  std::vector<std::string> lines;
  std::string line;
  const auto put = [&] {
    if (!line.empty()) lines.push_back(line);
    line.clear();
  };
  std::size_t at = 0;
  while (at < title.size()) {
    const std::size_t end = std::min(title.find(' ', at), title.size());
    const std::string word = title.substr(at, end - at);
    if (!line.empty() && text_width(context, line + " " + word) > room) put();
    line += (line.empty() ? "" : " ") + word;
    if (word.ends_with(',')) {
      line.pop_back();
      put();
    }
    at = end + 1;
  }
  put();
  for (std::string& l : lines) l = fitted(context, l, room);
  return lines;
}

/// Where a value lies between the ends of the bar, 0 to 1.
double place_on(const ColourBar& bar, double value) {
  if (!(bar.high > bar.low)) return 0.5;
  return bar.logarithmic ? std::log(value / bar.low) / std::log(bar.high / bar.low)
                         : (value - bar.low) / (bar.high - bar.low);
}

std::vector<double> ticks_of(const ColourBar& bar) {
  return bar.logarithmic ? logarithmic_ticks(bar.low, bar.high) : tick_values(bar.low, bar.high, 6);
}

/// Numbers of the categories that the bar names.
std::vector<std::size_t> shown_of(const ColourBar& bar) {
  std::vector<std::size_t> list = bar.shown;
  for (std::size_t k = 0; bar.shown.empty() && k < bar.categories.size(); ++k) list.push_back(k);
  return list;
}

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

/// The column on the right of the scene, from top to bottom.
class Column {
 public:
  Column(cairo_t* context, const Picture& picture, const Layout& layout)
      : context_(context),
        size_(layout.size),
        left_(layout.scene.left + layout.scene.width + column_gap * layout.size),
        right_(picture.width - 0.5 * layout.size),
        top_(layout.scene.top + 0.6 * layout.size),
        bottom_(picture.height - 0.5 * layout.size) {}

  void draw(const Labels& labels) {
    if (labels.marks) {
      draw_axes(*labels.marks);
      if (labels.marks->metres_a_pixel > 0.0) draw_length(labels.marks->metres_a_pixel);
    }
    if (labels.bar.title.empty()) return;
    cairo_set_font_size(context_, size_);
    for (const std::string& line : title_lines(context_, labels.bar.title, right_ - left_)) {
      top_ += size_;
      write(context_, left_, top_, line);
      top_ += 0.25 * size_;
    }
    top_ += 0.5 * size_;
    cairo_set_font_size(context_, tick_letters * size_);
    labels.bar.categories.empty() ? draw_scale(labels.bar) : draw_categories(labels.bar);
  }

 private:
  void draw_categories(const ColourBar& bar) {
    const double patch = 0.9 * size_;
    for (const std::size_t k : shown_of(bar)) {
      if (top_ + patch > bottom_) break;
      const Colour colour = category_colour(k);
      cairo_set_source_rgb(context_, colour[0], colour[1], colour[2]);
      cairo_rectangle(context_, left_, top_, patch, patch);
      cairo_fill(context_);
      draw_frame(context_, left_, top_, patch, patch);
      write(context_, left_ + 1.4 * size_, top_ + 0.85 * patch,
            fitted(context_, bar.categories[k], right_ - left_ - 1.4 * size_));
      top_ += 1.4 * size_;
    }
  }

  void draw_scale(const ColourBar& bar) {
    const ColourMap map(bar.map);
    const double width = 0.9 * size_, height = std::clamp(bottom_ - top_ - size_, 0.0,
                                                          std::max(12.0 * size_, 0.4 * (bottom_ - top_)));
    const int bands = static_cast<int>(height);
    if (bands < 1) return;
    for (int k = 0; k < bands; ++k) {
      const Colour colour = map(1.0f - (static_cast<float>(k) + 0.5f) / static_cast<float>(bands));
      cairo_set_source_rgb(context_, colour[0], colour[1], colour[2]);
      cairo_rectangle(context_, left_, top_ + height * k / bands, width, height / bands + 0.5);
      cairo_fill(context_);
    }
    draw_frame(context_, left_, top_, width, height);
    double last = infinity;
    for (const double value : ticks_of(bar)) {
      const double y = top_ + height * (1.0 - place_on(bar, value));
      if (std::abs(last - y) < 1.1 * size_) continue;
      last = y;
      cairo_move_to(context_, left_ + width, y);
      cairo_line_to(context_, left_ + 1.3 * width, y);
      cairo_set_source_rgb(context_, ink, ink, ink);
      cairo_set_line_width(context_, 1.0);
      cairo_stroke(context_);
      write(context_, left_ + 1.6 * width, y + 0.35 * size_, number_text(value));
    }
  }

  /// Three arrows without heads, those that point away from the eye first.
  void draw_axes(const CameraMarks& marks) {
    const std::array<Colour, 3> colours{Colour(0.78f, 0.16f, 0.16f), Colour(0.13f, 0.50f, 0.20f),
                                        Colour(0.13f, 0.33f, 0.75f)};
    const std::array<const char*, 3> names{"x", "y", "z"};
    const double arm = 1.7 * size_, x = left_ + arm + 0.9 * size_, y = bottom_ - arm - 0.9 * size_;
    std::array<int, 3> order{0, 1, 2};
    std::ranges::sort(order, [&](int a, int b) { return marks.towards[a] < marks.towards[b]; });
    cairo_set_font_size(context_, 0.95 * size_);
    cairo_set_line_cap(context_, CAIRO_LINE_CAP_ROUND);
    for (const int k : order) {
      const Vec2 end = arm * marks.axis[k];
      cairo_set_source_rgb(context_, colours[k][0], colours[k][1], colours[k][2]);
      cairo_set_line_width(context_, 0.14 * size_);
      cairo_move_to(context_, x, y);
      cairo_line_to(context_, x + end.x(), y - end.y());
      cairo_stroke(context_);
      if (end.norm() < 0.3 * arm) continue;  // it points at the eye, or away: no room for its letter
      const Vec2 at = end + 0.6 * size_ * end.normalized();
      cairo_move_to(context_, x + at.x() - 0.5 * text_width(context_, names[k]), y - at.y() + 0.3 * size_);
      cairo_show_text(context_, names[k]);
    }
    bottom_ = y - arm - 1.4 * size_;
  }

  void draw_length(double metres_a_pixel) {
    const RoundLength length = round_length(metres_a_pixel * (right_ - left_ - 0.5 * size_));
    const double pixels = length.metres / metres_a_pixel, tick = 0.3 * size_;
    cairo_set_source_rgb(context_, ink, ink, ink);
    cairo_set_line_width(context_, std::max(1.0, 0.1 * size_));
    cairo_set_line_cap(context_, CAIRO_LINE_CAP_BUTT);
    cairo_move_to(context_, left_, bottom_ - tick);
    cairo_line_to(context_, left_, bottom_);
    cairo_line_to(context_, left_ + pixels, bottom_);
    cairo_line_to(context_, left_ + pixels, bottom_ - tick);
    cairo_stroke(context_);
    cairo_set_font_size(context_, size_);
    write(context_, left_, bottom_ - 0.6 * size_, length.text);
    bottom_ -= 2.4 * size_;
  }

  cairo_t* context_;
  double size_, left_, right_, top_, bottom_;  // pixels; of letters, and what is free
};

CairoContext context_of(const CairoSurface& surface) {
  CairoContext context(cairo_create(surface.get()));
  cairo_select_font_face(context.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  return context;
}

double caption_gap(double size) { return 2.0 * size; }

}  // namespace

std::vector<double> tick_values(double low, double high, int wanted) {
  if (!(high > low)) return {low};
  const double raw = (high - low) / wanted, decade = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * decade;
  for (const double round : {5.0, 2.0, 1.0}) {
    if (round * decade >= raw) step = round * decade;
  }
  std::vector<double> values;
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i < wanted + 2; ++i) {  // rounding may take more if the numbers lie very close together
    const double k = first + i;
    if (!(k * step <= high + 1e-9 * step)) break;
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

RoundLength round_length(double most) {
  if (!(most > 0.0) || !std::isfinite(most)) return {};
  const double decade = std::pow(10.0, std::floor(std::log10(most) + 1e-9));
  double length = decade;
  for (const double factor : {2.0, 5.0})
    if (factor * decade <= most * (1.0 + 1e-9)) length = factor * decade;
  struct Unit {
    double metres;
    const char* name;
  };
  constexpr std::array<Unit, 5> units{
      {{1e3, "km"}, {1.0, "m"}, {1e-3, "mm"}, {1e-6, "\u00b5m"}, {1e-9, "nm"}}};
  for (const Unit& unit : units) {
    const double value = length / unit.metres;
    if (value > 0.45 || unit.metres == units.back().metres)
      return {length, fmt::format("{:.6g} {}", value, unit.name)};
  }
  return {};
}

Layout layout_of(int width, int height, const Labels& labels) {
  Picture none(1, 1);
  const CairoSurface surface = surface_of(none);
  const CairoContext context = context_of(surface);
  Layout layout;
  layout.size = std::max(letter_share * height, std::min(least_letters, height / 15.0));
  const double size = layout.size, most = widest_column * width;
  cairo_set_font_size(context.get(), size);
  const double line = text_width(context.get(), labels.caption) + text_width(context.get(), labels.time);
  layout.caption_lines = line + caption_gap(size) + size > width ? 2 : 1;
  double column = labels.marks ? 6.0 * size : 0.0;
  if (!labels.bar.title.empty()) {
    for (const std::string& l : title_lines(context.get(), labels.bar.title, std::min(most, 9.0 * size)))
      column = std::max(column, text_width(context.get(), l));
    cairo_set_font_size(context.get(), tick_letters * size);
    for (const std::size_t k : shown_of(labels.bar))
      column = std::max(column, 1.4 * size + text_width(context.get(), labels.bar.categories[k]));
    if (labels.bar.categories.empty())
      for (const double value : ticks_of(labels.bar))
        column = std::max(column, 1.5 * size + text_width(context.get(), number_text(value)));
  }
  if (column > 0.0) column = std::min(most, column + (column_gap + 0.5) * size);
  layout.scene.top = static_cast<int>(std::ceil((0.5 + 1.3 * layout.caption_lines) * size));
  layout.scene.width = std::max(1, width - static_cast<int>(std::ceil(column)));
  layout.scene.height = std::max(1, height - layout.scene.top);
  return layout;
}

void draw_labels(Picture& picture, const Labels& labels, const Layout& layout) {
  const CairoSurface surface = surface_of(picture);
  const CairoContext context = context_of(surface);
  const double size = layout.size, edge = 0.5 * size;
  cairo_set_font_size(context.get(), size);
  write(context.get(), edge, 1.3 * size, fitted(context.get(), labels.caption, picture.width - 2.0 * edge));
  const bool below = layout.caption_lines > 1;
  write(context.get(), below ? edge : picture.width - edge - text_width(context.get(), labels.time),
        (below ? 2.6 : 1.3) * size, labels.time);
  Column(context.get(), picture, layout).draw(labels);
}

void write_png(const std::filesystem::path& path, Picture& picture) {
  const CairoSurface surface = surface_of(picture);
  const cairo_status_t status = cairo_surface_write_to_png(surface.get(), path.c_str());
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw WriteError(fmt::format("cannot write {}: {}", path.string(), cairo_status_to_string(status)));
}

}  // namespace scree::io
