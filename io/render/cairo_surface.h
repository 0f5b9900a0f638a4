// A picture's memory as cairo sees it; only for .cpp files.
#pragma once

#include <cairo/cairo.h>
#include <memory>

#include "io/render/picture.h"

namespace scree::io {

struct CairoRelease {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, CairoRelease>;
using CairoContext = std::unique_ptr<cairo_t, CairoRelease>;

inline CairoSurface surface_of(Picture& picture) {
  return CairoSurface(cairo_image_surface_create_for_data(
      reinterpret_cast<unsigned char*>(picture.pixel.data()), CAIRO_FORMAT_RGB24, picture.width,
      picture.height, 4 * picture.width));
}

}  // namespace scree::io
