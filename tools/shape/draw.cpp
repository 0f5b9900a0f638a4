#include "tools/shape/draw.h"

#include "io/render/labels.h"
#include "io/render/shape_picture.h"
#include "tools/exit_codes.h"

namespace scree {

int draw_shape(const Shapes& shapes, ShapeIndex shape, const TriangleMesh* mesh,
               const std::filesystem::path& path) {
  constexpr int width = 720;
  io::Picture picture = io::shape_picture(shapes, shape, mesh, width);
  io::write_png(path, picture);
  return exit_ok;
}

}  // namespace scree
