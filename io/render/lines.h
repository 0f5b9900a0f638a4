// Thin lines in a picture: edges of walls, outlines, paths. Bodies and opaque walls hide them.
#pragma once

#include <vector>

#include "io/render/camera.h"
#include "io/render/picture.h"
#include "io/render/ray_scene.h"

namespace scree::io {

struct ThinLine {
  Vec3 start, end;  // m
  Colour colour;
  float opacity = 1.0f;
  float width = 1.0f;  // of the width that lines have in a picture of this size
};

/// An edge of walls that a drawing shows.
struct WallEdge {
  Vec3 start, end;             // m
  std::int32_t boundary = -1;  // of the first polygon at it
};

/// Free edges, sharp ones, and those at which a curved wall turns away from the eye. Polygons marked in
/// `skip` have none.
std::vector<WallEdge> wall_edges(const WallMesh& walls, const std::vector<bool>& skip, const Vec3& eye);

/// [boundary] how strongly its edges are drawn, at most 1: less where they are so close that they would
/// blacken the wall, as those of a screen of thin bars. `pixel`: m, at the walls.
std::vector<float> edge_shares(const WallMesh& walls, const std::vector<WallEdge>& edges, double pixel);

/// Draws the parts of the lines that nothing opaque hides, as wide in pixels at any distance: 1 up to 720
/// pixels of height, then in proportion to it.
void draw_lines(Picture& picture, const Viewport& viewport, const Camera& camera, const RayScene& scene,
                const std::vector<ThinLine>& lines);

}  // namespace scree::io
