#include <algorithm>
#include <cairo.h>
#include <memory>
#include <numbers>

#include "io/files/file_errors.h"
#include "tools/model/structure_view.h"

namespace scree {

namespace {

constexpr double margin = 24.0, title_height = 34.0, letter = 11.0, title_letter = 15.0;  // pixels
constexpr double largest_cell = 26.0, smallest_cell = 5.0, widest = 760.0, label_cell = 12.0;

struct Release {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

void fill(cairo_t* c, double x, double y, double width, double height, unsigned colour) {
  const auto channel = [&](int shift) { return static_cast<double>(colour >> shift & 0xffu) / 255.0; };
  cairo_set_source_rgb(c, channel(16), channel(8), channel(0));
  cairo_rectangle(c, x, y, width, height);
  cairo_fill(c);
}

constexpr unsigned ground = 0xf4f4f2, entry = 0x8fa3b8, matched = 0x0072b2, iterated = 0xd55e00,
                   shade = 0xfbe3d0;

class Drawing {
 public:
  Drawing(const StructureView& view, cairo_t* context) : view_(view), c_(context) {}

  static double cell(const StructureView& view) {
    return std::clamp(widest / static_cast<double>(std::max<std::size_t>(view.unknowns.size(), 1)),
                      smallest_cell, largest_cell);
  }
  /// Space for the names above.
  static double names_height(const StructureView& view, cairo_t* c) {
    if (cell(view) < label_cell) return 8.0;
    cairo_set_font_size(c, letter);
    double longest = 0.0;
    for (const std::string& name : view.unknowns) {
      cairo_text_extents_t extents;
      cairo_text_extents(c, name.c_str(), &extents);
      longest = std::max(longest, extents.x_advance);
    }
    return longest + 10.0;
  }

  void panel(double left, double top, const std::string& title, bool ordered) {
    const double size = cell(view_);
    const auto n = static_cast<int>(view_.unknowns.size());
    cairo_set_source_rgb(c_, 0.1, 0.1, 0.1);
    cairo_set_font_size(c_, title_letter);
    cairo_move_to(c_, left, title_height - 10.0);
    cairo_show_text(c_, title.c_str());
    fill(c_, left, top, n * size, n * size, ground);
    if (ordered) shade_blocks(left, top, size);
    for (int r = 0; r < n; ++r) {
      for (int k = 0; k < n; ++k) {
        const int row = ordered ? view_.rows[r] : r, column = ordered ? view_.columns[k] : k;
        if (!view_.stands[row][column]) continue;
        const unsigned colour = !ordered                         ? entry
                                : is_tear(k) && same_block(r, k) ? iterated
                                : r == k                         ? matched
                                                                 : entry;
        const double gap = size > 8.0 ? 1.5 : 0.5;
        fill(c_, left + k * size + gap, top + r * size + gap, size - 2 * gap, size - 2 * gap, colour);
      }
    }
    if (ordered) frame_blocks(left, top, size);
    names(left, top, size, ordered);
  }

 private:
  bool is_tear(int place) const {
    for (const StructureView::Span& b : view_.blocks)
      if (place >= b.first + b.size - b.tears && place < b.first + b.size) return true;
    return false;
  }
  bool same_block(int r, int k) const {
    for (const StructureView::Span& b : view_.blocks)
      if (r >= b.first && r < b.first + b.size && k >= b.first && k < b.first + b.size) return true;
    return false;
  }
  void shade_blocks(double left, double top, double size) {
    for (const StructureView::Span& b : view_.blocks)
      fill(c_, left + (b.first + b.size - b.tears) * size, top + b.first * size, b.tears * size,
           b.size * size, shade);
  }
  void frame_blocks(double left, double top, double size) {
    cairo_set_source_rgb(c_, 0.0, 0.0, 0.0);
    cairo_set_line_width(c_, 1.5);
    for (const StructureView::Span& b : view_.blocks) {
      cairo_rectangle(c_, left + b.first * size, top + b.first * size, b.size * size, b.size * size);
      cairo_stroke(c_);
    }
  }
  void names(double left, double top, double size, bool ordered) {
    if (size < label_cell) return;
    cairo_set_font_size(c_, letter);
    for (std::size_t k = 0; k < view_.unknowns.size(); ++k) {
      const bool marked = ordered && is_tear(static_cast<int>(k));
      cairo_set_source_rgb(c_, marked ? 0.75 : 0.2, marked ? 0.3 : 0.2, marked ? 0.0 : 0.2);
      cairo_save(c_);
      cairo_move_to(c_, left + (static_cast<double>(k) + 0.5) * size + letter * 0.35, top - 5.0);
      cairo_rotate(c_, -0.5 * std::numbers::pi);
      cairo_show_text(c_, view_.unknowns[ordered ? view_.columns[k] : k].c_str());
      cairo_restore(c_);
    }
  }

  const StructureView& view_;
  cairo_t* c_;
};

}  // namespace

void draw_structure(const StructureView& view, const std::string& title, const std::filesystem::path& png) {
  const double side = Drawing::cell(view) * static_cast<double>(view.unknowns.size());
  const std::unique_ptr<cairo_surface_t, Release> small(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8));
  const std::unique_ptr<cairo_t, Release> measure(cairo_create(small.get()));
  cairo_select_font_face(measure.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  const double top = title_height + Drawing::names_height(view, measure.get());
  const double panel = std::max(side, 260.0);
  const auto width = static_cast<int>(2 * panel + 3 * margin), height = static_cast<int>(top + side + margin);
  const std::unique_ptr<cairo_surface_t, Release> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  const std::unique_ptr<cairo_t, Release> context(cairo_create(surface.get()));
  cairo_select_font_face(context.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_source_rgb(context.get(), 1.0, 1.0, 1.0);
  cairo_paint(context.get());
  Drawing drawing(view, context.get());
  drawing.panel(margin, top, title + " as written", false);
  drawing.panel(2 * margin + panel, top, "in blocks, torn", true);
  if (cairo_surface_write_to_png(surface.get(), png.c_str()) != CAIRO_STATUS_SUCCESS)
    throw io::WriteError("cannot write " + png.string());
}

}  // namespace scree
